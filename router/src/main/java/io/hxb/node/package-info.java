/**
 * A running node: opens what its configuration names (links, forwarding, flows, contexts,
 * counters), deals it to loops, looks after it and closes it again.
 */
package io.hxb.node;
