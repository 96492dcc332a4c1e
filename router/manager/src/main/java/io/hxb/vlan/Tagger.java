package io.hxb.vlan;

import io.hxb.linux.LinuxException;

/**
 * Puts the tag of their path on the frames that leave a host, removes it from those that come in,
 * and counts both. Other hosts have numbers from 0; {@link #OTHERS} stands for all that are not
 * named, and for broadcasts. Written by one thread, read by any.
 */
public interface Tagger extends AutoCloseable {
    /** The host that stands for all that are not named. */
    int OTHERS = -1;

    /** The VID of frames without a tag. */
    int UNTAGGED = 0;

    /**
     * Names a host: frames to its address take a path of their own from now on.
     *
     * @param host 0 or more; not named yet.
     * @param mac its address, first byte highest.
     * @param vid one of the plan, or {@link #UNTAGGED}.
     * @throws LinuxException if there is no room for it.
     */
    void name(int host, long mac, int vid) throws LinuxException;

    /** Forgets a host: frames to its address take the path of {@link #OTHERS}. */
    void forget(int host);

    /**
     * Sets the VID of a host that was named, or of {@link #OTHERS}; it holds after {@link #commit}.
     *
     * @param vid one of the plan, or {@link #UNTAGGED}.
     */
    void path(int host, int vid);

    /** From the next frame on, all that {@link #path} has set since the last commit holds. */
    void commit();

    /** The host of an address, first byte highest; {@link #OTHERS} if none has it. */
    int hostOf(long mac);

    /** The address of a host, first byte highest; 0 if it was not named. */
    long mac(int host);

    /** The VID of a host that holds. */
    int vid(int host);

    /** The VID of the last frame that came from a host; {@link #UNTAGGED} if none has come. */
    int heardVid(int host);

    /** Bytes sent to a host, Ethernet headers included. */
    long sentBytes(int host);

    /** Frames sent to a host, as many as super-packets are cut into. */
    long sentFrames(int host);

    /** What went over one VID of the plan; all 0 if it is not one. */
    VidTraffic traffic(int vid);

    /** Frames go untagged again, and no tag is taken off. */
    @Override
    void close();

    /**
     * Bytes, Ethernet headers included, and frames of one VID.
     *
     * @param sentBytes sent, in bytes.
     * @param sentFrames sent, as many as super-packets are cut into.
     * @param receivedBytes received, in bytes.
     * @param receivedFrames received, as many as the kernel has joined.
     */
    record VidTraffic(long sentBytes, long sentFrames, long receivedBytes, long receivedFrames) {
        static final VidTraffic NONE = new VidTraffic(0, 0, 0, 0);
    }
}
