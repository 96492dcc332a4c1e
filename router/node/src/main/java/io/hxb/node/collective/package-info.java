/**
 * Collective operations that nodes carry out: a node combines what its members and its lines send
 * before it wakes anybody.
 */
package io.hxb.node.collective;
