package io.hxb.frame;

import io.hxb.linux.Memory;
import io.hxb.routing.Route;
import io.hxb.routing.RouteCodec;
import io.hxb.topology.Shape;

/**
 * Checks received frames field by field before anything uses them. Pure; any thread may call it.
 *
 * <p>{@link #checkHeader} is what a relay needs to send a frame on without harm, {@link
 * #checkEndToEnd} is the rest, which the node at the end needs to take it. Both read nothing beyond
 * the bytes that arrived, never allocate, and return 0 or a {@link DropReason}.
 */
public final class FrameValidator {
    private FrameValidator() {}

    /**
     * Checks length, version, cluster, body length and hop limit. A frame on a link has a hop limit
     * of 1 or more.
     *
     * @param headerAddress first byte of the header.
     * @param lengthBytes bytes that arrived, 0 or more.
     * @param clusterId cluster of this node.
     * @return 0, or TOO_SHORT, VERSION, CLUSTER, LENGTH or HOP_LIMIT of {@link DropReason}.
     */
    public static int checkHeader(
            final long headerAddress, final int lengthBytes, final int clusterId) {
        if (lengthBytes < FrameHeaderFlyweight.LENGTH) {
            return DropReason.TOO_SHORT;
        }
        if (Memory.getUnsignedByte(headerAddress + FrameHeaderFlyweight.VERSION_OFFSET)
                != FrameHeaderFlyweight.VERSION) {
            return DropReason.VERSION;
        }
        if (Memory.getInt(headerAddress + FrameHeaderFlyweight.CLUSTER_OFFSET) != clusterId) {
            return DropReason.CLUSTER;
        }
        if (FrameHeaderFlyweight.frameLength(headerAddress) > lengthBytes) {
            return DropReason.LENGTH;
        }
        if (Memory.getUnsignedByte(headerAddress + FrameHeaderFlyweight.HOP_LIMIT_OFFSET) == 0) {
            return DropReason.HOP_LIMIT;
        }
        return DropReason.NONE;
    }

    /**
     * Checks everything else of a frame that {@link #checkHeader} found valid: CRC, type, flags,
     * reserved field, order or detour, coordinates and the body of its type.
     *
     * @param headerAddress first byte of the header.
     * @param shape shape of the cluster.
     * @param crc computes the CRC of frames that carry one.
     * @return 0, or CRC, TYPE, FLAGS, RESERVED, ORDER, COORDINATES or BODY of {@link DropReason}.
     */
    public static int checkEndToEnd(
            final long headerAddress, final Shape shape, final FrameCrc crc) {
        final int flags = Memory.getUnsignedByte(headerAddress + FrameHeaderFlyweight.FLAGS_OFFSET);
        if ((flags & FrameHeaderFlyweight.FLAG_CRC) != 0 && !crc.isValid(headerAddress)) {
            return DropReason.CRC;
        }
        final int type = Memory.getUnsignedByte(headerAddress + FrameHeaderFlyweight.TYPE_OFFSET);
        if (type == 0 || type >= FrameType.COUNT) {
            return DropReason.TYPE;
        }
        if ((flags & ~FrameHeaderFlyweight.FLAGS) != 0
                || (flags != 0 && type == FrameType.FRAGMENT)) {
            return DropReason.FLAGS;
        }
        final long route = FrameHeaderFlyweight.routeAt(headerAddress);
        if (!RouteCodec.isValid(route, shape)) {
            return !Route.isDetour(route) && Route.rest(route) != 0
                    ? DropReason.RESERVED
                    : DropReason.ORDER;
        }
        if (!areCoordinatesValid(headerAddress, type, shape)) {
            return DropReason.COORDINATES;
        }
        return isBodyRight(headerAddress, type) ? DropReason.NONE : DropReason.BODY;
    }

    /** True for the types that neighbours exchange; of these only SESSION frames may go further. */
    public static boolean isLinkLocal(final int type) {
        return type == FrameType.HELLO
                || type == FrameType.LINK_STATUS
                || type == FrameType.MISCONFIGURATION
                || type == FrameType.SESSION;
    }

    // A report may come from a node with another cluster file: its source can be anywhere.
    // Hellos are checked by the node that hears them, because it reports what is wrong with them.
    private static boolean areCoordinatesValid(
            final long headerAddress, final int type, final Shape shape) {
        final long source = Memory.getLong(headerAddress + FrameHeaderFlyweight.SOURCE_OFFSET);
        final long destination =
                Memory.getLong(headerAddress + FrameHeaderFlyweight.DESTINATION_OFFSET);
        if (type == FrameType.HELLO || type == FrameType.MISCONFIGURATION) {
            return true;
        }
        final boolean isDestinationRight =
                shape.node(destination) >= 0
                        || (destination == FrameHeaderFlyweight.ANY_DESTINATION
                                && isLinkLocal(type));
        return isDestinationRight && shape.node(source) >= 0;
    }

    private static boolean isBodyRight(final long headerAddress, final int type) {
        final long body = headerAddress + FrameHeaderFlyweight.LENGTH;
        final int length = FrameHeaderFlyweight.bodyLength(headerAddress);
        final int messages = FrameHeaderFlyweight.messageCount(headerAddress);
        if (type == FrameType.DATA) {
            return messages > 0
                    && (messages == 1 || length <= MessageRecordFlyweight.MAX_SHARED_BYTES)
                    && areRecordsValid(body, length, messages);
        }
        if (type == FrameType.UNREACHABLE) {
            return UnreachableFlyweight.isValid(headerAddress);
        }
        if (messages != 0) {
            return false;
        }
        return switch (type) {
            case FrameType.HELLO -> HelloFlyweight.isValid(body, length);
            case FrameType.LINK_STATUS -> LinkStatusFlyweight.isValid(body, length);
            case FrameType.MISCONFIGURATION -> MisconfigurationFlyweight.isValid(body, length);
            case FrameType.SESSION -> SessionFlyweight.isValid(body, length);
            case FrameType.FRAGMENT -> FragmentFlyweight.isValid(headerAddress, length);
            case FrameType.MISSING -> MissingFlyweight.isValid(body, length);
            case FrameType.ENDED -> EndedFlyweight.isValid(headerAddress);
            case FrameType.TRACE -> TraceFlyweight.isValid(length);
            case FrameType.TRACED -> TracedFlyweight.isValid(body, length);
            case FrameType.SUMMARY -> SummaryFlyweight.isValid(body, length);
            case FrameType.BUSY -> BusyFlyweight.isValid(body, length);
            case FrameType.LINK_STATE -> LinkStateFlyweight.isValid(body, length);
            default -> true;
        };
    }

    /**
     * Walks the message records of a data frame's body.
     *
     * @param bodyAddress first byte of the body.
     * @param bodyLengthBytes its length, all of it readable.
     * @param messageCount how many records there have to be.
     * @return true if exactly that many lie inside the body and nothing is left over.
     */
    public static boolean areRecordsValid(
            final long bodyAddress, final int bodyLengthBytes, final int messageCount) {
        int offset = 0;
        for (int message = 0; message < messageCount; message++) {
            final int rest = bodyLengthBytes - offset - MessageRecordFlyweight.LENGTH;
            if (rest < 0) {
                return false;
            }
            final int payloadLength = Memory.getInt(bodyAddress + offset);
            if (payloadLength < 0 || payloadLength > rest) {
                return false;
            }
            final boolean isLast = message == messageCount - 1;
            offset +=
                    isLast
                            ? MessageRecordFlyweight.LENGTH + payloadLength
                            : MessageRecordFlyweight.paddedLength(payloadLength);
        }
        return offset == bodyLengthBytes;
    }
}
