package io.hxb.frame;

import com.code_intelligence.jazzer.junit.FuzzTest;

import io.hxb.flow.HostilePeer;

import org.junit.jupiter.api.Tag;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Feeds frames to everything that parses them, and flows with frames of a hostile peer, guided by
 * coverage. {@code mvn verify} does it for a while, by an execution of its own that sets
 * JAZZER_FUZZ.
 */
@Tag("property")
class FrameFuzz {
    private static final FrameChecks CHECKS = new FrameChecks();
    private static final int SCRIPT = 0x80;
    private static final int LONGEST_BYTES = 70_000;

    @FuzzTest(maxDuration = "10s")
    void shouldSurviveAnyBytesAndJudgeFramesAsTheReferenceDoes(final byte[] bytes) {
        if (bytes.length == 0 || bytes.length > LONGEST_BYTES) {
            return;
        }
        // The first byte says what the rest is, and whether the fields that guessing hardly ever
        // finds are put right.
        if ((bytes[0] & SCRIPT) != 0) {
            HostilePeer.run(Arrays.copyOfRange(bytes, 1, bytes.length));
            return;
        }
        final byte[] frame = Arrays.copyOfRange(bytes, 1, bytes.length);
        if (frame.length >= FrameHeaderFlyweight.LENGTH && (bytes[0] & 1) != 0) {
            final ByteBuffer header = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN);
            header.put(0, (byte) FrameHeaderFlyweight.VERSION);
            header.putInt(8, FrameChecks.CLUSTER);
            if ((bytes[0] & 2) != 0) {
                header.putInt(4, 0x7654_3210).putShort(62, (short) 0);
                header.putLong(16, 0x01_02_03L).putLong(24, 0x01_00_00L);
            }
            if ((bytes[0] & 4) != 0 && header.getChar(52) + 64 <= frame.length) {
                header.putInt(56, ReferenceValidator.crc(frame));
            }
        }
        CHECKS.judge(frame);
    }
}
