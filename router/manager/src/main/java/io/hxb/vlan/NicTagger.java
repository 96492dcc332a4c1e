package io.hxb.vlan;

import io.hxb.linux.LinuxException;

/**
 * A {@link Tagger} whose frames are those of one NIC, or of several, which may go and come back.
 * NICs have numbers from 0. All of it is called by one thread, in whose network namespace they are.
 */
public interface NicTagger extends Tagger {
    /**
     * Tags the frames of a NIC, and no longer those of one that had its number before.
     *
     * @param nic its number here.
     * @param ifindex its number in the kernel.
     * @throws LinuxException if the kernel refuses; then it tags nothing of it.
     */
    void attach(int nic, int ifindex) throws LinuxException;

    /** A NIC has gone. */
    void onNicGone(int nic);

    /** Follows what has changed about the NICs; called a few times a second. */
    void follow() throws LinuxException;

    /** BPF programs of its own at each NIC's hooks. */
    int programCount();

    /** The virtual NIC that programs send through; null if it is the NIC itself. */
    String virtualNic();

    /** Frames that it did not send or let in since it was made, for one reason. */
    long drops(TagDrop reason);
}
