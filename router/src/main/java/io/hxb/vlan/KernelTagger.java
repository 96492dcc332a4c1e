package io.hxb.vlan;

import io.hxb.fabric.vlan.VlanIds;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.bpf.BpfProgram;

import java.nio.file.Path;
import java.util.BitSet;

/**
 * Tags in the kernel: one BPF program at a NIC's egress, one at its ingress. They are in force
 * until they are closed or the process ends, however it ends; a change of a path is a store into
 * memory that the program shares.
 */
public final class KernelTagger implements Tagger {
    private static final short NO_NUMBER = 0;
    private static final int MAC_UNUSED_BITS = Short.SIZE;
    private static final int MAC_BITS = Long.SIZE - MAC_UNUSED_BITS;

    private final short[] numbers;
    private final TagTable table;
    private final BpfProgram egress;
    private final BpfProgram ingress;
    private final long[] macs;
    private final BitSet prepared = new BitSet();
    private boolean isOthersPrepared;
    private BpfProgram.Attachment atEgress;
    private BpfProgram.Attachment atIngress;

    private KernelTagger(
            final short[] numbers,
            final int maxHosts,
            final TagTable table,
            final BpfProgram egress,
            final BpfProgram ingress) {
        this.numbers = numbers;
        this.table = table;
        this.egress = egress;
        this.ingress = ingress;
        macs = new long[maxHosts];
    }

    /**
     * Loads the programs; they see no frames before {@link #attach}.
     *
     * @param plan the plan's VIDs, 1 to 4094, each once.
     * @param maxHosts hosts that there is room for, 1 to 65,536; each takes 44 bytes.
     * @throws LinuxException if the kernel refuses: it is older than {@link BpfProgram#KERNEL}, or
     *     CAP_BPF and CAP_NET_ADMIN are missing.
     */
    public static KernelTagger load(final int[] plan, final int maxHosts) throws LinuxException {
        final short[] numbers = new short[VlanIds.MAX_VID + 1];
        for (int number = 0; number < plan.length; number++) {
            final int vid = plan[number];
            if (vid < 1 || vid > VlanIds.MAX_VID || numbers[vid] != NO_NUMBER) {
                throw new IllegalArgumentException(
                        "a plan has VIDs from 1 to " + VlanIds.MAX_VID + ", each once: " + vid);
            }
            numbers[vid] = (short) (1 + number);
        }
        final TagTable table = TagTable.create(plan, maxHosts);
        BpfProgram egress = null;
        try {
            egress = BpfProgram.load(TagPrograms.egress(table), BpfProgram.Hook.EGRESS);
            final BpfProgram ingress =
                    BpfProgram.load(TagPrograms.ingress(table), BpfProgram.Hook.INGRESS);
            return new KernelTagger(numbers, maxHosts, table, egress, ingress);
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
        attach(ifindex, null);
    }

    /**
     * The same; the programs stay at the NIC when this is closed or the process ends. Those that an
     * earlier process has left there are replaced between two frames.
     *
     * @param pins folder in a BPF file system for the files {@code ingress} and {@code egress}, by
     *     which the programs stay until these are deleted; null if nothing is to stay.
     */
    public void attach(final int ifindex, final Path pins) throws LinuxException {
        detach();
        atIngress =
                pins == null
                        ? ingress.attach(ifindex)
                        : ingress.attach(ifindex, pins.resolve("ingress"));
        try {
            atEgress =
                    pins == null
                            ? egress.attach(ifindex)
                            : egress.attach(ifindex, pins.resolve("egress"));
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
    public void name(final int host, final long mac, final int vid) throws LinuxException {
        final int number = number(vid);
        final long inMemory = inMemory(mac);
        if (inMemory == 0 || macs[host] != 0 || table.find(inMemory) != 0) {
            throw new IllegalArgumentException("host " + host + " or its address is named already");
        }
        if (!table.add(inMemory, host, number)) {
            throw new LinuxException(
                    "naming a host, where there is room for " + macs.length, Errno.ENOSPC);
        }
        macs[host] = inMemory;
    }

    @Override
    public void forget(final int host) {
        if (macs[host] != 0) {
            table.remove(table.find(macs[host]));
            macs[host] = 0;
            prepared.clear(host);
        }
    }

    private long entry(final int host) {
        final long entry = host == OTHERS ? table.others() : table.find(macs[host]);
        if (entry == 0 || (host != OTHERS && macs[host] == 0)) {
            throw new IllegalArgumentException("host " + host + " has no name");
        }
        return entry;
    }

    private int number(final int vid) {
        if (vid == UNTAGGED) {
            return NO_NUMBER;
        }
        if (vid < 0 || vid >= numbers.length || numbers[vid] == NO_NUMBER) {
            throw new IllegalArgumentException("VID " + vid + " is not in the plan");
        }
        return numbers[vid];
    }

    @Override
    public void path(final int host, final int vid) {
        table.prepare(entry(host), number(vid));
        if (host == OTHERS) {
            isOthersPrepared = true;
        } else {
            prepared.set(host);
        }
    }

    @Override
    public void commit() {
        table.swap();
        // The path that held until now is updated, so that the next batch starts from what holds.
        for (int host = prepared.nextSetBit(0); host >= 0; host = prepared.nextSetBit(host + 1)) {
            table.settle(entry(host));
        }
        prepared.clear();
        if (isOthersPrepared) {
            table.settle(table.others());
            isOthersPrepared = false;
        }
    }

    /** The bytes of an address in the order of memory, and back. */
    private static long inMemory(final long mac) {
        return Long.reverseBytes(mac) >>> MAC_UNUSED_BITS;
    }

    @Override
    public int hostOf(final long mac) {
        final long entry = mac <= 0 || mac >>> MAC_BITS != 0 ? 0 : table.find(inMemory(mac));
        return entry == 0 ? OTHERS : Memory.getUnsignedShort(entry + TagTable.HOST_OFFSET);
    }

    @Override
    public long mac(final int host) {
        return inMemory(macs[host]);
    }

    @Override
    public int vid(final int host) {
        return table.vid(table.path(entry(host)));
    }

    @Override
    public int heardVid(final int host) {
        return table.vid(Memory.getUnsignedShort(entry(host) + TagTable.HEARD_OFFSET));
    }

    @Override
    public long sentBytes(final int host) {
        return Memory.getLongVolatile(entry(host) + TagTable.BYTES_OFFSET);
    }

    @Override
    public long sentFrames(final int host) {
        return Memory.getLongVolatile(entry(host) + TagTable.FRAMES_OFFSET);
    }

    @Override
    public VidTraffic traffic(final int vid) {
        if (vid <= 0 || vid >= numbers.length || numbers[vid] == NO_NUMBER) {
            return VidTraffic.NONE;
        }
        final int number = numbers[vid];
        return new VidTraffic(
                table.count(number, TagTable.SENT_BYTES_OFFSET),
                table.count(number, TagTable.SENT_FRAMES_OFFSET),
                table.count(number, TagTable.RECEIVED_BYTES_OFFSET),
                table.count(number, TagTable.RECEIVED_FRAMES_OFFSET));
    }

    @Override
    public void close() {
        detach();
        egress.close();
        ingress.close();
        table.close();
    }
}
