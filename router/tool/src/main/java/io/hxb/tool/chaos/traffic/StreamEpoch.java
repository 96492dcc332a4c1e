package io.hxb.tool.chaos.traffic;

/**
 * What was sent from one start of a stream to its end, by an error or by the end of the run.
 * Immutable.
 *
 * @param number from 1; the tag of its messages.
 * @param sent messages handed over.
 * @param failed those of which the sender was notified that they may not have arrived.
 * @param status how it ended: PmStatus.OK, or the error that ended it.
 */
record StreamEpoch(int number, long sent, long failed, int status) {}
