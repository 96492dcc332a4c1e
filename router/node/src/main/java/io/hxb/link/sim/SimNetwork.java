package io.hxb.link.sim;

import io.hxb.link.BufferPool;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * A network of simulated segments in virtual time. The same seed and the same calls give the same
 * run, frame by frame. Owned by the thread that runs the simulation.
 *
 * <p>Use: make segments, plug links in, then let the nodes work and call {@link #advance} with the
 * time of the next event or of the nodes' next deadline, whichever is earlier.
 */
public final class SimNetwork {
    private static final int ETHERNET_BYTES = 38;
    static final long SECOND_NS = 1_000_000_000L;

    private final SimClock clock;
    private final SplittableRandom random;
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(
                    Comparator.comparingLong(Event::afterStartNs).thenComparingLong(Event::serial));
    private final Map<Long, Direction> directions = new HashMap<>();
    private final List<SimLink> links = new ArrayList<>();
    private final long startNs;
    private long serial;
    private long lostFrames;
    private long duplicatedFrames;
    private long reorderedFrames;
    private long corruptedFrames;
    private long cutFrames;
    private long deliveredFrames;
    private long trains;
    private long lostTrains;
    private long cutTrains;

    /** Makes a network without segments. */
    public SimNetwork(final SimClock clock, final long seed) {
        this.clock = clock;
        startNs = clock.nanoTime();
        random = new SplittableRandom(seed);
    }

    /** Adds a switch. */
    public SimSegment newSegment(final SimFaults faults) {
        return new SimSegment(faults);
    }

    /**
     * Plugs a new link into a segment.
     *
     * @param index number of the link in its node.
     * @param coordinate coordinate of the node in the link's dimension, 0 to 255.
     * @param mtuBytes largest header and body in bytes.
     * @param share of the loop that receives; received frames lie in its pool.
     */
    public SimLink newLink(
            final SimSegment segment,
            final int index,
            final int coordinate,
            final int mtuBytes,
            final BufferPool.Share share) {
        return newLink(segment, index, coordinate, mtuBytes, mtuBytes, share);
    }

    /**
     * The same for a link that takes longer frames than its MTU.
     *
     * @param maxFrameBytes longest frame in bytes of header, body and trailer, the MTU or more.
     */
    public SimLink newLink(
            final SimSegment segment,
            final int index,
            final int coordinate,
            final int mtuBytes,
            final int maxFrameBytes,
            final BufferPool.Share share) {
        final SimLink link =
                new SimLink(
                        this,
                        segment,
                        index,
                        coordinate,
                        mtuBytes,
                        maxFrameBytes,
                        share,
                        links.size() + 1);
        links.add(link);
        segment.links().add(link);
        return link;
    }

    /**
     * Plugs a link into the place of one that is closed: with the address of that one, which has
     * learned nothing.
     *
     * @param share share of the loop that receives.
     */
    public SimLink replace(final SimLink old, final BufferPool.Share share) {
        final SimLink link =
                new SimLink(
                        this,
                        old.segment(),
                        old.index(),
                        old.coordinate(),
                        old.mtuBytes(),
                        old.maxFrameBytes(),
                        share,
                        old.localAddress());
        links.set((int) old.localAddress() - 1, link);
        old.segment().links().remove(old);
        old.segment().links().add(link);
        return link;
    }

    /** Gives one direction faults of its own; null for those of the segment. */
    public void faults(final SimLink from, final SimLink to, final SimFaults faults) {
        direction(from, to).faults = faults;
    }

    /** Cuts one direction, or restores it: frames vanish, the link stays up. */
    public void cut(final SimLink from, final SimLink to, final boolean isCut) {
        direction(from, to).isCut = isCut;
    }

    /** Cuts or restores both directions. */
    public void cutBoth(final SimLink one, final SimLink other, final boolean isCut) {
        cut(one, other, isCut);
        cut(other, one, isCut);
    }

    /** Lets frames of one direction vanish that are longer, as where a port has a smaller MTU. */
    public void limit(final SimLink from, final SimLink to, final int maxBytes) {
        direction(from, to).maxBytes = maxBytes;
    }

    /** When the next frame arrives or the next blocked sender can go on; Long.MAX_VALUE: never. */
    public long nextEventNs() {
        final Event next = events.peek();
        return next == null ? Long.MAX_VALUE : startNs + next.afterStartNs();
    }

    /** Moves the clock to {@code timeNs} and lets everything arrive that is due by then. */
    public void advance(final long timeNs) {
        while (!events.isEmpty() && startNs + events.peek().afterStartNs() - timeNs <= 0) {
            final Event event = events.poll();
            if (event.bytes != null) {
                deliveredFrames += event.to.arrive(event.bytes, event.from) ? 1 : 0;
            }
        }
        clock.advanceTo(timeNs);
    }

    /** True while a frame is on a wire. */
    public boolean isBusy() {
        return events.stream().anyMatch(event -> event.bytes != null);
    }

    /** Frames lost by chance. */
    public long lostFrames() {
        return lostFrames;
    }

    /** Frames that were duplicated. */
    public long duplicatedFrames() {
        return duplicatedFrames;
    }

    /** Frames that later ones were allowed to overtake. */
    public long reorderedFrames() {
        return reorderedFrames;
    }

    /** Frames in which a bit was flipped. */
    public long corruptedFrames() {
        return corruptedFrames;
    }

    /** Frames lost in a cut, or too long. */
    public long cutFrames() {
        return cutFrames;
    }

    /** Frames that reached a link. */
    public long deliveredFrames() {
        return deliveredFrames;
    }

    /** Trains of two frames or more that were sent. */
    public long trains() {
        return trains;
    }

    /** Of these, those lost as a whole. */
    public long lostTrains() {
        return lostTrains;
    }

    /** Of these, those cut on the way. */
    public long cutTrains() {
        return cutTrains;
    }

    long nowNs() {
        return clock.nanoTime();
    }

    SimLink byAddress(final long address) {
        return address >= 1 && address <= links.size() ? links.get((int) address - 1) : null;
    }

    /**
     * Time at which a link with {@code faults} has sent another frame, and the time until which it
     * is busy then.
     */
    static long wireTimeNs(final SimFaults faults, final int lengthBytes) {
        return faults.wire().rateBps() == 0
                ? 0
                : (lengthBytes + ETHERNET_BYTES) * 8L * SECOND_NS / faults.wire().rateBps();
    }

    /** Notes an event at {@code timeNs}, so that time stops there. */
    void wakeAt(final long timeNs) {
        events.add(new Event(timeNs - startNs, serial++, null, null, null));
    }

    /**
     * Carries what leaves {@code from} at {@code departureNs} to {@code to}.
     *
     * @param train one frame or more, which fare alike unless the train is cut.
     */
    void carry(
            final SimLink from,
            final SimLink to,
            final List<byte[]> train,
            final long departureNs) {
        final Direction direction = direction(from, to);
        final SimFaults faults = faults(from, direction);
        final boolean isTooLong = train.getFirst().length > direction.maxBytes;
        if (direction.isCut || isTooLong || !from.isUp() || !to.isUp()) {
            cutFrames += train.size();
            return;
        }
        if (train.size() > 1) {
            trains++;
            if (chance(faults.trains().loss())) {
                lostTrains++;
                lostFrames += train.size();
                return;
            }
            if (chance(faults.trains().cut())) {
                cutTrains++;
                train.forEach(
                        bytes -> fare(from, to, direction, faults, List.of(bytes), departureNs));
                return;
            }
        }
        fare(from, to, direction, faults, train, departureNs);
    }

    private void fare(
            final SimLink from,
            final SimLink to,
            final Direction direction,
            final SimFaults faults,
            final List<byte[]> train,
            final long departureNs) {
        if (chance(faults.damage().loss())) {
            lostTrains += train.size() > 1 ? 1 : 0;
            lostFrames += train.size();
            return;
        }
        schedule(from, to, direction, faults, train, departureNs);
        if (chance(faults.damage().duplication())) {
            duplicatedFrames += train.size();
            schedule(from, to, direction, faults, train, departureNs);
        }
    }

    private void schedule(
            final SimLink from,
            final SimLink to,
            final Direction direction,
            final SimFaults faults,
            final List<byte[]> train,
            final long departureNs) {
        long arrivalNs = departureNs - startNs + faults.wire().delayNs();
        if (faults.wire().jitterNs() > 0) {
            arrivalNs += random.nextLong(faults.wire().jitterNs() + 1);
        }
        if (faults.damage().reorderingNs() > 0 && chance(faults.damage().reordering())) {
            reorderedFrames += train.size();
            arrivalNs += random.nextLong(faults.damage().reorderingNs() + 1);
        } else {
            arrivalNs = Math.max(arrivalNs, direction.lastArrivalNs);
            direction.lastArrivalNs = arrivalNs;
        }
        for (final byte[] bytes : train) {
            events.add(new Event(arrivalNs, serial++, from, to, corrupt(bytes, faults)));
        }
    }

    private byte[] corrupt(final byte[] bytes, final SimFaults faults) {
        if (bytes.length == 0 || !chance(faults.damage().corruption())) {
            return bytes;
        }
        corruptedFrames++;
        final byte[] copy = bytes.clone();
        final int bit = random.nextInt(copy.length * 8);
        copy[bit >> 3] ^= (byte) (1 << (bit & 7));
        return copy;
    }

    private boolean chance(final double share) {
        return share > 0 && random.nextDouble() < share;
    }

    private static SimFaults faults(final SimLink from, final Direction direction) {
        return direction.faults != null ? direction.faults : from.segment().faults();
    }

    private Direction direction(final SimLink from, final SimLink to) {
        return directions.computeIfAbsent(
                from.localAddress() << 32 | to.localAddress(), key -> new Direction());
    }

    private static final class Direction {
        private SimFaults faults;
        private boolean isCut;
        private int maxBytes = Integer.MAX_VALUE;
        private long lastArrivalNs;
    }

    private static final class Event {
        private final long afterStartNs;
        private final long serial;
        private final SimLink from;
        private final SimLink to;
        private final byte[] bytes;

        Event(
                final long afterStartNs,
                final long serial,
                final SimLink from,
                final SimLink to,
                final byte[] bytes) {
            this.afterStartNs = afterStartNs;
            this.serial = serial;
            this.from = from;
            this.to = to;
            this.bytes = bytes;
        }

        private long afterStartNs() {
            return afterStartNs;
        }

        private long serial() {
            return serial;
        }
    }
}
