package io.hxb.vlan;

import io.hxb.fabric.vlan.VlanIds;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;

import java.util.Arrays;
import java.util.BitSet;

/** What all taggers have in common: paths and counts lie in a {@link TagTable}. */
abstract class TableTagger implements NicTagger {
    static final short NO_NUMBER = 0;

    private static final int MAC_UNUSED_BITS = Short.SIZE;
    private static final int MAC_BITS = Long.SIZE - MAC_UNUSED_BITS;

    private final short[] numbers;
    private final TagTable table;
    private final int maxHosts;
    private final BitSet prepared = new BitSet();
    private boolean isOthersPrepared;

    /**
     * A tagger that knows no host.
     *
     * @param numbers of the VIDs of the plan, see {@link #numbers(int[])}.
     * @param maxHosts hosts that there is room for.
     */
    TableTagger(final short[] numbers, final int maxHosts, final TagTable table) {
        this.numbers = numbers;
        this.table = table;
        this.maxHosts = maxHosts;
    }

    /**
     * The number of each VID of a plan up to the highest one, from 1; 0 for all others.
     *
     * @param plan the plan's VIDs, 1 to 4094, each once.
     */
    static short[] numbers(final int[] plan) {
        final int highest = Arrays.stream(plan).max().orElse(0);
        final short[] numbers = new short[1 + Math.clamp(highest, 0, VlanIds.MAX_VID)];
        for (int number = 0; number < plan.length; number++) {
            final int vid = plan[number];
            if (vid < 1 || vid > VlanIds.MAX_VID || numbers[vid] != NO_NUMBER) {
                throw new IllegalArgumentException(
                        "a plan has VIDs from 1 to " + VlanIds.MAX_VID + ", each once: " + vid);
            }
            numbers[vid] = (short) (1 + number);
        }
        return numbers;
    }

    @Override
    public final void name(final int host, final long mac, final int vid) throws LinuxException {
        final int number = number(vid);
        final long inMemory = inMemory(mac);
        if (inMemory == 0 || table.entryOf(host) != 0 || table.find(inMemory) != 0) {
            throw new IllegalArgumentException("host " + host + " or its address is named already");
        }
        if (!table.add(inMemory, host, number)) {
            throw new LinuxException(
                    "naming a host, where there is room for " + maxHosts, Errno.ENOSPC);
        }
    }

    @Override
    public final void forget(final int host) {
        final long entry = table.entryOf(host);
        if (entry != 0) {
            table.remove(entry);
            prepared.clear(host);
        }
    }

    private long entry(final int host) {
        final long entry = host == OTHERS ? table.others() : table.entryOf(host);
        if (entry == 0) {
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
    public final void path(final int host, final int vid) {
        table.prepare(entry(host), number(vid));
        if (host == OTHERS) {
            isOthersPrepared = true;
        } else {
            prepared.set(host);
        }
    }

    @Override
    public final void commit() {
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
    static long inMemory(final long mac) {
        return Long.reverseBytes(mac) >>> MAC_UNUSED_BITS;
    }

    @Override
    public final int hostOf(final long mac) {
        final long entry = mac <= 0 || mac >>> MAC_BITS != 0 ? 0 : table.find(inMemory(mac));
        return entry == 0 ? OTHERS : Memory.getUnsignedShort(entry + TagTable.HOST_OFFSET);
    }

    @Override
    public final long mac(final int host) {
        final long entry = table.entryOf(host);
        return entry == 0 ? 0 : inMemory(Memory.getLong(entry + TagTable.MAC_OFFSET));
    }

    @Override
    public final int vid(final int host) {
        return table.vid(table.path(entry(host)));
    }

    @Override
    public final int heardVid(final int host) {
        return table.vid(Memory.getUnsignedShort(entry(host) + TagTable.HEARD_OFFSET));
    }

    @Override
    public final long sentBytes(final int host) {
        return Memory.getLongVolatile(table.countsOf(entry(host)) + TagTable.BYTES_OFFSET);
    }

    @Override
    public final long sentFrames(final int host) {
        return Memory.getLongVolatile(table.countsOf(entry(host)) + TagTable.FRAMES_OFFSET);
    }

    @Override
    public final VidTraffic traffic(final int vid) {
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
}
