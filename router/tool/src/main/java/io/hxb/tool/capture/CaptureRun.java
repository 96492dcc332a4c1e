package io.hxb.tool.capture;

import io.hxb.link.pcap.CaptureSocket;
import io.hxb.link.pcap.PcapWriter;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;

import org.agrona.concurrent.EpochNanoClock;
import org.agrona.concurrent.SystemEpochNanoClock;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * Takes frames out of the rings of links, in the order of their times, and writes them. Owned by
 * one thread; any thread may {@link #stop}.
 *
 * <p>A frame is written once it is 5 ms old, because until then an earlier one may come into
 * another ring.
 */
final class CaptureRun {
    private static final long ORDER_NS = 5_000_000;
    private static final long PAUSE_NS = 2_000_000;
    private static final int FRAMES_A_TURN = 4_096;

    private final List<CapturedLink> links;
    private final CaptureOutput output;
    private final Predicate<FrameView> filter;
    private final long maxFrames;
    private final OpenedFrames opened;
    private final MemorySegment copy = Arena.ofAuto().allocate(CaptureSocket.MAX_SNAP_BYTES, 8);
    private final EpochNanoClock clock = new SystemEpochNanoClock();
    private long writtenFrames;
    // Volatile because a signal handler's thread sets it.
    private volatile boolean isStopped;

    /**
     * Makes one.
     *
     * @param filter null for all frames.
     * @param maxFrames after which it ends; 0 for never.
     * @param opened opens encrypted frames; null to leave them as they are.
     */
    CaptureRun(
            final List<CapturedLink> links,
            final CaptureOutput output,
            final Predicate<FrameView> filter,
            final long maxFrames,
            final OpenedFrames opened) {
        this.links = links;
        this.output = output;
        this.filter = filter;
        this.maxFrames = maxFrames;
        this.opened = opened;
    }

    /** Ends it; what has arrived is still written. */
    void stop() {
        isStopped = true;
    }

    /**
     * Captures until it is to end.
     *
     * @param limitNs time after which it ends; 0 for never.
     * @throws IOException when the output cannot be written.
     */
    void run(final long limitNs) throws IOException {
        final long startNs = System.nanoTime();
        while (!isStopped && !isComplete()) {
            if (limitNs > 0 && System.nanoTime() - startNs >= limitNs) {
                break;
            }
            final int taken = take(clock.nanoTime() - ORDER_NS);
            output.writer().flush();
            if (taken == 0) {
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
        final long endNs = clock.nanoTime();
        while (!isComplete() && take(endNs) > 0) {
            output.writer().flush();
        }
        writeStatistics();
    }

    private boolean isComplete() {
        final boolean isFull = output.isFull() && !output.isRing();
        return isFull || (maxFrames > 0 && writtenFrames >= maxFrames);
    }

    // Takes frames that the kernel saw up to then, in the order of time; returns how many.
    private int take(final long untilNs) throws IOException {
        int taken = 0;
        while (taken < FRAMES_A_TURN && !isComplete()) {
            final int link = earliest(untilNs);
            if (link < 0) {
                break;
            }
            write(link);
            links.get(link).socket().next();
            taken++;
        }
        return taken;
    }

    private int earliest(final long untilNs) {
        int first = -1;
        long firstNs = untilNs;
        for (int i = 0; i < links.size(); i++) {
            if (links.get(i).socket().hasFrame()) {
                final long timeNs = links.get(i).socket().timeNs();
                if (timeNs - firstNs <= 0) {
                    first = i;
                    firstNs = timeNs;
                }
            }
        }
        return first;
    }

    private void write(final int number) throws IOException {
        final CapturedLink link = links.get(number);
        if (!link.isOfLink() || !isWanted(link)) {
            return;
        }
        if (output.isFull()) {
            writeStatistics();
            output.rotate();
        }
        final long address = link.socket().frameAddress();
        if (opened == null) {
            write(number, link, address, "");
        } else {
            writeOpened(number, link, address);
        }
        link.onWritten();
        writtenFrames++;
    }

    private void write(
            final int number, final CapturedLink link, final long address, final String comment)
            throws IOException {
        output.writer().comment(comment);
        output.writer()
                .writeFrame(
                        number,
                        link.socket().timeNs(),
                        link.isSent(),
                        link.socket().tci(),
                        address,
                        link.socket().capturedBytes(),
                        link.socket().originalBytes());
    }

    // Not in the ring: its memory is the kernel's.
    private void writeOpened(final int number, final CapturedLink link, final long address)
            throws IOException {
        final int bytes = link.socket().capturedBytes();
        Memory.copy(address, copy.address(), bytes);
        final String comment = opened.open(copy.address(), bytes);
        write(number, link, copy.address(), comment);
        if (opened.joinedBytes() > 0) {
            final int joined = Math.min(opened.joinedBytes(), PcapWriter.MAX_FRAME_BYTES);
            output.writer().comment(comment);
            output.writer()
                    .writeFrame(
                            number,
                            link.socket().timeNs(),
                            link.isSent(),
                            PcapWriter.UNTAGGED,
                            opened.joinedAddress(),
                            joined,
                            opened.joinedBytes());
        }
    }

    private boolean isWanted(final CapturedLink link) {
        if (filter == null) {
            return true;
        }
        final FrameView view = link.view();
        return view != null && filter.test(view);
    }

    private void writeStatistics() throws IOException {
        for (int i = 0; i < links.size(); i++) {
            final long drops = links.get(i).socket().drops();
            final long frames = links.get(i).frames();
            output.writer().writeStatistics(i, clock.nanoTime(), frames + drops, 0, drops);
        }
        output.writer().flush();
    }

    /** Frames of all links that the kernel has dropped for want of room. */
    long drops() throws LinuxException {
        long sum = 0;
        for (final CapturedLink link : links) {
            sum += link.socket().drops();
        }
        return sum;
    }
}
