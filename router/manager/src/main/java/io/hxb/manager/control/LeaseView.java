package io.hxb.manager.control;

/**
 * What a host has reported about its lease. Immutable.
 *
 * @param isOwn whether this server has it.
 * @param isFree whether nobody has it.
 * @param generation the highest that the host has seen.
 */
record LeaseView(boolean isOwn, boolean isFree, long generation) {
    static final LeaseView UNKNOWN = new LeaseView(false, false, 0);
}
