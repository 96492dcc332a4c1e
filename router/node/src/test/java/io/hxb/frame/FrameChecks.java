package io.hxb.frame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Memory;
import io.hxb.topology.Shape;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** What has to hold for any bytes that arrive as a frame. Used by one thread. */
final class FrameChecks {
    static final int CLUSTER = 0x00C0_FFEE;

    private static final int[] EXTENTS = {4, 3, 2};
    private static final Shape SHAPE = Shape.of(EXTENTS);
    private static final int LONGEST_BYTES = 70_000;
    private static final int SLACK_BYTES = 4096;

    private final MemorySegment memory = Arena.ofAuto().allocate(2L * LONGEST_BYTES, 64);
    private final FrameCrc crc = new FrameCrc();

    /**
     * Judges the frame as the reference does, whatever lies after it in memory, then reads all of
     * its body if it is right.
     *
     * @return the reason, or 0.
     */
    int judge(final byte[] frame) {
        final int expected = expected(frame);
        assertEquals(expected, actual(frame, 0x00), "with zeros behind the frame");
        assertEquals(expected, actual(frame, 0xFF), "with ones behind the frame");
        if (expected == 0) {
            readBody(frame.length);
        }
        return expected;
    }

    private static int expected(final byte[] frame) {
        final int reason = ReferenceValidator.checkHeader(frame, CLUSTER);
        return reason == 0 ? ReferenceValidator.checkEndToEnd(frame, EXTENTS) : reason;
    }

    private int actual(final byte[] frame, final int behind) {
        final long address = memory.address();
        Memory.fill(address + frame.length, SLACK_BYTES, behind);
        MemorySegment.copy(MemorySegment.ofArray(frame), 0, memory, 0, frame.length);
        final int reason = FrameValidator.checkHeader(address, frame.length, CLUSTER);
        return reason == 0 ? FrameValidator.checkEndToEnd(address, SHAPE, crc) : reason;
    }

    private void readBody(final int frameLength) {
        final FrameHeaderFlyweight header = new FrameHeaderFlyweight().wrap(memory.address());
        final long end = memory.address() + frameLength;
        switch (header.type()) {
            case FrameType.DATA -> readRecords(header, end);
            case FrameType.HELLO -> {
                final HelloFlyweight hello = new HelloFlyweight().wrap(header.bodyAddress());
                assertTrue(hello.name().length() <= HelloFlyweight.MAX_NAME_LENGTH);
                assertTrue(header.bodyAddress() + hello.length() <= end);
            }
            case FrameType.MISCONFIGURATION -> {
                final int kind = new MisconfigurationFlyweight().wrap(header.bodyAddress()).kind();
                assertTrue(!MisconfigurationFlyweight.name(kind).isEmpty());
            }
            case FrameType.LINK_STATUS -> {
                final LinkStatusFlyweight status =
                        new LinkStatusFlyweight().wrap(header.bodyAddress());
                final int last = status.links() - 1;
                assertTrue(status.linkNumber() <= last && status.weight(last) > 0);
                assertTrue(header.bodyAddress() + status.length() <= end);
            }
            case FrameType.UNREACHABLE -> {
                final UnreachableFlyweight answer =
                        new UnreachableFlyweight().wrap(header.address());
                assertTrue(answer.failedType() < FrameType.COUNT);
                assertTrue(answer.isOfRelay() || header.messageCount() == 0);
            }
            case FrameType.FRAGMENT -> {
                final long address = header.address();
                assertTrue(
                        FragmentFlyweight.offset(address) + header.bodyLength()
                                <= FragmentFlyweight.frameBytes(address));
            }
            case FrameType.MISSING -> {
                final MissingFlyweight missing = new MissingFlyweight().wrap(header.address());
                for (int i = 0; i < missing.ranges(); i++) {
                    assertTrue(
                            missing.offset(i) + missing.lengthBytes(i)
                                    <= FragmentFlyweight.MAX_FRAME_BYTES);
                }
            }
            case FrameType.TRACED -> {
                final TracedFlyweight traced = new TracedFlyweight().wrap(header.address());
                assertTrue(traced.kind() >= TracedFlyweight.RELAYED && traced.stayNs() >= 0);
            }
            case FrameType.SUMMARY -> readSummaries(header, end);
            case FrameType.LINK_STATE -> readEntries(header, end);
            case FrameType.ENDED -> {
                final EndedFlyweight ended = new EndedFlyweight().wrap(header.address());
                int runEnd = ended.firstSequence();
                for (int run = 0; run < ended.runs(); run++) {
                    assertTrue(ended.runFirst(run) - runEnd >= 0 && ended.runFrames(run) > 0);
                    runEnd = ended.runFirst(run) + ended.runFrames(run);
                }
                assertTrue(ended.seenTo() - runEnd >= 0);
            }
            default -> assertEquals(0, header.messageCount());
        }
    }

    private static void readRecords(final FrameHeaderFlyweight header, final long end) {
        final MessageRecordFlyweight message = new MessageRecordFlyweight();
        long address = header.bodyAddress();
        for (int i = 0; i < header.messageCount(); i++) {
            message.wrap(address);
            assertTrue(message.payloadAddress() + message.payloadLength() <= end);
            address += MessageRecordFlyweight.paddedLength(message.payloadLength());
        }
    }

    private static void readSummaries(final FrameHeaderFlyweight header, final long end) {
        final SummaryFlyweight summary = new SummaryFlyweight();
        long at = header.bodyAddress();
        while (at < header.bodyAddress() + header.bodyLength()) {
            summary.wrap(at);
            at += summary.length();
            assertTrue(at <= end && summary.ageMs() >= 0);
            if (summary.links() > 0) {
                assertTrue(summary.weightPercent(summary.links() - 1) <= 100);
                assertTrue(summary.name().length() <= SummaryFlyweight.MAX_NAME_BYTES);
                for (int i = 0; i < summary.exclusions(); i++) {
                    assertTrue(summary.excludedLink(i) < summary.links());
                }
            }
        }
    }

    private static void readEntries(final FrameHeaderFlyweight header, final long end) {
        final LinkStateFlyweight entry = new LinkStateFlyweight();
        long at = header.bodyAddress();
        while (at < header.bodyAddress() + header.bodyLength()) {
            entry.wrap(at);
            at += entry.length();
            assertTrue(at <= end && entry.node() <= LinkStateFlyweight.MAX_NODE);
            if (entry.kind() == LinkStateFlyweight.RECORD) {
                assertTrue(entry.ageMs() >= 0 && entry.ageMs() <= LinkStateFlyweight.MAX_AGE_MS);
                assertTrue(entry.name().length() <= LinkStateFlyweight.MAX_NAME_BYTES);
                for (int i = 0; i < entry.adjacencies(); i++) {
                    assertEquals(i, entry.find(entry.neighbour(i)));
                    assertTrue(entry.neighbour(i) != entry.node() && entry.linkCount(i) > 0);
                    assertTrue(entry.capacityMbps(i) >= 0 && entry.mtuBytes(i) >= 0);
                }
                assertEquals(-1, entry.find(entry.node()));
            }
        }
    }
}
