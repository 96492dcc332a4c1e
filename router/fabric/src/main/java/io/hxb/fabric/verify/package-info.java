/**
 * Proof that routes are complete, legal and free of deadlock: channel dependency graphs, direct
 * ones and Duato's extended ones, with every violation described; also for forwarding tables that
 * other programs made.
 */
package io.hxb.fabric.verify;
