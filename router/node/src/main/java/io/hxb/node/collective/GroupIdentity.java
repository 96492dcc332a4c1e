package io.hxb.node.collective;

/**
 * How a group is known. Immutable.
 *
 * @param id that its members have agreed on.
 * @param instance distinguishes it from others with the same id at this node; not 0.
 * @param tenant of all its members.
 * @param ownNode id of this node.
 */
record GroupIdentity(long id, int instance, int tenant, int ownNode) {}
