package io.hxb.pm.shm;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.hxb.flow.order.ProducerClaims;
import io.hxb.stress.StateMemory;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * {@link DeliveryRing}: loops of the node put at positions that they claim from {@link
 * ProducerClaims}, the application takes.
 */
public final class DeliveryRingStress {
    private static final StateMemory MEMORY = new StateMemory(128);
    private static final int WRONG = -1;
    private static final int SPINS = 100;

    private DeliveryRingStress() {}

    private static void put(final DeliveryRing ring, final long position, final int message) {
        ring.write(position, message, message, message, message, message, message);
        ring.publish(position);
    }

    /** The message of a ready entry, or {@link #WRONG} if its fields differ. */
    private static int read(final DeliveryRing ring, final long position) {
        final long entry = ring.entry(position);
        final int message = DeliveryRing.bufferId(entry);
        return DeliveryRing.payloadOffset(entry) == message
                        && DeliveryRing.lengthBytes(entry) == message
                        && DeliveryRing.tag(entry) == message
                        && DeliveryRing.sourceNode(entry) == message
                        && DeliveryRing.sourceContext(entry) == message
                ? message
                : WRONG;
    }

    /** An entry that its stamp announces has all its fields. */
    @JCStressTest
    @Outcome(id = "0", expect = ACCEPTABLE, desc = "Not published yet.")
    @Outcome(id = "7", expect = ACCEPTABLE, desc = "Read whole.")
    @Outcome(expect = FORBIDDEN, desc = "A field is missing.")
    @State
    public static class Publication {
        private final DeliveryRing ring = new DeliveryRing(MEMORY.next(), 1);

        @Actor
        public void node() {
            put(ring, 0, 7);
        }

        @Actor
        public void application(final I_Result result) {
            if (ring.isReady(0)) {
                result.r1 = read(ring, 0);
            }
        }
    }

    /** Two loops deliver at the same time. */
    @JCStressTest
    @Outcome(
            id = {"1, 2", "2, 1"},
            expect = ACCEPTABLE,
            desc = "Both messages are there, in either order.")
    @Outcome(expect = FORBIDDEN, desc = "A message is lost, there twice, or torn.")
    @State
    public static class TwoLoops {
        private final DeliveryRing ring = new DeliveryRing(MEMORY.next(), 2);
        private final ProducerClaims claims = new ProducerClaims(2);

        @Actor
        public void loop() {
            deliver(1);
        }

        @Actor
        public void otherLoop() {
            deliver(2);
        }

        @Arbiter
        public void application(final II_Result result) {
            result.r1 = ring.isReady(0) ? read(ring, 0) : 0;
            result.r2 = ring.isReady(1) ? read(ring, 1) : 0;
        }

        private void deliver(final int message) {
            put(ring, claims.claim(1), message);
            claims.published(1);
        }
    }

    /** The only entry is written again after the release of its message. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "1, 1", "2, 1", "2, 2", "3, 2", "3, 3"},
            expect = ACCEPTABLE,
            desc = "Each read whole and in order; no more than one beyond what was released.")
    @Outcome(expect = FORBIDDEN, desc = "A message is lost, read twice or overwritten.")
    @State
    public static class Reuse {
        private final long address = MEMORY.next();
        private final DeliveryRing ring = new DeliveryRing(address, 1);
        private final ReleaseRing release = new ReleaseRing(address + 32, 1);
        private final ReleaseRing released = new ReleaseRing(address + 32, 1);
        private final ProducerClaims claims = new ProducerClaims(1);

        @Actor
        public void node(final II_Result result) {
            for (int message = 1; message <= 3; message++) {
                final long position = awaitRoom();
                if (position == ProducerClaims.FULL) {
                    return;
                }
                put(ring, position, message);
                claims.published(1);
                result.r1 = message;
            }
        }

        @Actor
        public void application(final II_Result result) {
            for (int message = 1; message <= 3; message++) {
                if (!awaitMessage(message - 1)) {
                    return;
                }
                if (read(ring, message - 1) != message) {
                    result.r2 = WRONG;
                    return;
                }
                result.r2 = message;
                release.put(message);
            }
        }

        private long awaitRoom() {
            long position = claims.claim(1);
            for (int spins = 0; spins < SPINS && position == ProducerClaims.FULL; spins++) {
                if (released.take() == ReleaseRing.NONE) {
                    Thread.onSpinWait();
                } else {
                    claims.release(claims.released() + 1);
                    position = claims.claim(1);
                }
            }
            return position;
        }

        private boolean awaitMessage(final long position) {
            for (int spins = 0; spins < SPINS; spins++) {
                if (ring.isReady(position)) {
                    return true;
                }
                Thread.onSpinWait();
            }
            return false;
        }
    }
}
