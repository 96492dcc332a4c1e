package io.hxb.frame;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Feeds an input to everything that parses frames, beside a reference. Used by one thread. */
public final class FrameTarget {
    private static final FrameChecks CHECKS = new FrameChecks();
    private static final int LONGEST_BYTES = 70_000;

    private FrameTarget() {}

    /**
     * Runs an input: the first byte selects which fields that guessing hardly ever finds are valid.
     */
    public static void run(final byte[] bytes) {
        if (bytes.length == 0 || bytes.length > LONGEST_BYTES) {
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
            if ((bytes[0] & 4) != 0 && ReferenceValidator.bodyLength(header) + 64 <= frame.length) {
                header.putInt(56, ReferenceValidator.crc(frame));
            }
        }
        CHECKS.judge(frame);
    }
}
