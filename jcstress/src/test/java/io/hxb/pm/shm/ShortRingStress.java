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

/** {@link ShortRing}: the application appends, the node takes. */
public final class ShortRingStress {
    private static final int CAPACITY_BYTES = 32;
    private static final StateMemory MEMORY = new StateMemory(ShortRing.DATA + 128);
    private static final int MESSAGES = 6;
    private static final int WRONG = -1;
    private static final int SPINS = 100;

    private ShortRingStress() {}

    /** Three times as many messages as the ring holds. */
    @JCStressTest
    @Outcome(id = "[2-6], [0-6]", expect = ACCEPTABLE, desc = "Each is taken whole and in order.")
    @Outcome(expect = FORBIDDEN, desc = "A message is lost, taken twice or overwritten.")
    @State
    public static class Reuse {
        private final long address = MEMORY.next();
        private final ShortRing application = new ShortRing(address, CAPACITY_BYTES);
        private final ShortRing node = new ShortRing(address, CAPACITY_BYTES);

        @Actor
        public void application(final II_Result result) {
            int spins = 0;
            while (result.r1 < MESSAGES && spins < SPINS) {
                final long begin = application.room(Long.BYTES);
                if (begin >= 0) {
                    final int message = ++result.r1;
                    Memory.putLong(application.payloadAddress(begin), message);
                    application.append(begin, message, Long.BYTES, message);
                } else {
                    spins++;
                    Thread.onSpinWait();
                }
            }
        }

        @Actor
        public void node(final II_Result result) {
            int spins = 0;
            while (result.r2 < MESSAGES && spins < SPINS) {
                final long end = node.end();
                if (end == node.position()) {
                    spins++;
                    Thread.onSpinWait();
                }
                for (long at = node.position(); at != end; at += 2 * Long.BYTES) {
                    if (!isMessage(node.address(at), result.r2 + 1)) {
                        result.r2 = WRONG;
                        return;
                    }
                    result.r2++;
                }
                node.take(end);
            }
        }

        private boolean isMessage(final long record, final int message) {
            final long header = Memory.getLong(record);
            return ShortRing.slot(header) == message
                    && ShortRing.lengthBytes(header) == Long.BYTES
                    && ShortRing.tag(header) == message
                    && Memory.getLong(record + ShortRing.HEADER_BYTES) == message;
        }
    }
}
