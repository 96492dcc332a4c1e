package io.hxb.os.bpf;

import io.hxb.linux.Descriptors;
import io.hxb.linux.LinuxException;
import io.hxb.linux.SharedMemory;

/**
 * Values that a BPF program and this process share as memory, all 0 at first. Any thread may call
 * it; its creator closes it, when nobody touches the memory any more. Source: linux/bpf.h,
 * BPF_MAP_TYPE_ARRAY with BPF_F_MMAPABLE.
 */
public final class BpfArray implements AutoCloseable {
    private static final int ALIGNMENT = 8;

    private final SharedMemory memory;
    private final int entries;
    private final int valueBytes;

    private BpfArray(final SharedMemory memory, final int entries, final int valueBytes) {
        this.memory = memory;
        this.entries = entries;
        this.valueBytes = valueBytes;
    }

    /**
     * Makes an array.
     *
     * @param entries values, 1 or more.
     * @param valueBytes bytes of each, a multiple of 8.
     * @throws LinuxException if the kernel refuses: EPERM without CAP_BPF.
     */
    public static BpfArray create(final int entries, final int valueBytes) throws LinuxException {
        if (entries < 1 || valueBytes < ALIGNMENT || valueBytes % ALIGNMENT != 0) {
            throw new IllegalArgumentException(
                    "entries must be 1 or more, valueBytes a multiple of "
                            + ALIGNMENT
                            + ": "
                            + entries
                            + ", "
                            + valueBytes);
        }
        final int descriptor =
                Bpf.createMap(Bpf.MAP_TYPE_ARRAY, Integer.BYTES, valueBytes, entries, Bpf.MAPPABLE);
        try {
            final SharedMemory memory =
                    SharedMemory.mapReadWrite(descriptor, (long) entries * valueBytes);
            return new BpfArray(memory, entries, valueBytes);
        } catch (final LinuxException e) {
            Descriptors.close(descriptor);
            throw e;
        }
    }

    /** Address of one value. */
    public long address(final int entry) {
        if (entry < 0 || entry >= entries) {
            throw new IllegalArgumentException("entry must be 0.." + (entries - 1) + ": " + entry);
        }
        return memory.address() + (long) entry * valueBytes;
    }

    int descriptor() {
        return memory.descriptor();
    }

    @Override
    public void close() {
        memory.close();
    }
}
