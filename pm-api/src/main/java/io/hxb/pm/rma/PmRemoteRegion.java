package io.hxb.pm.rma;

/**
 * Where a region of another application is, as that one has told this one, such as by a message.
 * Immutable.
 *
 * @param node node id of that application.
 * @param context a context of it that uses remote memory.
 * @param key as {@link PmRemoteMemory#share} returned it there. Whoever knows it may use the
 *     region.
 */
public record PmRemoteRegion(int node, int context, long key) {}
