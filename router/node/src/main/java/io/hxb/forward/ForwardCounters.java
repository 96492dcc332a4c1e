package io.hxb.forward;

import io.hxb.config.LinkPlan;
import io.hxb.frame.DropReason;

/**
 * What the forwarding of one loop has seen since start. Written by that loop with plain stores;
 * others may read and see each value at most a little late. {@code received} = {@code delivered} +
 * {@code relayed} + {@code linkLocal} + {@link #dropped()}.
 */
public final class ForwardCounters {
    private long received;
    private long delivered;
    private long relayed;
    private long relayedBytes;
    private long linkLocal;
    private long originated;
    private long copied;
    private long copiedBytes;
    private long loopedBack;
    private long unreachableSent;
    private long lone;
    private final long[] drops = new long[DropReason.COUNT + 1];
    private final long[] linkFrames = new long[LinkPlan.MAX_LINKS];
    private final long[] linkBytes = new long[LinkPlan.MAX_LINKS];

    ForwardCounters() {}

    /** Counts a frame of {@code lengthBytes} received on a link. */
    void receive(final int linkIndex, final int lengthBytes) {
        received++;
        linkFrames[linkIndex]++;
        linkBytes[linkIndex] += lengthBytes;
    }

    /** Counts a frame of this node to itself that was taken back. */
    void receiveOwn() {
        received++;
    }

    /** Counts a frame handed to the flows. */
    void deliver() {
        delivered++;
    }

    /** Counts a frame of {@code lengthBytes} that had to be copied first. */
    void copy(final int lengthBytes) {
        copied++;
        copiedBytes += lengthBytes;
    }

    /** Counts a frame of {@code lengthBytes} queued towards its destination. */
    void relay(final int lengthBytes) {
        relayed++;
        relayedBytes += lengthBytes;
    }

    /** Counts a frame about a link. */
    void takeLinkLocal() {
        linkLocal++;
    }

    /** Counts a frame of this node's flows that was routed. */
    void originate() {
        originated++;
    }

    /** Counts a frame routed to this node itself. */
    void loopBack() {
        loopedBack++;
    }

    /** Counts a short data frame of a flow that is nearly idle. */
    void passLone() {
        lone++;
    }

    /** Counts an answer that a frame could not be relayed. */
    void onUnreachableSent() {
        unreachableSent++;
    }

    /** Short data frames of flows that are nearly idle: received, sent or relayed. */
    public long lone() {
        return lone;
    }

    /** Frames received on any link, and frames of this node to itself. */
    public long received() {
        return received;
    }

    /** Frames handed to the flows of this node. */
    public long delivered() {
        return delivered;
    }

    /** Frames queued on a link towards their destination. */
    public long relayed() {
        return relayed;
    }

    /** Bytes of header and body of the frames relayed. */
    public long relayedBytes() {
        return relayedBytes;
    }

    /** Frames about a link: hello, status, complaint. */
    public long linkLocal() {
        return linkLocal;
    }

    /** Frames of this node's flows that were routed, including those to itself. */
    public long originated() {
        return originated;
    }

    /** Delivered frames that had to be copied into a pool buffer first. */
    public long copied() {
        return copied;
    }

    /** Bytes copied with them. */
    public long copiedBytes() {
        return copiedBytes;
    }

    /** Frames this node sent to itself. */
    public long loopedBack() {
        return loopedBack;
    }

    /** Answers sent that a frame could not be relayed. */
    public long unreachableSent() {
        return unreachableSent;
    }

    /** Frames received on one link. */
    public long linkFrames(final int linkIndex) {
        return linkFrames[linkIndex];
    }

    /** Bytes of header and body received on one link. */
    public long linkBytes(final int linkIndex) {
        return linkBytes[linkIndex];
    }

    /** Counts a dropped frame; {@code reason} is one of {@link DropReason}. */
    void drop(final int reason) {
        drops[-reason]++;
    }

    /** Frames dropped for a reason of {@link DropReason}. */
    public long dropped(final int reason) {
        return drops[-reason];
    }

    /** Frames dropped for any reason. */
    public long dropped() {
        long sum = 0;
        for (final long count : drops) {
            sum += count;
        }
        return sum;
    }
}
