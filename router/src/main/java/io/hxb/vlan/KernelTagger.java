package io.hxb.vlan;

import io.hxb.fabric.vlan.VlanIds;
import io.hxb.linux.LinuxException;
import io.hxb.os.bpf.BpfProgram;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Tags in the kernel: one BPF program at a NIC's egress, one at its ingress. They are in force
 * until they are closed or the process ends, however it ends; a change of a path is a store into
 * memory that the program shares.
 */
public final class KernelTagger implements Tagger {
    private static final short NO_NUMBER = -1;

    private final short[] numbers;
    private final TagTable table;
    private final BpfProgram egress;
    private final BpfProgram ingress;
    private final int[] vids;
    private final BitSet prepared = new BitSet();
    private BpfProgram.Attachment atEgress;
    private BpfProgram.Attachment atIngress;

    private KernelTagger(
            final short[] numbers,
            final int maxPeers,
            final TagTable table,
            final BpfProgram egress,
            final BpfProgram ingress) {
        this.numbers = numbers;
        this.table = table;
        this.egress = egress;
        this.ingress = ingress;
        vids = new int[1 + maxPeers];
    }

    /**
     * Loads the programs; they see no frames before {@link #attach}.
     *
     * @param plan the plan's VIDs, 1 to 4094, each once.
     * @param maxPeers peers that there is room for, 1 or more; each takes 24 bytes of the kernel's
     *     memory and about 60 of its hash table.
     * @throws LinuxException if the kernel refuses: older than {@link BpfProgram#KERNEL}, or no
     *     CAP_BPF and CAP_NET_ADMIN.
     */
    public static KernelTagger load(final int[] plan, final int maxPeers) throws LinuxException {
        final short[] numbers = new short[VlanIds.MAX_VID + 1];
        Arrays.fill(numbers, NO_NUMBER);
        for (int number = 0; number < plan.length; number++) {
            final int vid = plan[number];
            if (vid < 1 || vid > VlanIds.MAX_VID || numbers[vid] != NO_NUMBER) {
                throw new IllegalArgumentException(
                        "a plan has VIDs from 1 to " + VlanIds.MAX_VID + ", each once: " + vid);
            }
            numbers[vid] = (short) number;
        }
        final TagTable table = TagTable.create(plan, maxPeers);
        BpfProgram egress = null;
        try {
            egress = BpfProgram.load(TagPrograms.egress(table), BpfProgram.Hook.EGRESS);
            final BpfProgram ingress =
                    BpfProgram.load(TagPrograms.ingress(table), BpfProgram.Hook.INGRESS);
            return new KernelTagger(numbers, maxPeers, table, egress, ingress);
        } catch (final LinuxException e) {
            if (egress != null) {
                egress.close();
            }
            table.close();
            throw e;
        }
    }

    /**
     * Lets the programs see the frames of a NIC of this thread's network namespace, and no longer
     * those of one they saw before. Frames that come in are untagged first, so that no tagged frame
     * is sent to a peer whose answer would not be understood.
     *
     * @param ifindex number of the NIC.
     */
    public void attach(final int ifindex) throws LinuxException {
        detach();
        atIngress = ingress.attach(ifindex);
        try {
            atEgress = egress.attach(ifindex);
        } catch (final LinuxException e) {
            detach();
            throw e;
        }
    }

    private void detach() {
        if (atEgress != null) {
            atEgress.close();
            atEgress = null;
        }
        if (atIngress != null) {
            atIngress.close();
            atIngress = null;
        }
    }

    @Override
    public void name(final int peer, final long mac) throws LinuxException {
        if (peer < 1 || peer >= vids.length) {
            throw new IllegalArgumentException(
                    "peers have numbers from 1 to " + (vids.length - 1) + ": " + peer);
        }
        table.name(peer, mac);
    }

    @Override
    public void forget(final long mac) throws LinuxException {
        table.forget(mac);
    }

    @Override
    public void path(final int peer, final int vid) {
        final int number = number(vid);
        if (number < 0 && vid != UNTAGGED) {
            throw new IllegalArgumentException("VID " + vid + " is not in the plan");
        }
        vids[peer] = vid;
        prepared.set(peer);
        prepare(peer);
    }

    private void prepare(final int peer) {
        final int vid = vids[peer];
        table.prepare(peer, vid == UNTAGGED ? 0 : TagTable.path(number(vid), vid));
    }

    private int number(final int vid) {
        return vid >= 0 && vid < numbers.length ? numbers[vid] : NO_NUMBER;
    }

    @Override
    public void commit() {
        table.swap();
        // The paths that held until now get what holds, so that the next batch starts from it.
        for (int peer = prepared.nextSetBit(0); peer >= 0; peer = prepared.nextSetBit(peer + 1)) {
            prepare(peer);
        }
        prepared.clear();
    }

    @Override
    public int vid(final int peer) {
        return table.vid(peer);
    }

    @Override
    public long sentBytes(final int peer) {
        return table.peerCount(peer, TagTable.PEER_BYTES_OFFSET);
    }

    @Override
    public long sentFrames(final int peer) {
        return table.peerCount(peer, TagTable.PEER_FRAMES_OFFSET);
    }

    @Override
    public VidTraffic traffic(final int vid) {
        final int number = number(vid);
        return number < 0
                ? VidTraffic.NONE
                : new VidTraffic(
                        table.vidCount(number, TagTable.SENT_BYTES_OFFSET),
                        table.vidCount(number, TagTable.SENT_FRAMES_OFFSET),
                        table.vidCount(number, TagTable.RECEIVED_BYTES_OFFSET),
                        table.vidCount(number, TagTable.RECEIVED_FRAMES_OFFSET));
    }

    @Override
    public void close() {
        detach();
        egress.close();
        ingress.close();
        table.close();
    }
}
