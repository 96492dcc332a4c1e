package io.hxb.link;

/**
 * One NIC or socket of this node and the segment it is plugged into. Receiving, learning and
 * closing belong to the loop that owns the link; each loop sends through a {@link LinkSender} of
 * its own.
 */
public interface Link extends AutoCloseable {
    /** Bytes before every HXB header that belong to the link (an Ethernet header). */
    int HEADROOM_BYTES = 16;

    /** Neighbour number that stands for all nodes of the segment. */
    int BROADCAST = -1;

    /** Returned by {@link #receive} while the NIC is down or gone. */
    int DOWN = -1;

    /** Number of the link in its node, from 0. */
    int index();

    /** Its name for people: that of the NIC or the UDP address. */
    String name();

    /** Maximum bytes of HXB header and body in one frame. */
    int mtuBytes();

    /**
     * Maximum bytes of HXB header, body and trailer of a frame that its senders take. One that is
     * longer than {@link #mtuBytes()} crosses the wire in pieces and arrives whole.
     */
    default int maxFrameBytes() {
        return mtuBytes();
    }

    /** True while frames can pass: the NIC exists, is up and has a carrier. */
    boolean isUp();

    /** Number of descriptors to wait on; 0 for a simulated link. */
    int descriptorCount();

    /**
     * A descriptor that is readable when {@link #receive} with the same number has frames.
     *
     * @param source 0 to {@link #descriptorCount()} - 1.
     */
    int descriptor(int source);

    /**
     * True if the frames of a source lie in memory, so that {@link #receive} makes no system call
     * and is worth trying in every turn of a loop that does not sleep.
     *
     * @param source 0 to max(1, {@link #descriptorCount()}) - 1.
     */
    default boolean isInMemory(final int source) {
        return false;
    }

    /**
     * Hands at most {@code limitFrames} waiting frames of one source to {@code sink}. Never blocks,
     * never allocates.
     *
     * @param source 0 to max(1, {@link #descriptorCount()}) - 1.
     * @return frames handed over, 0 when none wait, or {@link #DOWN}.
     */
    int receive(int source, FrameSink sink, int limitFrames);

    /**
     * Makes a sender for one loop. Allocates; called at start.
     *
     * @param queueFrames frames it can hold back while the link is blocked, a power of two.
     */
    LinkSender newSender(int queueFrames);

    /** This side's link address: a MAC (48 bits) or IPv4 address and port (32 + 16 bits). */
    long localAddress();

    /**
     * Learns that frames to a neighbour go to a link address, as seen in a hello frame.
     *
     * @param neighbour coordinate of the neighbour in the link's dimension, 0 to 255.
     * @param address its link address, or 0 to forget it.
     */
    void learn(int neighbour, long address);

    /** The address learned for {@code neighbour}, 0 to 255; 0 if none. */
    long learned(int neighbour);

    /**
     * True if the cluster file allows a neighbour to have that link address: any on raw links, only
     * configured ones on UDP links.
     */
    default boolean mayHave(final int neighbour, final long address) {
        return address != 0;
    }

    /** A neighbour has not been heard for a long time: it may return with another address. */
    default void onSilent(final int neighbour) {}

    /**
     * Frames to a neighbour, or from it, do not arrive any more: what the link has found out about
     * the way there may not hold. Called under the lock of the health of links, by any loop.
     */
    default void onFailed(final int neighbour) {}

    /** A link address as text; a MAC address unless overridden. */
    default String format(final long address) {
        return String.format(
                "%02x:%02x:%02x:%02x:%02x:%02x",
                address >>> 40 & 255,
                address >>> 32 & 255,
                address >>> 24 & 255,
                address >>> 16 & 255,
                address >>> 8 & 255,
                address & 255);
    }

    /** Frames that the kernel or the wire dropped before they reached this node, since start. */
    long kernelDrops();

    /** How often frames had to wait in the kernel because the pool had no free buffer. */
    default long poolStarvations() {
        return 0;
    }

    /** Frames that were received in one piece; nothing unless overridden. */
    default TrainCounts trains() {
        return TrainCounts.NONE;
    }

    /** Long frames that were received as segments; nothing unless overridden. */
    default LongFrameCounts longFrames() {
        return LongFrameCounts.NONE;
    }

    /** Pool buffers that lie ready for frames, or hold frames not handed over yet; for reports. */
    default int heldBuffers() {
        return 0;
    }

    /**
     * Checks whether the NIC appeared, disappeared or changed, and reopens what has to be reopened.
     * Called a few times a second and on link events; may make system calls and allocate.
     *
     * @return true if {@link #isUp()}, a descriptor or the MTU has changed.
     */
    boolean refresh();

    /**
     * Puts back what the link has changed at its NIC; called by its loop before the link is closed
     * by another thread, which may have fewer rights.
     */
    default void stop() {}

    @Override
    void close();
}
