package io.hxb.vlan;

import io.hxb.linux.LinuxException;

/**
 * A {@link Tagger} whose frames are those of a NIC, which may go and come back. All of it is called
 * by one thread, in whose network namespace the NIC is.
 */
public interface NicTagger extends Tagger {
    /**
     * Tags the frames of a NIC, and no longer those of one before.
     *
     * @param ifindex number of the NIC.
     * @throws LinuxException if the kernel refuses; then it tags nothing.
     */
    void attach(int ifindex) throws LinuxException;

    /** The NIC has gone. */
    void onNicGone();

    /** Follows what has changed about the NIC; called a few times a second. */
    void follow() throws LinuxException;

    /** BPF programs of its own at the NIC's hooks. */
    int programCount();

    /** The virtual NIC that programs send through; null if it is the NIC itself. */
    String virtualNic();

    /** Frames that it did not send or let in since it was made, for one reason. */
    long drops(TagDrop reason);
}
