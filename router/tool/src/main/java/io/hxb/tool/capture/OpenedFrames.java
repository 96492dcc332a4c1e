package io.hxb.tool.capture;

import io.hxb.frame.FragmentFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.raw.IpHeaders;
import io.hxb.link.raw.SegmentHeaders;
import io.hxb.linux.Memory;
import io.hxb.session.CaptureKeys;
import io.hxb.session.CaptureOpener;
import io.hxb.session.CaptureOpener.Result;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Opens the encrypted frames in what a NIC received or sent: in an Ethernet frame, a datagram, a
 * train of them, or the pieces of a long frame, which are joined into a further frame for the
 * capture. Owned by one thread.
 */
final class OpenedFrames implements AutoCloseable {
    private static final int MACS_LENGTH = 12;
    private static final int ETHERNET_LENGTH = 14;
    private static final int TAG_LENGTH = 4;
    private static final int TAG = 0x8100;
    private static final int ETHER_TYPE = 0x88B5;
    private static final int ADDRESSES_OFFSET = 12;
    private static final int PORTS_OFFSET = 20;
    private static final int NUMBER_OFFSET = 28;

    private final CaptureOpener opener;
    private final LongFrames longFrames = new LongFrames();
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment joined =
            arena.allocate(ETHERNET_LENGTH + LongFrames.MAX_BYTES + 2, 8);
    private final Map<Result, Long> counts = new EnumMap<>(Result.class);
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private String comment = "";
    private int joinedBytes;

    OpenedFrames(final CaptureKeys keys) {
        opener = new CaptureOpener(keys);
    }

    /**
     * Opens what can be opened, in place.
     *
     * @param ethernet address of the Ethernet header.
     * @param lengthBytes from there on that were captured.
     * @return what became of it, for a comment; empty if there was nothing to open.
     */
    String open(final long ethernet, final int lengthBytes) {
        comment = "";
        joinedBytes = 0;
        if (lengthBytes < ETHERNET_LENGTH + TAG_LENGTH) {
            return "";
        }
        int skipped = ETHERNET_LENGTH;
        int type = Memory.getUnsignedShortBigEndian(ethernet + MACS_LENGTH);
        if (type == TAG) {
            type = Memory.getUnsignedShortBigEndian(ethernet + MACS_LENGTH + TAG_LENGTH);
            skipped += TAG_LENGTH;
        }
        final long packet = ethernet + skipped;
        final int rest = lengthBytes - skipped;
        if (type != IpHeaders.ETHER_TYPE) {
            openFrame(packet, rest, ethernet, type, hop(ethernet, 0));
        } else if (rest >= SegmentHeaders.IP_AND_TCP_LENGTH) {
            openPacket(packet, rest, ethernet);
        }
        return comment;
    }

    private void openPacket(final long ip, final int lengthBytes, final long ethernet) {
        if (Memory.getUnsignedByte(ip + IpHeaders.PROTOCOL_OFFSET) == IpHeaders.PROTOCOL_TCP) {
            openSegment(ip, lengthBytes, ethernet);
            return;
        }
        // A train: one frame after the other.
        int at = IpHeaders.IP_AND_UDP_LENGTH;
        while (lengthBytes - at >= FrameHeaderFlyweight.LENGTH
                && header.wrap(ip + at).version() == FrameHeaderFlyweight.VERSION) {
            final int frameBytes = FrameHeaderFlyweight.frameLength(ip + at);
            openFrame(ip + at, lengthBytes - at, ethernet, ETHER_TYPE, hop(ethernet, ip));
            at += frameBytes;
        }
    }

    private void openSegment(final long ip, final int lengthBytes, final long ethernet) {
        final int skipped = SegmentHeaders.IP_AND_TCP_LENGTH;
        final int word = Memory.getIntBigEndian(ip + SegmentHeaders.SEQUENCE_OFFSET);
        final int offset = word & (1 << SegmentHeaders.OFFSET_BITS) - 1;
        final int eighths = word >>> SegmentHeaders.OFFSET_BITS;
        final int window = Memory.getUnsignedShortBigEndian(ip + SegmentHeaders.WINDOW_OFFSET);
        final int frameBytes = eighths * 8 + window % 8;
        final int bytes = Math.min(lengthBytes - skipped, frameBytes - offset);
        if (offset == 0 && bytes == frameBytes) {
            openFrame(ip + skipped, bytes, ethernet, ETHER_TYPE, "");
            return;
        }
        final LongFrames.Key key =
                new LongFrames.Key(
                        hop(ethernet, ip),
                        Memory.getIntBigEndian(ip + ADDRESSES_OFFSET),
                        Memory.getIntBigEndian(ip + NUMBER_OFFSET));
        final int port = Memory.getUnsignedShortBigEndian(ip + PORTS_OFFSET + 2);
        join(key, frameBytes, offset, ip + skipped, bytes, ethernet, port);
    }

    private static String hop(final long ethernet, final long ip) {
        return Memory.getLong(ethernet)
                + " "
                + Memory.getInt(ethernet + Long.BYTES)
                + (ip == 0
                        ? ""
                        : " "
                                + Memory.getLong(ip + ADDRESSES_OFFSET)
                                + " "
                                + Memory.getInt(ip + PORTS_OFFSET));
    }

    private void openFrame(
            final long frame,
            final int lengthBytes,
            final long ethernet,
            final int type,
            final String hop) {
        if (lengthBytes < FrameHeaderFlyweight.LENGTH
                || header.wrap(frame).version() != FrameHeaderFlyweight.VERSION) {
            return;
        }
        if (!FragmentFlyweight.isFragment(frame)) {
            note(opener.open(frame, lengthBytes), "");
            return;
        }
        final int range = Math.min(header.bodyLength(), lengthBytes - FrameHeaderFlyweight.LENGTH);
        join(
                new LongFrames.Key(hop, header.source(), FragmentFlyweight.number(frame)),
                FragmentFlyweight.frameBytes(frame),
                FragmentFlyweight.offset(frame),
                frame + FrameHeaderFlyweight.LENGTH,
                range,
                ethernet,
                type);
    }

    private void join(
            final LongFrames.Key key,
            final int frameBytes,
            final int offset,
            final long piece,
            final int pieceBytes,
            final long ethernet,
            final int type) {
        final long whole = longFrames.add(key, frameBytes, offset, piece, pieceBytes);
        if (whole == 0) {
            return;
        }
        final Result result = opener.open(whole, frameBytes);
        note(result, "long frame of " + longFrames.pieces() + " pieces, ");
        if (result == Result.OPENED) {
            final long to = joined.address();
            Memory.copy(ethernet, to, MACS_LENGTH);
            Memory.putShortBigEndian(to + MACS_LENGTH, type);
            Memory.copy(whole, to + ETHERNET_LENGTH, frameBytes);
            joinedBytes = ETHERNET_LENGTH + frameBytes;
        }
    }

    private void note(final Result result, final String what) {
        if (result == Result.READABLE) {
            return;
        }
        counts.merge(result, 1L, Long::sum);
        final String text =
                switch (result) {
                    case OPENED -> "opened by the keys of " + opener.session();
                    case NO_KEYS -> "not opened: no keys of its session";
                    case SEAL -> "not opened: damaged, or of another session";
                    default -> "not opened: cut by the capture";
                };
        comment += (comment.isEmpty() ? "HXB: " : "; ") + what + text;
    }

    /** Address of the Ethernet header of a long frame that {@link #open} has joined and opened. */
    long joinedAddress() {
        return joined.address();
    }

    /** Its bytes; 0 for none. */
    int joinedBytes() {
        return joinedBytes;
    }

    /** Encrypted frames by what became of them, for a report. */
    Map<String, Object> report() {
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("opened_frames", count(Result.OPENED));
        report.put("frames_without_keys", count(Result.NO_KEYS));
        report.put("frames_with_other_seal", count(Result.SEAL));
        report.put("cut_frames", count(Result.CUT));
        return report;
    }

    /** The same in words. */
    String text() {
        return count(Result.OPENED)
                + " encrypted frames opened, "
                + count(Result.NO_KEYS)
                + " without keys, "
                + count(Result.SEAL)
                + " damaged or of another session, "
                + count(Result.CUT)
                + " cut";
    }

    private long count(final Result result) {
        return counts.getOrDefault(result, 0L);
    }

    @Override
    public void close() {
        opener.close();
        longFrames.close();
        arena.close();
    }
}
