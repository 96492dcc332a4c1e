package io.hxb.manager.control;

import org.agrona.collections.Int2IntHashMap;
import org.agrona.collections.IntArrayList;

import java.util.Arrays;

/**
 * What a manager has counted so far, and when, to compute what was sent since. Owned by the thread
 * that works with the host.
 */
final class TrafficGauge {
    private static final int UNKNOWN = -1;

    private final Int2IntHashMap places = new Int2IntHashMap(UNKNOWN);
    private IntArrayList known = new IntArrayList();
    private IntArrayList seen = new IntArrayList();
    private long[] bytes = new long[16];
    private long lastNs;
    private long intervalNs;
    private boolean isFirst = true;
    private boolean wasFirst;

    void begin(final long nowNs) {
        intervalNs = nowNs - lastNs;
        lastNs = nowNs;
        wasFirst = isFirst;
        isFirst = false;
        seen = new IntArrayList();
    }

    void end() {
        known = seen;
    }

    /** Adds the hosts after those that are known, from one on. */
    void knownFrom(final int first, final int count, final IntArrayList indexes) {
        int low = 0;
        int high = known.size();
        while (low < high) {
            final int middle = (low + high) >>> 1;
            if (known.getInt(middle) < first) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        for (int i = low; i < known.size() && indexes.size() < count; i++) {
            indexes.addInt(known.getInt(i) + 1);
        }
    }

    /** Bytes since the last time. A count that is smaller than before has restarted. */
    double bytesPerNs(final int peer, final long count) {
        seen.addInt(peer);
        int place = places.get(peer);
        final boolean isNew = place == UNKNOWN;
        if (isNew) {
            place = places.size();
            places.put(peer, place);
            if (place == bytes.length) {
                bytes = Arrays.copyOf(bytes, 2 * place);
            }
        }
        final long before = bytes[place];
        bytes[place] = count;
        if (wasFirst || intervalNs <= 0) {
            return 0;
        }
        return (double) (isNew || count < before ? count : count - before) / intervalNs;
    }
}
