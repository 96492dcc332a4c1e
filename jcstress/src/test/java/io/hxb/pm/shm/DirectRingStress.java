package io.hxb.pm.shm;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.hxb.linux.Memory;
import io.hxb.stress.StateMemory;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * {@link DirectRing}: one application appends, another takes. All records have 16 bytes, so none
 * crosses the ring's end, and one mapping is enough.
 */
public final class DirectRingStress {
    private static final StateMemory MEMORY = new StateMemory(128);
    private static final int CAPACITY_BYTES = 64;
    private static final int RECORD_BYTES = 16;
    private static final int WRONG = -1;
    private static final int SPINS = 100;

    private DirectRingStress() {}

    private static void append(final DirectRing ring, final int message) {
        Memory.putLong(ring.payloadAddress(), message);
        ring.append(Long.BYTES, message);
    }

    /** The message of the next record, 0 if there is none, {@link #WRONG} if it is not whole. */
    private static int take(final DirectRing ring) {
        final long header = ring.header();
        if (header == 0) {
            return 0;
        }
        final boolean isWhole =
                DirectRing.isMessage(header)
                        && DirectRing.lengthBytes(header) == Long.BYTES
                        && DirectRing.tag(header) == Memory.getLong(ring.payloadAddress());
        ring.take(RECORD_BYTES);
        return isWhole ? DirectRing.tag(header) : WRONG;
    }

    /** Payloads of earlier messages, which look like headers, are never taken for records. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "Nothing was there yet.")
    @Outcome(
            id = {"0, 1", "1, 0"},
            expect = ACCEPTABLE,
            desc = "The first was there by the second or by the first look.")
    @Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "Both were there.")
    @Outcome(expect = FORBIDDEN, desc = "An old payload is taken for a record, or one is torn.")
    @State
    public static class OldPayload {
        private static final long LOOKS_LIKE_A_HEADER = 99L << 32 | (Long.BYTES + 1);

        private final long address = MEMORY.next();
        private final DirectRing sender = new DirectRing(address, CAPACITY_BYTES);
        private final DirectRing receiver = new DirectRing(address, CAPACITY_BYTES);

        {
            for (int offset = Long.BYTES; offset < CAPACITY_BYTES; offset += Long.BYTES) {
                Memory.putLong(address + offset, LOOKS_LIKE_A_HEADER);
            }
        }

        @Actor
        public void sender() {
            append(sender, 1);
            append(sender, 2);
        }

        @Actor
        public void receiver(final II_Result result) {
            result.r1 = take(receiver);
            result.r2 = take(receiver);
        }
    }

    /** Twice as many messages as the ring holds. */
    @JCStressTest
    @Outcome(
            id = "[3-6], [0-6]",
            expect = ACCEPTABLE,
            desc = "Each is received whole and in order.")
    @Outcome(expect = FORBIDDEN, desc = "A message is lost, received twice or overwritten.")
    @State
    public static class Reuse {
        private static final int MESSAGES = 6;

        private final long address = MEMORY.next();
        private final long released = address + CAPACITY_BYTES;
        private final DirectRing sender = new DirectRing(address, CAPACITY_BYTES);
        private final DirectRing receiver = new DirectRing(address, CAPACITY_BYTES);

        @Actor
        public void sender(final II_Result result) {
            int spins = 0;
            while (result.r1 < MESSAGES && spins < SPINS) {
                if (sender.hasRoom(Long.BYTES, Memory.getLongAcquire(released))) {
                    append(sender, ++result.r1);
                } else {
                    spins++;
                    Thread.onSpinWait();
                }
            }
        }

        @Actor
        public void receiver(final II_Result result) {
            int spins = 0;
            while (result.r2 < MESSAGES && spins < SPINS) {
                final int message = take(receiver);
                if (message == 0) {
                    spins++;
                    Thread.onSpinWait();
                } else if (message == result.r2 + 1) {
                    result.r2 = message;
                    Memory.putLongRelease(released, receiver.position());
                } else {
                    result.r2 = WRONG;
                    return;
                }
            }
        }
    }
}
