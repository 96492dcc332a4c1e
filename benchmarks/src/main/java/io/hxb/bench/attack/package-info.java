/**
 * An attacker on the lines of a running cluster, who sees all frames and sends what he likes, while
 * programs at the nodes check that nothing of theirs is lost or changed.
 */
package io.hxb.bench.attack;
