package io.hxb.tool.capture;

import io.hxb.linux.LinuxException;

import org.agrona.concurrent.EpochNanoClock;
import org.agrona.concurrent.SystemEpochNanoClock;

import java.io.IOException;
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
    private final EpochNanoClock clock = new SystemEpochNanoClock();
    private long writtenFrames;
    // Volatile because a signal handler's thread sets it.
    private volatile boolean isStopped;

    /**
     * Makes one.
     *
     * @param filter null for all frames.
     * @param maxFrames after which it ends; 0 for never.
     */
    CaptureRun(
            final List<CapturedLink> links,
            final CaptureOutput output,
            final Predicate<FrameView> filter,
            final long maxFrames) {
        this.links = links;
        this.output = output;
        this.filter = filter;
        this.maxFrames = maxFrames;
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
        output.writer()
                .writeFrame(
                        number,
                        link.socket().timeNs(),
                        link.isSent(),
                        link.socket().tci(),
                        link.socket().frameAddress(),
                        link.socket().capturedBytes(),
                        link.socket().originalBytes());
        link.onWritten();
        writtenFrames++;
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
