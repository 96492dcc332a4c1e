package io.hxb.context;

import io.hxb.linux.AddressRange;
import io.hxb.linux.LinuxException;
import io.hxb.pm.PmException;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The addresses at which the memory of one application is mapped. They stay reserved until the
 * application is gone, so that a frame which is still queued for a link reads zeros at worst, and
 * are reused for other memory of the same application. Guarded by its application.
 */
final class AddressPool {
    private final long maxBytes;
    private final List<Reserve> reserves = new ArrayList<>();
    private long reservedBytes;

    /**
     * An empty pool.
     *
     * @param maxBytes addresses that may be reserved.
     */
    AddressPool(final long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /**
     * Takes addresses.
     *
     * @param lengthBytes 1 or more.
     * @throws PmException if the free addresses are in too many parts, or the process has none
     *     left.
     */
    Part take(final long lengthBytes) throws PmException {
        final long length = AddressRange.pages(lengthBytes);
        for (final Reserve reserve : reserves) {
            final Part part = reserve.take(length);
            if (part != null) {
                return part;
            }
        }
        if (length > maxBytes - reservedBytes) {
            throw new PmException(
                    "the addresses for memory of this application are in too many parts for "
                            + length
                            + " bytes in one: use fewer regions, or attach again");
        }
        try {
            final Reserve reserve = new Reserve(AddressRange.reserve(length));
            reserves.add(reserve);
            reservedBytes += length;
            return reserve.take(length);
        } catch (final LinuxException e) {
            throw new PmException("the node has no addresses left: " + e.getMessage(), e);
        }
    }

    /** Gives all addresses back to the process; nobody reads from them any more. */
    void close() {
        reserves.forEach(reserve -> reserve.range.close());
        reserves.clear();
        reservedBytes = 0;
    }

    /** Addresses that were taken, until {@link #free}. Owned by the taker. */
    static final class Part {
        private final Reserve reserve;
        private final long offset;
        private final long lengthBytes;

        private Part(final Reserve reserve, final long offset, final long lengthBytes) {
            this.reserve = reserve;
            this.offset = offset;
            this.lengthBytes = lengthBytes;
        }

        AddressRange range() {
            return reserve.range;
        }

        /** Of the first byte in the range. */
        long offset() {
            return offset;
        }

        /** Whole pages. */
        long lengthBytes() {
            return lengthBytes;
        }

        /** Gives the addresses back to the pool; nothing is mapped there. */
        void free() {
            reserve.free(offset, lengthBytes);
        }
    }

    /** One range of addresses, and which parts of it are free: the first that fits is taken. */
    private static final class Reserve {
        private final AddressRange range;
        private final TreeMap<Long, Long> freeBytes = new TreeMap<>();

        private Reserve(final AddressRange range) {
            this.range = range;
            freeBytes.put(0L, range.lengthBytes());
        }

        private Part take(final long lengthBytes) {
            Map.Entry<Long, Long> found = null;
            for (final Map.Entry<Long, Long> free : freeBytes.entrySet()) {
                if (free.getValue() >= lengthBytes) {
                    found = free;
                    break;
                }
            }
            if (found == null) {
                return null;
            }
            final long offset = found.getKey();
            final long leftBytes = found.getValue() - lengthBytes;
            freeBytes.remove(offset);
            if (leftBytes > 0) {
                freeBytes.put(offset + lengthBytes, leftBytes);
            }
            return new Part(this, offset, lengthBytes);
        }

        private void free(final long offset, final long lengthBytes) {
            long begin = offset;
            long length = lengthBytes;
            final Map.Entry<Long, Long> before = freeBytes.floorEntry(offset);
            assert before == null || before.getKey() + before.getValue() <= offset : "freed twice";
            if (before != null && before.getKey() + before.getValue() == offset) {
                freeBytes.remove(before.getKey());
                begin = before.getKey();
                length += before.getValue();
            }
            final Long after = freeBytes.remove(offset + lengthBytes);
            freeBytes.put(begin, after == null ? length : length + after);
        }
    }
}
