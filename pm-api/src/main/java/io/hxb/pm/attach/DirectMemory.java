package io.hxb.pm.attach;

import io.hxb.linux.AddressRange;
import io.hxb.linux.Descriptors;
import io.hxb.linux.LinuxException;
import io.hxb.linux.MemoryFile;
import io.hxb.pm.shm.DirectPage;

/**
 * The memory of a DirectRing as one of its ends has it mapped, and the descriptor that wakes the
 * other end. Owned by the thread of a context.
 */
public final class DirectMemory implements AutoCloseable {
    /** Mappings of the records, one after the other. */
    private static final int COPIES = 2;

    /** Bytes from the page to the records, which begin a page of the kernel's. */
    private static final int ROOM_BYTES = (int) AddressRange.pages(DirectPage.LENGTH_BYTES);

    private final AddressRange range;
    private final int capacityBytes;
    private int peerSignal = -1;
    private long number;

    private DirectMemory(final AddressRange range, final int capacityBytes) {
        this.range = range;
        this.capacityBytes = capacityBytes;
    }

    /**
     * Makes the memory of a ring, for its sender.
     *
     * @param capacityBytes bytes of records, a power of two of a page or more.
     * @param descriptors {@code [2]}, filled with those of the records and of the page, which the
     *     caller passes to the node and closes.
     * @throws LinuxException if there is not that much memory.
     */
    public static DirectMemory make(final int capacityBytes, final int[] descriptors)
            throws LinuxException {
        descriptors[0] = MemoryFile.create("hxb-direct", capacityBytes);
        try {
            descriptors[1] = MemoryFile.create("hxb-direct-page", DirectPage.LENGTH_BYTES);
        } catch (final LinuxException e) {
            Descriptors.close(descriptors[0]);
            throw e;
        }
        try {
            return map(capacityBytes, descriptors[0], descriptors[1], true);
        } catch (final LinuxException e) {
            Descriptors.close(descriptors[0]);
            Descriptors.close(descriptors[1]);
            throw e;
        }
    }

    /**
     * Maps the memory of a ring, for its receiver.
     *
     * @param capacityBytes bytes of records, of which the node has checked that they are there.
     * @param records descriptor of the records, which the caller closes.
     * @param page descriptor of the page, likewise.
     * @param signal by which the sender is woken; closed with this object, or by the caller if the
     *     memory cannot be mapped.
     */
    public static DirectMemory map(
            final int capacityBytes, final int records, final int page, final int signal)
            throws LinuxException {
        return map(capacityBytes, records, page, false).peerSignal(signal);
    }

    private static DirectMemory map(
            final int capacityBytes, final int records, final int page, final boolean isSender)
            throws LinuxException {
        final long length = ROOM_BYTES + (long) COPIES * capacityBytes;
        final AddressRange range = AddressRange.reserve(length);
        try {
            range.mapShared(0, ROOM_BYTES, page, true);
            for (int i = 0; i < COPIES; i++) {
                final long offset = ROOM_BYTES + (long) i * capacityBytes;
                range.mapShared(offset, capacityBytes, records, isSender);
            }
            return new DirectMemory(range, capacityBytes);
        } catch (final LinuxException e) {
            range.close();
            throw e;
        }
    }

    /** Sets the descriptor by which the other end is woken, which is closed with this object. */
    public DirectMemory peerSignal(final int signal) {
        peerSignal = signal;
        return this;
    }

    /** Sets the number that the ring has with the node. */
    public DirectMemory number(final long ring) {
        number = ring;
        return this;
    }

    /** Number that the ring has with the node. */
    public long number() {
        return number;
    }

    /** Descriptor by which the other end is woken, see SignalSocket. */
    public int peerSignal() {
        return peerSignal;
    }

    /** Address of the {@link DirectPage}. */
    public long pageAddress() {
        return range.address();
    }

    /** Address of the first of the two mappings of the records. */
    public long recordsAddress() {
        return range.address() + ROOM_BYTES;
    }

    /** Bytes of one of them. */
    public int capacityBytes() {
        return capacityBytes;
    }

    /** Unmaps the memory, which must not be used any more. */
    @Override
    public void close() {
        range.close();
        if (peerSignal >= 0) {
            Descriptors.close(peerSignal);
            peerSignal = -1;
        }
    }
}
