package io.hxb.pm.rma;

/**
 * Where a region of another application is, as that one has sent it, such as in a message.
 * Immutable.
 *
 * @param node node id of that application.
 * @param context a context of it that uses remote memory.
 * @param key as {@link PmRemoteMemory#share} returned it there. Contexts that know it may use the
 *     region.
 */
public record PmRemoteRegion(int node, int context, long key) {}
