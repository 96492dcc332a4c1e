package io.hxb.link.sim;

import io.hxb.link.BufferPool;
import io.hxb.link.FrameSink;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.linux.Memory;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * A NIC that exists in memory only. Frames that arrive wait in it until they are received into pool
 * buffers, which belong to the pool as on any other link. Owned by the thread that runs the
 * simulation.
 */
public final class SimLink implements Link {
    private final SimNetwork network;
    private final SimSegment segment;
    private final int index;
    private final int coordinate;
    private final int mtuBytes;
    private final int maxFrameBytes;
    private final BufferPool pool;
    private final BufferPool.Share share;
    private final long localAddress;
    private final long[] learned = new long[256];
    private final ArrayDeque<Arrival> arrivals = new ArrayDeque<>();
    private boolean isUp = true;
    private boolean wasUp = true;
    private boolean isClosed;
    private long kernelDrops;
    private long poolDrops;
    private long busyUntilNs;

    SimLink(
            final SimNetwork network,
            final SimSegment segment,
            final int index,
            final int coordinate,
            final int mtuBytes,
            final int maxFrameBytes,
            final BufferPool.Share share,
            final long localAddress) {
        this.network = network;
        this.segment = segment;
        this.index = index;
        this.coordinate = coordinate;
        this.mtuBytes = mtuBytes;
        this.maxFrameBytes = maxFrameBytes;
        pool = share.pool();
        this.share = share;
        this.localAddress = localAddress;
        busyUntilNs = network.nowNs();
    }

    /** The segment it is plugged into. */
    public SimSegment segment() {
        return segment;
    }

    /** Coordinate of its node in the link's dimension. */
    public int coordinate() {
        return coordinate;
    }

    /** Takes the carrier away or gives it back. */
    public void up(final boolean up) {
        isUp = up;
        if (!up) {
            arrivals.clear();
        }
    }

    /** Frames that wait to be received. */
    public int waitingFrames() {
        return arrivals.size();
    }

    /** Frames dropped because the pool had no buffer, part of {@link #kernelDrops()}. */
    public long poolDrops() {
        return poolDrops;
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public String name() {
        return "sim" + index;
    }

    @Override
    public int mtuBytes() {
        return mtuBytes;
    }

    @Override
    public int maxFrameBytes() {
        return maxFrameBytes;
    }

    @Override
    public boolean isUp() {
        return isUp && !isClosed;
    }

    @Override
    public int descriptorCount() {
        return 0;
    }

    @Override
    public int descriptor(final int source) {
        return -1;
    }

    @Override
    public int receive(final int source, final FrameSink sink, final int limitFrames) {
        if (!isUp()) {
            return DOWN;
        }
        int frames = 0;
        while (frames < limitFrames && !arrivals.isEmpty()) {
            final Arrival arrival = arrivals.poll();
            final int id = share.acquire();
            if (id == BufferPool.NONE) {
                kernelDrops++;
                poolDrops++;
                continue;
            }
            final long headerAddress = pool.headerAddress(id);
            Memory.ALL
                    .asSlice(headerAddress, arrival.bytes.length)
                    .copyFrom(MemorySegment.ofArray(arrival.bytes));
            frames++;
            sink.onBuffer(this, share, id, arrival.bytes.length, arrival.sourceAddress, -1);
        }
        return frames;
    }

    @Override
    public LinkSender newSender(final int queueFrames) {
        return new SimSender(this, queueFrames);
    }

    @Override
    public long localAddress() {
        return localAddress;
    }

    @Override
    public void learn(final int neighbour, final long address) {
        learned[neighbour] = address;
    }

    @Override
    public long learned(final int neighbour) {
        return learned[neighbour];
    }

    @Override
    public long kernelDrops() {
        return kernelDrops;
    }

    @Override
    public boolean refresh() {
        final boolean isChanged = wasUp != isUp();
        wasUp = isUp();
        return isChanged;
    }

    @Override
    public void close() {
        isClosed = true;
        arrivals.clear();
    }

    /** Bytes that wait for the wire or are on it. */
    long unsentBytes() {
        final long waitNs = Math.max(0, busyUntilNs - network.nowNs());
        return waitNs / 8 * segment.faults().wire().rateBps() / SimNetwork.SECOND_NS;
    }

    /** Takes a frame off the wire; false when it was dropped. */
    boolean arrive(final byte[] bytes, final SimLink from) {
        if (!isUp() || arrivals.size() >= segment.faults().wire().queueFrames()) {
            kernelDrops++;
            return false;
        }
        if (bytes.length > pool.frameBytes()) {
            kernelDrops++;
            return false;
        }
        arrivals.add(new Arrival(bytes, from.localAddress()));
        return true;
    }

    /**
     * Puts a train, or one frame, on the wire.
     *
     * @return false if as many frames wait for the wire as it holds; a reminder is set in that
     *     case.
     */
    boolean transmit(final int neighbour, final List<byte[]> train) {
        final SimFaults faults = segment.faults();
        final long firstNs = SimNetwork.wireTimeNs(faults, train.getFirst().length);
        final long nowNs = network.nowNs();
        final long backlogNs = Math.max(0, busyUntilNs - nowNs);
        if (firstNs > 0 && backlogNs / firstNs >= faults.wire().queueFrames()) {
            network.wakeAt(nowNs + firstNs);
            return false;
        }
        put(neighbour, train, faults);
        return true;
    }

    /** Appends a frame to what waits for the wire, however much that is. */
    void put(final int neighbour, final List<byte[]> train) {
        put(neighbour, train, segment.faults());
    }

    private void put(final int neighbour, final List<byte[]> train, final SimFaults faults) {
        final long nowNs = network.nowNs();
        long departureNs = nowNs + Math.max(0, busyUntilNs - nowNs);
        for (final byte[] bytes : train) {
            departureNs += SimNetwork.wireTimeNs(faults, bytes.length);
        }
        busyUntilNs = departureNs;
        for (final SimLink receiver : receivers(neighbour)) {
            network.carry(this, receiver, train, departureNs);
        }
    }

    /** Frames that travel together at most. */
    int maxTrainFrames() {
        return segment.faults().trains().maxFrames();
    }

    private List<SimLink> receivers(final int neighbour) {
        if (neighbour == BROADCAST) {
            final List<SimLink> others = new ArrayList<>(segment.links());
            others.remove(this);
            return others;
        }
        final SimLink receiver = network.byAddress(learned[neighbour]);
        return receiver == null || receiver.segment != segment ? List.of() : List.of(receiver);
    }

    private static final class Arrival {
        private final byte[] bytes;
        private final long sourceAddress;

        Arrival(final byte[] bytes, final long sourceAddress) {
            this.bytes = bytes;
            this.sourceAddress = sourceAddress;
        }
    }
}
