package io.hxb.pm;

import java.lang.foreign.MemorySegment;

/**
 * What an application does with large messages; called by {@link PmLargeMessages#poll} on the
 * thread that owns the context. A message is identified by its source: messages from one source
 * context arrive one after the other, those from different ones interleaved.
 */
public interface PmLargeHandler {
    /**
     * A message begins.
     *
     * @param sourceNode node id of the sender.
     * @param sourceContext context of the sender.
     * @param lengthBytes its length, 0 to the longest that was allowed.
     * @param tag the 32 bits given by the sender.
     * @return where to assemble it, {@code lengthBytes} or more (one copy; native or a byte array);
     *     or null to get its fragments in place by {@link #onFragment}; or {@link
     *     PmLargeMessages#REJECT}, which ends the message at its sender, too.
     */
    MemorySegment onStart(int sourceNode, int sourceContext, long lengthBytes, int tag);

    /**
     * A fragment of a message for which {@link #onStart} returned null. The bytes are valid within
     * this call only. Fragments come in order and without gaps.
     *
     * @param sourceNode node id of the sender.
     * @param sourceContext context of the sender.
     * @param offset of the fragment in the message.
     * @param address first byte, 8-byte aligned, read-only.
     * @param lengthBytes 1 or more.
     */
    default void onFragment(
            final int sourceNode,
            final int sourceContext,
            final long offset,
            final long address,
            final int lengthBytes) {}

    /**
     * A message has ended; none of its bytes come later.
     *
     * @param sourceNode node id of the sender.
     * @param sourceContext context of the sender.
     * @param lengthBytes its length.
     * @param tag as in {@link #onStart}.
     * @param target what {@link #onStart} returned.
     * @param status {@link PmStatus#OK} if it is complete; {@link PmStatus#PEER_UNREACHABLE} or
     *     {@link PmStatus#PEER_RESTARTED} if the rest will not come; {@link PmStatus#TOO_LONG} if
     *     the sender did not send what it had announced.
     */
    void onEnd(
            int sourceNode,
            int sourceContext,
            long lengthBytes,
            int tag,
            MemorySegment target,
            int status);

    /**
     * A message sent is done: its memory belongs to the application again.
     *
     * @param transfer what {@code send} returned.
     * @param status {@link PmStatus#OK} when the peer's node has all of it, or why not: {@link
     *     PmStatus#TOO_LONG} if the receiver has rejected it before the rest was sent.
     */
    default void onSent(final long transfer, final int status) {}
}
