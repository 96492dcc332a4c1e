package io.hxb.frame;

import io.hxb.linux.Memory;
import io.hxb.routing.Route;

/**
 * What an UNREACHABLE frame carries, the answer to a frame that could not be delivered. It is laid
 * over header fields that mean something else in other frames. It has no body, so an answer is
 * never longer than the frame that caused it. Owned by the thread that wrapped it.
 *
 * <pre>
 * offset length meaning (little-endian)
 *     12      4 incarnation of the context that does not take the frame, 0 = none; of a relay: the
 *               order of the frame, or with bit 31 the lower part of its detour's hops
 *     32      4 incarnation of the frame's source
 *     36      2 destination context of the frame
 *     38      2 source context of the frame
 *     40      4 sequence of the frame
 *     44      4 incarnation of the frame's destination; of a relay: the node id of that
 *     48      1 reason, see the constants
 *     49      1 type of the frame
 *     50      2 epoch of the frame
 *     52      4 no body, and as the number of messages (bits 18 to 31) 0; of a relay: the upper part
 *               of the hops of the frame's detour
 *     60      2 epoch that the frame acknowledged
 * </pre>
 */
public final class UnreachableFlyweight {
    /** No link leads on from the relay that answers. */
    public static final int NO_ROUTE = 1;

    /** Nobody has opened the destination context. */
    public static final int NO_SUCH_CONTEXT = 2;

    /** The destination context has another incarnation than the frame names. */
    public static final int STALE_INCARNATION = 3;

    /** The frame has crossed too many links. */
    public static final int HOP_LIMIT = 4;

    /** The destination's node has as many flows as it may, or the context as many as it may. */
    public static final int NO_FLOWS = 5;

    /** The tenants of the two contexts may not talk to each other. */
    public static final int NOT_ALLOWED = 6;

    private static final int REASON_OFFSET = FrameHeaderFlyweight.WINDOW_OFFSET;
    private static final int TYPE_OFFSET = REASON_OFFSET + 1;

    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final FrameHeaderFlyweight failed = new FrameHeaderFlyweight();

    /** Lays the flyweight over the header at {@code headerAddress}. */
    public UnreachableFlyweight wrap(final long headerAddress) {
        header.wrap(headerAddress);
        return this;
    }

    /** True if the frame at {@code headerAddress} has no body, and a known reason and type. */
    static boolean isValid(final long headerAddress) {
        final int reason = Memory.getUnsignedByte(headerAddress + REASON_OFFSET);
        final int type = Memory.getUnsignedByte(headerAddress + TYPE_OFFSET);
        final int upperHops = FrameHeaderFlyweight.messageCount(headerAddress);
        return FrameHeaderFlyweight.bodyLength(headerAddress) == 0
                && reason >= NO_ROUTE
                && reason <= NOT_ALLOWED
                && type > 0
                && type < FrameType.COUNT
                && upperHops <= (isOfRelay(reason) ? Route.MAX_UPPER_HOPS : 0);
    }

    private static boolean isOfRelay(final int reason) {
        return reason == NO_ROUTE || reason == HOP_LIMIT;
    }

    /** Makes the answer of the context that does not take the frame at {@code failedAddress}. */
    public UnreachableFlyweight answer(
            final long failedAddress, final int reason, final int ownIncarnation) {
        assert !isOfRelay(reason) : reason;
        answer(failedAddress, reason);
        header.sourceIncarnation(ownIncarnation).acknowledgement(failed.destinationIncarnation());
        return this;
    }

    /**
     * Makes the answer of a relay that cannot send the frame at {@code failedAddress} on.
     *
     * @param destination node id of that frame's destination.
     */
    public UnreachableFlyweight answerOfRelay(
            final long failedAddress, final int reason, final int destination) {
        assert isOfRelay(reason) : reason;
        answer(failedAddress, reason);
        final long route = failed.route();
        header.sourceIncarnation(Route.orderOrLowerHops(route))
                .messageCount(Route.upperHops(route))
                .acknowledgement(destination);
        return this;
    }

    private void answer(final long failedAddress, final int reason) {
        failed.wrap(failedAddress);
        header.clear()
                .type(FrameType.UNREACHABLE)
                .destination(failed.source())
                .destinationIncarnation(failed.sourceIncarnation())
                .sourceContext(failed.destinationContext())
                .destinationContext(failed.sourceContext())
                .sequence(failed.sequence())
                .epoch(failed.epoch())
                .acknowledgedEpoch(failed.acknowledgedEpoch());
        Memory.putByte(header.address() + REASON_OFFSET, reason);
        Memory.putByte(header.address() + TYPE_OFFSET, typeOf(failed.type()));
    }

    // A fragment stands for its long frame, and only data is as long.
    private static int typeOf(final int failedType) {
        return failedType == FrameType.FRAGMENT ? FrameType.DATA : failedType;
    }

    /** Why the frame could not be delivered. */
    public int reason() {
        return Memory.getUnsignedByte(header.address() + REASON_OFFSET);
    }

    /** True if a relay reports it, and not the node that the frame was for. */
    public boolean isOfRelay() {
        return isOfRelay(reason());
    }

    /** Type of the frame that could not be delivered. */
    public int failedType() {
        return Memory.getUnsignedByte(header.address() + TYPE_OFFSET);
    }

    /** Which incarnation of the destination context that frame named; not in answers of relays. */
    public int failedIncarnation() {
        return header.acknowledgement();
    }

    /** Node id of that frame's destination, any number; only in answers of relays. */
    public int failedDestination() {
        return header.acknowledgement();
    }

    /** The route of the frame as its source wrote it; only in answers of relays. */
    public long failedRoute() {
        return Route.ofStart(header.sourceIncarnation(), header.messageCount());
    }
}
