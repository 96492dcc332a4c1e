package io.hxb.link;

/**
 * The sizes of the frames that a sender has handed to the kernel last, to tell from the bytes that
 * wait how many frames these may be. Owned by the sender.
 */
public final class SentSizes {
    private static final int MEMORY = 1_024;

    private final long[] sums = new long[MEMORY];
    private long count;
    private long sum;

    /**
     * A frame was handed over.
     *
     * @param bytes for which the kernel accounts at least.
     */
    public void add(final int bytes) {
        sum += bytes;
        count++;
        sums[(int) count & MEMORY - 1] = sum;
    }

    /**
     * The maximum number of frames that wait, the last ones, if so many bytes do.
     *
     * @return 0 to {@value #MEMORY} - 1.
     */
    public int framesOf(final long unsentBytes) {
        if (unsentBytes <= 0) {
            return 0;
        }
        int min = 0;
        int max = (int) Math.min(count, MEMORY - 1);
        while (min < max) {
            final int middle = (min + max) >>> 1;
            if (sum - sums[(int) (count - middle) & MEMORY - 1] >= unsentBytes) {
                max = middle;
            } else {
                min = middle + 1;
            }
        }
        return min;
    }
}
