package io.hxb.context;

import io.hxb.linux.AddressRange;
import io.hxb.linux.LinuxException;
import io.hxb.linux.MemoryFile;
import io.hxb.pm.PmException;
import io.hxb.pm.attach.AttachMessage;

/**
 * Memory that an application lends the node, mapped piece by piece. Owned by the thread that
 * accepts it or has it open, and finally by {@link MemoryReclaimer}.
 *
 * <p>The pages belong to the application: all pages of a piece are present before the node looks at
 * it, and nobody can take them away, so the node is never charged for one.
 */
final class LentMemory {
    private final AttachedProcess attachedProcess;
    private final AddressPool.Part addresses;
    private final AddressRange range;
    private final long lengthBytes;
    private final int use;
    private long mappedBytes;

    /**
     * Addresses without memory.
     *
     * @param use what it is for: READ_REGION, WRITTEN_REGION or CONTEXT_MEMORY of AttachMessage.
     */
    LentMemory(
            final AttachedProcess attachedProcess,
            final AddressPool.Part addresses,
            final long lengthBytes,
            final int use) {
        this.attachedProcess = attachedProcess;
        this.addresses = addresses;
        this.lengthBytes = lengthBytes;
        this.use = use;
        range = addresses.range();
    }

    /** Address of the first byte. */
    long address() {
        return range.address() + addresses.offset();
    }

    long lengthBytes() {
        return lengthBytes;
    }

    AddressPool.Part addresses() {
        return addresses;
    }

    boolean isWritten() {
        return use != AttachMessage.READ_REGION;
    }

    boolean isRegion() {
        return use != AttachMessage.CONTEXT_MEMORY;
    }

    boolean isComplete() {
        return mappedBytes == addresses.lengthBytes();
    }

    /**
     * Accepts the next piece.
     *
     * @param fd what the application has passed; the caller closes it.
     * @throws PmException if the node may not trust it; the message gives the reason.
     */
    void add(final int fd) throws PmException {
        final long pieceBytes =
                Math.min(AttachMessage.PIECE_BYTES, addresses.lengthBytes() - mappedBytes);
        if (pieceBytes == 0) {
            throw new PmException("memory has more pieces than were announced");
        }
        String problem = MemoryFile.problem(fd, pieceBytes);
        if (problem.isEmpty()) {
            final long offset = addresses.offset() + mappedBytes;
            try {
                range.mapShared(offset, pieceBytes, fd, isWritten());
                // From here on it is given back with the rest.
                mappedBytes += pieceBytes;
            } catch (final LinuxException e) {
                throw new PmException("the node cannot map memory: " + e.getMessage(), e);
            }
            problem = MemoryFile.sealPages(fd, pieceBytes);
        }
        if (!problem.isEmpty()) {
            throw new PmException("the node does not accept this memory: " + problem);
        }
    }

    /** Maps memory of this process there, for an application within it. */
    LentMemory fill() throws PmException {
        try {
            range.mapPrivate(addresses.offset(), addresses.lengthBytes());
            mappedBytes = addresses.lengthBytes();
            return this;
        } catch (final LinuxException e) {
            throw new PmException("no memory for an application: " + e.getMessage(), e);
        }
    }

    /**
     * Gives the last mapped piece back to the application or the kernel; nothing reads it except a
     * frame that was queued for too long.
     *
     * @return true if there are more.
     */
    boolean giveBackPiece() throws LinuxException {
        if (mappedBytes > 0) {
            final long begin = (mappedBytes - 1) / AttachMessage.PIECE_BYTES;
            final long beginBytes = begin * AttachMessage.PIECE_BYTES;
            range.clear(addresses.offset() + beginBytes, mappedBytes - beginBytes);
            mappedBytes = beginBytes;
        }
        return mappedBytes > 0;
    }

    /** All of it was given back; its addresses may be reused. */
    void onGivenBack() {
        attachedProcess.onGivenBack(this);
    }
}
