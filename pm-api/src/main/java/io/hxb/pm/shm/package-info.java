/**
 * The memory that a node and its applications share: node page, control memory and rings, with
 * every offset in one place. Both sides use the same classes; nothing here decides what is trusted.
 * Internal: applications use {@code io.hxb.pm}.
 */
package io.hxb.pm.shm;
