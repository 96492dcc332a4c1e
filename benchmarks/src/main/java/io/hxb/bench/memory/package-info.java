/**
 * An application that lends its node much memory, to be killed: what that costs the node's loops.
 */
package io.hxb.bench.memory;
