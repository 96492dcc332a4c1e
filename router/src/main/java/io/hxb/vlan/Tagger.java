package io.hxb.vlan;

import io.hxb.linux.LinuxException;

/**
 * Puts the tag of their path on the frames that leave a host, takes it off those that come in, and
 * counts both. Written by one thread, read by any. Peers have numbers from 1; 0 stands for all that
 * are not named: unknown hosts, and broadcasts.
 */
public interface Tagger extends AutoCloseable {
    /** The peer that stands for all that are not named. */
    int OTHERS = 0;

    /** The VID of frames without a tag. */
    int UNTAGGED = 0;

    /**
     * Names a peer. Frames to that address take the peer's path from then on.
     *
     * @param peer 1 to the number of peers that there is room for.
     * @param mac its address, first byte highest.
     */
    void name(int peer, long mac) throws LinuxException;

    /** Forgets an address: frames to it take the path of {@link #OTHERS}. */
    void forget(long mac) throws LinuxException;

    /**
     * Sets the VID of a peer; it holds after {@link #commit}.
     *
     * @param vid one of the plan, or {@link #UNTAGGED}.
     */
    void path(int peer, int vid);

    /** From the next frame on, all that {@link #path} has set since the last commit holds. */
    void commit();

    /** The VID of a peer that holds. */
    int vid(int peer);

    /** Bytes sent to a peer, Ethernet headers included. */
    long sentBytes(int peer);

    /** Frames sent to a peer, as many as a super-packet is cut into. */
    long sentFrames(int peer);

    /** What went over one VID of the plan; all 0 if it is none. */
    VidTraffic traffic(int vid);

    /** Frames go untagged again, and no tag is taken off. */
    @Override
    void close();

    /**
     * Bytes, Ethernet headers included, and frames of one VID.
     *
     * @param sentBytes sent, in bytes.
     * @param sentFrames sent.
     * @param receivedBytes received, in bytes.
     * @param receivedFrames received, where the kernel joined several they count as they were.
     */
    record VidTraffic(long sentBytes, long sentFrames, long receivedBytes, long receivedFrames) {
        static final VidTraffic NONE = new VidTraffic(0, 0, 0, 0);
    }
}
