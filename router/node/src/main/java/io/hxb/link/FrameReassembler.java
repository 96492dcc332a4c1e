package io.hxb.link;

import io.hxb.linux.Memory;

import java.util.Arrays;

/**
 * Joins the ranges of long frames in pool buffers: fragments cut by HXB, or segments cut by kernel
 * or NIC. Ranges arrive in any order. Owned by one loop; allocates only in the constructor.
 *
 * <p>A long frame is known by its source and number. What the constructor is given bounds the
 * frames that are incomplete at one time, those of one source, and their age; {@value #MAX_SPANS}
 * bounds the pieces that one of them consists of. At its bound a source gives up the oldest frame
 * of its own; when all places are taken, the ranges of new frames are refused. So no source
 * displaces what another has sent.
 *
 * <p>A range is dropped and counted as doubled if all of its bytes have arrived before, as
 * contradicting if some of them have, if it does not lie within the frame, or if the frame has
 * another length than in its other ranges, and as late if its frame was completed or given up
 * recently. In each case the frame that it claims to belong to stays as it is.
 */
public final class FrameReassembler implements AutoCloseable {
    /** Pieces without a gap, of which an incomplete frame may have this many. */
    public static final int MAX_SPANS = 64;

    /** What became of a range: it is part of its frame now, */
    public static final int TAKEN = 0;

    /** or dropped, since all of it had arrived before, */
    public static final int DOUBLED = 1;

    /** or dropped, since it contradicts itself or others of its frame, */
    public static final int CONTRADICTING = 2;

    /** or dropped, since its frame was completed or given up before, */
    public static final int LATE = 3;

    /** or dropped for want of a place, a buffer or a span. */
    public static final int REFUSED = 4;

    /** Requests for the missing ranges of one frame at most. */
    public static final int MAX_REQUESTS = 4;

    private static final int NONE = IncompleteFrames.NONE;
    private static final int MAX_FRAMES = 1 << 12;

    private final BufferPool.Share share;
    private final BufferPool pool;
    private final int maxFramesPerSource;
    private final long timeoutNs;

    // Of each place: the frame, its buffer, and the bytes that have arrived.
    private final long[] sources;
    private final long[] numbers;
    private final int[] frameBytes;
    private final int[] buffers;
    private final int[] receivedBytes;
    private final FrameSpans spans;

    // Places of the sources of one bucket, the newest first; free places are chained, too.
    private final int[] buckets;
    private final int[] following;
    private final int bucketShift;
    private final IncompleteFrames incomplete;
    private int firstFree;
    // The place of the range that arrived last.
    private int last = NONE;

    private final RecentFrames recent;
    private final ReassemblyCounts counts = new ReassemblyCounts();
    private int answer;
    private int begunBuffer = BufferPool.NONE;
    private int missingPlace = NONE;

    /**
     * Makes a reassembler without frames.
     *
     * @param share of the pool in which frames are joined.
     * @param maxFrames incomplete frames at one time, 1 to 4,096: so many buffers may be held.
     * @param maxFramesPerSource of one source, 1 to {@code maxFrames}.
     * @param timeoutNs after which {@link #expire} gives up an incomplete frame, 1 or more.
     */
    public FrameReassembler(
            final BufferPool.Share share,
            final int maxFrames,
            final int maxFramesPerSource,
            final long timeoutNs) {
        check("maxFrames", maxFrames, MAX_FRAMES);
        check("maxFramesPerSource", maxFramesPerSource, maxFrames);
        check("timeoutNs", timeoutNs, Long.MAX_VALUE);
        this.share = share;
        pool = share.pool();
        this.maxFramesPerSource = maxFramesPerSource;
        this.timeoutNs = timeoutNs;
        sources = new long[maxFrames];
        numbers = new long[maxFrames];
        frameBytes = new int[maxFrames];
        buffers = new int[maxFrames];
        receivedBytes = new int[maxFrames];
        spans = new FrameSpans(maxFrames);
        following = new int[maxFrames];
        incomplete = new IncompleteFrames(maxFrames);
        for (int place = 0; place < maxFrames; place++) {
            following[place] = place + 1 < maxFrames ? place + 1 : NONE;
        }
        final int bucketBits = RecentFrames.bits(2 * maxFrames);
        buckets = new int[1 << bucketBits];
        Arrays.fill(buckets, NONE);
        bucketShift = Long.SIZE - bucketBits;
        recent = new RecentFrames(4 * maxFrames, timeoutNs);
    }

    private static void check(final String name, final long value, final long max) {
        if (value < 1 || value > max) {
            throw new IllegalArgumentException(name + " must be 1.." + max + ": " + value);
        }
    }

    /**
     * Lets {@link #missing} find frames of which ranges seem to be lost.
     *
     * @param itsQuietNs time without a range before the first request; doubled with each request.
     */
    public void requestMissing(final long itsQuietNs) {
        check("quietNs", itsQuietNs, Long.MAX_VALUE >> MAX_REQUESTS);
        incomplete.requestMissing(itsQuietNs);
    }

    /**
     * Takes a range that lies anywhere, by a copy.
     *
     * @param source any number that identifies the source; it has to be as trustworthy as one
     *     source must not harm another.
     * @param frameNumber number of the frame at its source.
     * @param itsFrameBytes length of the frame.
     * @param offset of the range in the frame.
     * @param address first byte of the range.
     * @param lengthBytes of the range.
     * @param nowNs current time.
     * @return the buffer with the whole frame, which belongs to the caller now, or {@link
     *     BufferPool#NONE} while bytes are missing or if the range was dropped.
     */
    public int onRange(
            final long source,
            final long frameNumber,
            final int itsFrameBytes,
            final int offset,
            final long address,
            final int lengthBytes,
            final long nowNs) {
        begunBuffer = BufferPool.NONE;
        final int known = find(source, frameNumber);
        if (!isWithin(known, itsFrameBytes, offset, lengthBytes)) {
            onAnswer(CONTRADICTING);
            return BufferPool.NONE;
        }
        final int place =
                known == NONE
                        ? begin(source, frameNumber, itsFrameBytes, BufferPool.NONE, nowNs)
                        : known;
        return place == NONE ? BufferPool.NONE : copy(place, offset, address, lengthBytes, nowNs);
    }

    /**
     * Takes a range that lies at the header address of a pool buffer, and the buffer.
     *
     * @param bufferId a buffer of the share. The first range of a frame stays in its buffer, others
     *     are copied.
     * @return as {@link #onRange}, like the other arguments.
     */
    public int onBuffer(
            final long source,
            final long frameNumber,
            final int itsFrameBytes,
            final int offset,
            final int bufferId,
            final int lengthBytes,
            final long nowNs) {
        return onBuffer(
                source,
                frameNumber,
                itsFrameBytes,
                offset,
                bufferId,
                pool.headerAddress(bufferId),
                lengthBytes,
                nowNs);
    }

    /**
     * Takes a range that lies in a pool buffer, and the buffer.
     *
     * @param bufferId a buffer of the share. The first range of a frame stays in its buffer, where
     *     it is moved to its offset; others are copied.
     * @param address first byte of the range, in the buffer.
     * @return as {@link #onRange}, like the other arguments.
     */
    public int onBuffer(
            final long source,
            final long frameNumber,
            final int itsFrameBytes,
            final int offset,
            final int bufferId,
            final long address,
            final int lengthBytes,
            final long nowNs) {
        begunBuffer = BufferPool.NONE;
        final int place = find(source, frameNumber);
        if (!isWithin(place, itsFrameBytes, offset, lengthBytes)) {
            onAnswer(CONTRADICTING);
        } else if (place != NONE) {
            final int whole = copy(place, offset, address, lengthBytes, nowNs);
            share.release(bufferId);
            return whole;
        } else {
            final int begun = begin(source, frameNumber, itsFrameBytes, bufferId, nowNs);
            if (begun != NONE) {
                return copy(begun, offset, address, lengthBytes, nowNs);
            }
        }
        share.release(bufferId);
        return BufferPool.NONE;
    }

    private boolean isWithin(
            final int place, final int itsFrameBytes, final int offset, final int lengthBytes) {
        return offset >= 0
                && lengthBytes > 0
                && lengthBytes <= itsFrameBytes
                && offset <= itsFrameBytes - lengthBytes
                && (place == NONE
                        ? itsFrameBytes <= pool.frameBytes()
                        : itsFrameBytes == frameBytes[place]);
    }

    private int find(final long source, final long frameNumber) {
        if (last != NONE && isOf(last, source, frameNumber)) {
            return last;
        }
        int place = buckets[bucket(source)];
        while (place != NONE && !isOf(place, source, frameNumber)) {
            place = following[place];
        }
        last = place;
        return place;
    }

    private boolean isOf(final int place, final long source, final long frameNumber) {
        return numbers[place] == frameNumber && sources[place] == source;
    }

    private int bucket(final long source) {
        return (int) ((source * RecentFrames.MULTIPLIER) >>> bucketShift);
    }

    /** A place for a new frame, or NONE, which was counted. */
    private int begin(
            final long source,
            final long frameNumber,
            final int itsFrameBytes,
            final int bufferId,
            final long nowNs) {
        if (recent.has(source, frameNumber, nowNs)) {
            onAnswer(LATE);
            return NONE;
        }
        limit(source, nowNs);
        final int place = firstFree;
        int buffer = bufferId;
        if (place != NONE && buffer == BufferPool.NONE) {
            buffer = share.acquire();
        }
        if (place == NONE || buffer == BufferPool.NONE) {
            onAnswer(REFUSED);
            return NONE;
        }
        firstFree = following[place];
        sources[place] = source;
        numbers[place] = frameNumber;
        frameBytes[place] = itsFrameBytes;
        buffers[place] = buffer;
        receivedBytes[place] = 0;
        begunBuffer = buffer;
        spans.clear(place);
        enter(place, nowNs);
        return place;
    }

    private void enter(final int place, final long nowNs) {
        final int bucket = bucket(sources[place]);
        following[place] = buckets[bucket];
        buckets[bucket] = place;
        incomplete.add(place, nowNs);
        last = place;
    }

    // A source that has all its frames gives up the oldest, which is the last of them in its
    // bucket.
    private void limit(final long source, final long nowNs) {
        int count = 0;
        int oldestOfSource = NONE;
        for (int place = buckets[bucket(source)]; place != NONE; place = following[place]) {
            if (sources[place] == source) {
                count++;
                oldestOfSource = place;
            }
        }
        if (count >= maxFramesPerSource) {
            counts.onDisplaced();
            giveUp(oldestOfSource, nowNs);
        }
    }

    private int copy(
            final int place,
            final int offset,
            final long address,
            final int lengthBytes,
            final long nowNs) {
        if (onAnswer(spans.add(place, offset, offset + lengthBytes)) != TAKEN) {
            return BufferPool.NONE;
        }
        final int id = buffers[place];
        final long target = pool.headerAddress(id) + offset;
        if (target != address) {
            Memory.copy(address, target, lengthBytes);
        }
        receivedBytes[place] += lengthBytes;
        incomplete.onRange(place, nowNs);
        if (receivedBytes[place] < frameBytes[place]) {
            return BufferPool.NONE;
        }
        counts.onFrame();
        begunBuffer = BufferPool.NONE;
        requestOlder(place, nowNs);
        end(place, nowNs);
        return id;
    }

    private void requestOlder(final int complete, final long nowNs) {
        for (int place = following[complete]; place != NONE; place = following[place]) {
            if (sources[place] == sources[complete]) {
                incomplete.onComplete(place, complete, nowNs);
            }
        }
    }

    private int onAnswer(final int itsAnswer) {
        counts.onRange(itsAnswer);
        answer = itsAnswer;
        return itsAnswer;
    }

    private void giveUp(final int place, final long nowNs) {
        final int id = buffers[place];
        end(place, nowNs);
        share.release(id);
    }

    // Its ranges that still arrive must not begin it again.
    private void end(final int place, final long nowNs) {
        recent.add(sources[place], numbers[place], nowNs);
        free(place);
    }

    private void free(final int place) {
        final int bucket = bucket(sources[place]);
        if (buckets[bucket] == place) {
            buckets[bucket] = following[place];
        } else {
            int before = buckets[bucket];
            while (following[before] != place) {
                before = following[before];
            }
            following[before] = following[place];
        }
        incomplete.remove(place);
        following[place] = firstFree;
        firstFree = place;
        last = NONE;
    }

    /**
     * Gives up the frames of which the first range arrived longer than the timeout ago.
     *
     * @return how many; their buffers are free again.
     */
    public int expire(final long nowNs) {
        int count = 0;
        while (incomplete.isOldestPast(timeoutNs, nowNs)) {
            giveUp(incomplete.oldest(), nowNs);
            count++;
        }
        counts.onExpired(count);
        return count;
    }

    /**
     * Finds an incomplete frame of which ranges seem to be lost: none has arrived for a while, or a
     * later frame of its source is complete. Each frame is returned at most {@link #MAX_REQUESTS}
     * times, with exponential backoff.
     *
     * @return its buffer, which remains this object's; or {@link BufferPool#NONE}.
     */
    public int missing(final long nowNs) {
        missingPlace = incomplete.missing(nowNs);
        return missingPlace == NONE ? BufferPool.NONE : buffers[missingPlace];
    }

    /** Number of the frame that {@link #missing} has found, as its ranges named it. */
    public long missingNumber() {
        return numbers[missingPlace];
    }

    /** Bytes of that frame when it is whole. */
    public int missingFrameBytes() {
        return frameBytes[missingPlace];
    }

    /** True if its missing ranges are probably lost, not only late. */
    public boolean isMissingStuck() {
        return incomplete.isStuck(missingPlace);
    }

    /** Gives it up. */
    public void giveUpMissing(final long nowNs) {
        giveUp(missingPlace, nowNs);
    }

    /** Its ranges that have arrived, 1 or more. */
    public int arrived() {
        return spans.count(missingPlace);
    }

    /** Offset of one of these ranges. */
    public int arrivedOffset(final int index) {
        return spans.start(missingPlace, index);
    }

    /** Bytes of one of these ranges. */
    public int arrivedBytes(final int index) {
        return spans.end(missingPlace, index) - spans.start(missingPlace, index);
    }

    /** Ranges that are missing in the frame that {@link #missing} has found, 1 or more. */
    public int gaps() {
        final int count = spans.count(missingPlace);
        final int inner = spans.start(missingPlace, 0) == 0 ? count - 1 : count;
        return spans.end(missingPlace, count - 1) == frameBytes[missingPlace] ? inner : inner + 1;
    }

    /** Offset of one of these ranges. */
    public int gapOffset(final int index) {
        final boolean isFirst = spans.start(missingPlace, 0) > 0;
        final int before = isFirst ? index - 1 : index;
        return before < 0 ? 0 : spans.end(missingPlace, before);
    }

    /** Bytes of one of these ranges. */
    public int gapBytes(final int index) {
        final int next = spans.start(missingPlace, 0) > 0 ? index : index + 1;
        final int end =
                next < spans.count(missingPlace)
                        ? spans.start(missingPlace, next)
                        : frameBytes[missingPlace];
        return end - gapOffset(index);
    }

    /**
     * The latest time for the next {@link #missing} and {@link #expire}; Long.MAX_VALUE if no frame
     * is incomplete.
     */
    public long nextDeadlineNs() {
        return incomplete.nextDeadlineNs(timeoutNs);
    }

    /**
     * The buffer of the frame that the last range has begun, or {@link BufferPool#NONE} if its
     * frame was known, is whole, or the range was dropped.
     */
    public int begunBuffer() {
        return begunBuffer;
    }

    /** Gives the buffers of all incomplete frames back. */
    @Override
    public void close() {
        while (incomplete.oldest() != NONE) {
            final int place = incomplete.oldest();
            final int id = buffers[place];
            free(place);
            share.release(id);
        }
    }

    /**
     * What became of the range that arrived last: {@link #TAKEN}, {@link #DOUBLED}, {@link
     * #CONTRADICTING}, {@link #LATE} or {@link #REFUSED}.
     */
    public int answer() {
        return answer;
    }

    /** Frames that are incomplete now, each of which holds a buffer. */
    public int openFrames() {
        return incomplete.count();
    }

    /** What has happened since start. */
    public ReassemblyCounts counts() {
        return counts;
    }
}
