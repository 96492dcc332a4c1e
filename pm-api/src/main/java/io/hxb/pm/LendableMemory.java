package io.hxb.pm;

import io.hxb.linux.AddressRange;
import io.hxb.linux.Descriptors;
import io.hxb.linux.LinuxException;
import io.hxb.linux.MemoryFile;
import io.hxb.pm.attach.AttachMessage;

/**
 * Memory of this process that it lends its node: files in memory, one after the other, that are
 * made and mapped a few at a time, so that only a few descriptors are open at any time. Owned by
 * the attachment.
 */
final class LendableMemory implements AutoCloseable {
    private final int id;
    private final String name;
    private final AddressRange range;
    private final long lengthBytes;
    private long filledBytes;

    /**
     * Reserves the addresses.
     *
     * @param id by which the node knows it.
     * @param name shown in /proc.
     * @param lengthBytes 1 or more.
     */
    LendableMemory(final int id, final String name, final long lengthBytes) throws LinuxException {
        this.id = id;
        this.name = name;
        this.lengthBytes = lengthBytes;
        range = AddressRange.reserve(lengthBytes);
    }

    int id() {
        return id;
    }

    long address() {
        return range.address();
    }

    long lengthBytes() {
        return lengthBytes;
    }

    /** True if there are pieces left to be made. */
    boolean isIncomplete() {
        return filledBytes < range.lengthBytes();
    }

    /**
     * Makes the next pieces and maps them.
     *
     * @param max number of them, 1 or more.
     * @return their descriptors, which the caller passes to the node and closes.
     */
    int[] nextPieces(final int max) throws LinuxException {
        final long leftBytes = range.lengthBytes() - filledBytes;
        final long pieces = (leftBytes + AttachMessage.PIECE_BYTES - 1) / AttachMessage.PIECE_BYTES;
        final int[] made = new int[(int) Math.min(max, pieces)];
        int count = 0;
        try {
            while (count < made.length) {
                final long bytes =
                        Math.min(AttachMessage.PIECE_BYTES, range.lengthBytes() - filledBytes);
                made[count] = MemoryFile.create(name, bytes);
                count++;
                range.mapShared(filledBytes, bytes, made[count - 1], true);
                filledBytes += bytes;
            }
            return made;
        } catch (final LinuxException e) {
            for (int i = 0; i < count; i++) {
                Descriptors.close(made[i]);
            }
            throw e;
        }
    }

    /** Takes the memory out of this process, but keeps its addresses, which read as zeros. */
    void decommit() {
        range.decommit();
    }

    /** Unmaps the memory, which must not be used in this process any more. */
    @Override
    public void close() {
        range.close();
    }
}
