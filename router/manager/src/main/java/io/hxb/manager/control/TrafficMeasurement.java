package io.hxb.manager.control;

import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The traffic that the hosts have reported in one round, by pairs. Immutable.
 *
 * @param pairs with traffic, in the order of their hosts.
 * @param halfCount pairs whose two directions take different VIDs.
 * @param claimed pairs whose path others have set.
 */
record TrafficMeasurement(List<PairState> pairs, int halfCount, List<Long> claimed) {
    TrafficMeasurement {
        pairs = List.copyOf(pairs);
        claimed = List.copyOf(claimed);
    }

    /**
     * Combines the reports of both ends of each pair.
     *
     * @param hosts that answer, by number.
     * @param isDry whether a pair may count as free though this server has no lease.
     */
    static TrafficMeasurement of(final Map<Integer, ManagedHost> hosts, final boolean isDry) {
        final Long2ObjectHashMap<SentTraffic[]> byPair = new Long2ObjectHashMap<>();
        for (final ManagedHost host : hosts.values()) {
            for (final SentTraffic sentTraffic : host.sent()) {
                byPair.computeIfAbsent(
                                        PairState.key(host.number(), sentTraffic.peer()),
                                        key -> new SentTraffic[2])[
                                host.number() < sentTraffic.peer() ? 0 : 1] =
                        sentTraffic;
            }
        }
        final long[] keys = byPair.keySet().stream().mapToLong(Long::longValue).sorted().toArray();
        final List<PairState> pairs = new ArrayList<>(keys.length);
        final List<Long> claimed = new ArrayList<>();
        int halfCount = 0;
        for (final long key : keys) {
            final SentTraffic there = byPair.get(key)[0];
            final SentTraffic back = byPair.get(key)[1];
            final boolean isClaimed =
                    (there != null && there.isClaimed()) || (back != null && back.isClaimed());
            // An end that has sent nothing reports nothing of the pair; the other has heard
            // nothing.
            final boolean isHalf =
                    (there == null || back == null)
                            ? (there == null ? back : there).isHalf()
                            : there.vid() != back.vid();
            halfCount += isHalf ? 1 : 0;
            if (isClaimed) {
                claimed.add(key);
            }
            pairs.add(
                    new PairState(
                            PairState.low(key),
                            PairState.high(key),
                            (there == null ? back : there).vid(),
                            there == null ? 0 : there.bytesPerSecond(),
                            back == null ? 0 : back.bytesPerSecond(),
                            !isClaimed
                                    && !isHalf
                                    && isReady(hosts.get(PairState.low(key)), isDry)
                                    && isReady(hosts.get(PairState.high(key)), isDry)));
        }
        return new TrafficMeasurement(pairs, halfCount, claimed);
    }

    private static boolean isReady(final ManagedHost host, final boolean isDry) {
        return host != null && (isDry || host.isReady());
    }
}
