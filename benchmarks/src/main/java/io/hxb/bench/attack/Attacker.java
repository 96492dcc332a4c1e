package io.hxb.bench.attack;

import io.hxb.bench.soak.Forgery;
import io.hxb.config.ClusterConfig;
import io.hxb.config.SecurityConfig;
import io.hxb.frame.FrameType;

import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends frames made of those that he sees, batch by batch, at a pace. Owned by one thread.
 *
 * <p>Without a key a node has to believe every sender with a neighbour's address, so then he uses
 * only one of his own, unless he is to spoof.
 */
final class Attacker implements AutoCloseable {
    private static final long SECOND = 1_000_000_000L;

    /** One in this many frames has an address that no node has. */
    private static final int FOREIGN_SHARE = 8;

    /** Batches between two looks at what passes. */
    private static final int LOOK_BATCHES = 8;

    private static final long PAUSE_NS = 200_000;

    private final AttackWire wire;
    private final SeenFrames seen;
    private final Forger forger;
    private final SplittableRandom random;
    private final boolean isForeign;
    private long sent;
    private long foreign;
    private int batches;

    /**
     * Has seen nothing and sends nothing yet.
     *
     * @param wire his place; closed with him.
     * @param links links of each trunk.
     * @param isSpoofing true to have the addresses of nodes although there is no key.
     */
    Attacker(
            final AttackWire wire,
            final ClusterConfig config,
            final int links,
            final boolean isSpoofing,
            final SplittableRandom random) {
        this.wire = wire;
        this.random = random;
        isForeign = config.security().mode() == SecurityConfig.Mode.NONE && !isSpoofing;
        seen = new SeenFrames(wire.prefixBytes(), random.split());
        forger =
                new Forger(
                        seen,
                        new Forgery(config, links, random.split()),
                        random.split(),
                        isSpoofing || config.security().mode() == SecurityConfig.Mode.ENCRYPT);
    }

    /** Only sees what passes. */
    void look() {
        wire.look(seen);
    }

    /**
     * Sends frames for a time.
     *
     * @param frames to send at most.
     * @param framesASecond pace; 0 for as fast as it goes.
     * @param forNs time after which it pauses.
     * @return frames sent.
     */
    long send(final long frames, final long framesASecond, final long forNs) {
        final long startNs = System.nanoTime();
        long done = 0;
        long nowNs = startNs;
        while (done < frames && nowNs - startNs < forNs) {
            final long due =
                    framesASecond == 0
                            ? frames
                            : Math.min(frames, (nowNs - startNs) * framesASecond / SECOND);
            if (due - done >= Math.min(AttackWire.BATCH, frames - done)) {
                done += sendBatch((int) Math.min(AttackWire.BATCH, frames - done));
            } else {
                LockSupport.parkNanos(PAUSE_NS);
            }
            nowNs = System.nanoTime();
        }
        return done;
    }

    private int sendBatch(final int frames) {
        if (batches++ % LOOK_BATCHES == 0) {
            look();
        }
        final int line = random.nextInt(wire.lines());
        int count = 0;
        while (count < frames) {
            final int lengthBytes = forger.make(line, wire.slot(count));
            if (lengthBytes == 0) {
                break;
            }
            final boolean isThisForeign = isForeign || random.nextInt(FOREIGN_SHARE) == 0;
            wire.put(count, lengthBytes, isThisForeign);
            foreign += isThisForeign ? 1 : 0;
            count++;
        }
        sent += wire.send(line, count);
        // Those that the kernel refused were tried, too.
        return count;
    }

    /** Frames that were sent. */
    long sent() {
        return sent;
    }

    /** Of these and those refused, frames from an address that no node has. */
    long foreign() {
        return foreign;
    }

    /** Frames that the kernel did not send. */
    long refused() {
        return wire.refused();
    }

    /** Frames tried to which this was done. */
    long made(final Forger.Kind kind) {
        return forger.made(kind);
    }

    /** Types of frames that were seen. */
    int seenTypes() {
        int types = 0;
        for (int type = 1; type < FrameType.COUNT; type++) {
            types += seen.count(type) > 0 ? 1 : 0;
        }
        return types;
    }

    @Override
    public void close() {
        wire.close();
    }
}
