package io.hxb.frame;

import io.hxb.topology.Shape;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.CRC32C;

/** The rules of {@link FrameValidator} written a second time, slowly, over a checked array. */
final class ReferenceValidator {
    private static final int HEADER = 64;

    private ReferenceValidator() {}

    static int checkHeader(final byte[] frame, final int clusterId) {
        final ByteBuffer bytes = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN);
        if (frame.length < HEADER) {
            return DropReason.TOO_SHORT;
        } else if (bytes.get(0) != 5) {
            return DropReason.VERSION;
        } else if (bytes.getInt(8) != clusterId) {
            return DropReason.CLUSTER;
        } else if (HEADER + bodyLength(bytes) + trailer(bytes) > frame.length) {
            return DropReason.LENGTH;
        } else if (bytes.get(3) == 0) {
            return DropReason.HOP_LIMIT;
        }
        return 0;
    }

    static int bodyLength(final ByteBuffer bytes) {
        return Byte.toUnsignedInt(bytes.get(52))
                + Byte.toUnsignedInt(bytes.get(53)) * 0x100
                + (bytes.get(54) & 3) * 0x1_0000;
    }

    private static int messages(final ByteBuffer bytes) {
        return bytes.getChar(54) / 4;
    }

    private static int trailer(final ByteBuffer bytes) {
        return (bytes.get(2) & 32) != 0 ? 24 : 0;
    }

    static int checkEndToEnd(final byte[] frame, final int... extents) {
        final ByteBuffer bytes = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN);
        final int type = bytes.get(1);
        if ((bytes.get(2) & 1) != 0 && crc(frame) != bytes.getInt(56)) {
            return DropReason.CRC;
        } else if (type < 1 || type > 20) {
            return DropReason.TYPE;
        } else if ((bytes.get(2) & 0x80) != 0
                || (type == FrameType.FRAGMENT && bytes.get(2) != 0)) {
            return DropReason.FLAGS;
        } else if (bytes.getInt(4) >= 0 && bytes.getChar(62) != 0) {
            return DropReason.RESERVED;
        } else if (!isRoute(bytes.getInt(4), bytes.getChar(62), extents)) {
            return DropReason.ORDER;
        } else if (!areCoordinates(bytes, type, extents)) {
            return DropReason.COORDINATES;
        }
        return isBody(bytes, type) ? 0 : DropReason.BODY;
    }

    static int crc(final byte[] frame) {
        final int length =
                HEADER + bodyLength(ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN));
        final byte[] copy = java.util.Arrays.copyOf(frame, length);
        for (int offset = 3; offset < 8; offset++) {
            copy[offset] = 0;
        }
        for (int offset = 56; offset < 60; offset++) {
            copy[offset] = 0;
        }
        copy[62] = 0;
        copy[63] = 0;
        final CRC32C crc = new CRC32C();
        crc.update(copy);
        return (int) crc.getValue();
    }

    private static boolean isRoute(final int order, final int rest, final int... extents) {
        if (order >= 0) {
            return isOrder(order);
        }
        int largest = 0;
        for (final int extent : extents) {
            largest += extent;
        }
        final int bits = Integer.toBinaryString(largest).length();
        final String low = String.format("%32s", Integer.toBinaryString(order)).substring(5);
        final String high = String.format("%16s", Integer.toBinaryString(rest)).replace(' ', '0');
        String hops = high + low;
        int count = 0;
        boolean isOver = false;
        while (!hops.isEmpty()) {
            final int cut = Math.max(0, hops.length() - bits);
            final int hop = Integer.parseInt(hops.substring(cut), 2);
            if (hop > largest || (isOver && hop > 0) || (hop > 0 && hops.length() < bits)) {
                return false;
            }
            isOver |= hop == 0;
            count += hop > 0 ? 1 : 0;
            hops = hops.substring(0, cut);
        }
        return (order >>> 27 & 15) <= count && count <= 15;
    }

    private static boolean isOrder(final int order) {
        final Set<Integer> dimensions = new TreeSet<>();
        for (final char digit : String.format("%08x", order).toCharArray()) {
            dimensions.add(Character.digit(digit, 16));
        }
        return dimensions.equals(Set.of(0, 1, 2, 3, 4, 5, 6, 7));
    }

    private static boolean areCoordinates(
            final ByteBuffer bytes, final int type, final int... extents) {
        if (type == FrameType.HELLO || type == FrameType.MISCONFIGURATION) {
            return true;
        }
        final boolean isForAll =
                (type == FrameType.LINK_STATUS || type == FrameType.SESSION)
                        && bytes.getLong(24) == -1;
        return isInside(bytes, 16, extents) && (isForAll || isInside(bytes, 24, extents));
    }

    private static boolean isInside(final ByteBuffer bytes, final int at, final int... extents) {
        for (int dimension = 0; dimension < Shape.MAX_DIMENSIONS; dimension++) {
            final int limit = dimension < extents.length ? extents[dimension] : 1;
            if (Byte.toUnsignedInt(bytes.get(at + dimension)) >= limit) {
                return false;
            }
        }
        return true;
    }

    private static boolean isBody(final ByteBuffer bytes, final int type) {
        final int messages = messages(bytes);
        final ByteBuffer body =
                bytes.slice(HEADER, bodyLength(bytes)).order(ByteOrder.LITTLE_ENDIAN);
        if (type == FrameType.DATA) {
            return messages > 0 && areRecords(body, messages);
        }
        final boolean isValid =
                switch (type) {
                    case FrameType.HELLO ->
                            body.limit() >= 48
                                    && Byte.toUnsignedInt(body.get(25))
                                            <= Math.min(64, body.limit() - 48);
                    case FrameType.MISCONFIGURATION ->
                            body.limit() >= 32 && body.get(0) >= 1 && body.get(0) <= 9;
                    case FrameType.LINK_STATUS -> isStatus(body);
                    case FrameType.SESSION -> isSession(body);
                    case FrameType.UNREACHABLE -> isUnreachable(bytes);
                    case FrameType.ENDED -> isEnded(bytes, body);
                    case FrameType.FRAGMENT -> isFragment(bytes, body.limit());
                    case FrameType.MISSING -> isMissing(body);
                    case FrameType.TRACE -> body.limit() >= 16;
                    case FrameType.TRACED ->
                            body.limit() == 16
                                    && body.get(0) >= 1
                                    && body.get(0) <= 4
                                    && body.getShort(6) == 0
                                    && body.getLong(8) >= 0;
                    case FrameType.SUMMARY -> areSummaries(body);
                    case FrameType.LINK_STATE -> areEntries(body);
                    case FrameType.BUSY -> body.limit() == 16 && body.getShort(14) == 0;
                    default -> true;
                };
        return isValid && (messages == 0 || isOfRelay(bytes, type));
    }

    private static boolean areSummaries(final ByteBuffer body) {
        ByteBuffer rest = body;
        while (rest.limit() > 0) {
            if (rest.limit() < 20
                    || rest.getInt(12) < 0
                    || rest.getInt(12) > 24 * 60 * 60 * 1_000
                    || Byte.toUnsignedInt(rest.get(19)) > (rest.get(18) == 0 ? 0 : 1)) {
                return false;
            }
            final int length = Short.toUnsignedInt(rest.getShort(16));
            if (length > rest.limit() || !isSummary(rest, length)) {
                return false;
            }
            rest = rest.slice(length, rest.limit() - length).order(ByteOrder.LITTLE_ENDIAN);
        }
        return body.limit() > 0;
    }

    private static boolean isSummary(final ByteBuffer record, final int length) {
        final int links = Byte.toUnsignedInt(record.get(18));
        if (links == 0) {
            return length == 20;
        }
        if (length < 40) {
            return false;
        }
        final int exclusions = Byte.toUnsignedInt(record.get(20));
        final int name = Byte.toUnsignedInt(record.get(21));
        final int names = 40 + 28 * links + 4 * exclusions;
        boolean isValid =
                exclusions <= 32
                        && name <= 32
                        && record.getShort(22) == 0
                        && length == names + (name + 3) / 4 * 4;
        for (int i = 0; isValid && i < links; i++) {
            final int at = 40 + 28 * i;
            isValid =
                    (record.get(at + 2) & 0xFE) == 0
                            && Byte.toUnsignedInt(record.get(at + 3)) <= 100
                            && record.getInt(at + 8) >= 0
                            && record.get(at + 17) == 0;
        }
        for (int at = names - 4 * exclusions; isValid && at < names; at += 4) {
            isValid = Byte.toUnsignedInt(record.get(at)) < links && record.get(at + 3) == 0;
        }
        for (int at = names + name; isValid && at < length; at++) {
            isValid = record.get(at) == 0;
        }
        return isValid;
    }

    private static boolean areEntries(final ByteBuffer body) {
        ByteBuffer rest = body;
        while (rest.limit() > 0) {
            if (rest.limit() < 24) {
                return false;
            }
            final int length = rest.getChar(0);
            if (length > rest.limit() || !isEntry(rest, length)) {
                return false;
            }
            rest = rest.slice(length, rest.limit() - length).order(ByteOrder.LITTLE_ENDIAN);
        }
        return body.limit() > 0;
    }

    private static boolean isEntry(final ByteBuffer entry, final int length) {
        final int node = Byte.toUnsignedInt(entry.get(3));
        if (node == 255 || entry.get(2) < 1 || entry.get(2) > 2) {
            return false;
        }
        if (entry.get(2) == 2) {
            return length == 24;
        }
        final int adjacencies = length < 32 ? 65 : Byte.toUnsignedInt(entry.get(29));
        if (adjacencies > 64
                || entry.getInt(24) < 0
                || entry.getInt(24) > 100 * 1_000
                || (entry.get(28) & 0xFE) != 0
                || entry.get(31) != 0) {
            return false;
        }
        final int name = Byte.toUnsignedInt(entry.get(30));
        final int names = 32 + 8 * adjacencies;
        boolean isValid = name <= 32 && length == names + (name + 3) / 4 * 4;
        final Set<Integer> neighbours = new TreeSet<>(Set.of(node, 255));
        for (int i = 0; isValid && i < adjacencies; i++) {
            final int neighbour = Byte.toUnsignedInt(entry.get(32 + 8 * i));
            isValid =
                    neighbours.add(neighbour)
                            && entry.get(33 + 8 * i) != 0
                            && (i == 0 || neighbour > Byte.toUnsignedInt(entry.get(24 + 8 * i)));
        }
        for (int at = names + name; isValid && at < length; at++) {
            isValid = entry.get(at) == 0;
        }
        return isValid;
    }

    private static boolean isUnreachable(final ByteBuffer bytes) {
        return bodyLength(bytes) == 0
                && messages(bytes) < 0x1000
                && bytes.get(48) >= 1
                && bytes.get(48) <= 6
                && bytes.get(49) >= 1
                && bytes.get(49) < FrameType.COUNT;
    }

    private static boolean isFragment(final ByteBuffer bytes, final int rangeBytes) {
        final int frameBytes = bytes.getInt(56) & 0x1FFFF;
        final int end = (bytes.getInt(56) >>> 17) * 8 + rangeBytes;
        return frameBytes >= HEADER
                && rangeBytes > 0
                && (end == frameBytes || (end < frameBytes && rangeBytes % 8 == 0));
    }

    private static boolean isMissing(final ByteBuffer body) {
        boolean isValid = body.limit() > 0 && body.limit() <= 256 && body.limit() % 8 == 0;
        long end = 0;
        for (int range = 0; isValid && range < body.limit(); range += 8) {
            final long first = body.getInt(range);
            final long length = body.getInt(range + 4);
            isValid = first >= end && first % 8 == 0 && length > 0 && first + length <= 0x1FFFF;
            end = first + length;
        }
        return isValid;
    }

    private static boolean isEnded(final ByteBuffer bytes, final ByteBuffer body) {
        boolean isValid =
                body.limit() <= 128
                        && body.limit() % 8 == 0
                        && bytes.get(50) >= 0
                        && bytes.get(50) < FrameType.COUNT
                        && bytes.get(51) >= 0
                        && bytes.get(51) <= 3;
        int end = 0;
        for (int run = 0; isValid && run < body.limit(); run += 8) {
            final int first = body.getChar(run);
            isValid = first >= end && body.getChar(run + 2) > 0 && body.getChar(run + 4) > 0;
            end = first + body.getChar(run + 2);
            isValid &= end <= bytes.getChar(48) && body.getChar(run + 6) == 0;
        }
        return isValid;
    }

    private static boolean isOfRelay(final ByteBuffer bytes, final int type) {
        return type == FrameType.UNREACHABLE && (bytes.get(48) == 1 || bytes.get(48) == 4);
    }

    private static boolean isSession(final ByteBuffer body) {
        boolean isValid = body.limit() == 56 && (body.get(8) & 0xFC) == 0;
        for (int offset = 10; isValid && offset < 12; offset++) {
            isValid = body.get(offset) == 0;
        }
        return isValid;
    }

    private static boolean isStatus(final ByteBuffer body) {
        final int links = body.limit() < 32 ? 0 : Byte.toUnsignedInt(body.get(3));
        if (links < 1 || links > 64 || body.limit() < 32 + 5 * links) {
            return false;
        }
        boolean isValid = body.get(2) >= 0 && body.get(2) < links;
        for (int bit = links; bit < 64; bit++) {
            isValid &= (body.getLong(24) >> bit & 1) == 0;
        }
        for (int link = 0; link < links; link++) {
            final int weight = body.get(32 + 4 * links + link);
            isValid &= weight > 0 && weight <= 64;
        }
        return isValid;
    }

    private static boolean areRecords(final ByteBuffer body, final int messages) {
        long offset = 0;
        for (int message = 1; message <= messages; message++) {
            if (offset + 8 > body.limit()) {
                return false;
            }
            final long length = body.getInt((int) offset);
            if (length < 0 || offset + 8 + length > body.limit()) {
                return false;
            }
            offset += 8 + length;
            while (message < messages && offset % 8 != 0) {
                offset++;
            }
        }
        return offset == body.limit();
    }
}
