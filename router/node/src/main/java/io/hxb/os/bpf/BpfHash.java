package io.hxb.os.bpf;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;

/**
 * A map of longs to longs that BPF programs look up. Any thread may call it; its creator closes it.
 * Source: linux/bpf.h, BPF_MAP_TYPE_HASH.
 */
public final class BpfHash implements AutoCloseable {
    private final int descriptor;
    private boolean isClosed;

    private BpfHash(final int descriptor) {
        this.descriptor = descriptor;
    }

    /**
     * Makes an empty map.
     *
     * @param entries most that it holds, 1 or more.
     * @throws LinuxException if the kernel refuses: EPERM without CAP_BPF.
     */
    public static BpfHash create(final int entries) throws LinuxException {
        return new BpfHash(Bpf.createMap(Bpf.MAP_TYPE_HASH, Long.BYTES, Long.BYTES, entries, 0));
    }

    /** Maps a key to a value, whatever it was mapped to before. */
    public void put(final long key, final long value) throws LinuxException {
        Bpf.put(descriptor, key, value);
    }

    /** Forgets a key; nothing if it is not there. */
    public void remove(final long key) throws LinuxException {
        try {
            Bpf.remove(descriptor, key);
        } catch (final LinuxException e) {
            if (e.errno() != Errno.ENOENT) {
                throw e;
            }
        }
    }

    int descriptor() {
        return descriptor;
    }

    @Override
    public synchronized void close() {
        if (!isClosed) {
            isClosed = true;
            Descriptors.close(descriptor);
        }
    }
}
