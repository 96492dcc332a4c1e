package io.hxb.trunk.discovery;

import io.hxb.frame.MisconfigurationFlyweight;
import io.hxb.log.RateLimitedLog;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is wrong with the neighbourhood. A stranger may cause as many misconfigurations as it likes,
 * so only a few texts of each kind are kept for each link, the first ones until they are old; all
 * misconfigurations are counted. Any thread may read and write; nothing here is called per data
 * frame.
 */
public final class MisconfigurationLog {
    /** Texts of one kind that are kept for a link. */
    static final int MAX_TEXTS = 4;

    /**
     * Misconfigurations on a link that are written as text within a second; others are only
     * counted.
     */
    static final int MAX_WORDED = 64;

    private static final Logger LOGGER = LoggerFactory.getLogger(MisconfigurationLog.class);
    private static final long OLD_NS = 10_000_000_000L;
    private static final long SECOND_NS = 1_000_000_000L;

    private final long[] counts = new long[MisconfigurationFlyweight.KIND_COUNT + 1];
    private final Map<Place, List<MisconfigurationReport>> byPlace = new LinkedHashMap<>();
    private final Map<Integer, Budget> budgets = new LinkedHashMap<>();
    private final RateLimitedLog log = new RateLimitedLog(LOGGER);

    private record Place(int kind, int linkIndex, boolean isReported) {}

    // Guarded by the lock of the misconfigurations.
    private static final class Budget {
        private long sinceNs;
        private int used;

        Budget(final long nowNs) {
            sinceNs = nowNs;
        }

        boolean take(final long nowNs) {
            if (nowNs - sinceNs >= SECOND_NS) {
                sinceNs = nowNs;
                used = 0;
            }
            return used++ < MAX_WORDED;
        }
    }

    /** Nothing is wrong so far. */
    public MisconfigurationLog() {}

    /**
     * Counts a misconfiguration that has not been written as text yet.
     *
     * @return true if it should be: there were not too many on that link within this second.
     */
    synchronized boolean count(final int kind, final int linkIndex, final long nowNs) {
        counts[kind]++;
        return budgets.computeIfAbsent(linkIndex, _ -> new Budget(nowNs)).take(nowNs);
    }

    /**
     * Notes something that was counted; it is logged when it is new.
     *
     * @return true if it is new.
     */
    boolean add(final int kind, final int linkIndex, final String text, final long nowNs) {
        return add(new Place(kind, linkIndex, false), text, nowNs);
    }

    /** Notes what another node reports, and was counted; it is logged when it is new. */
    boolean addReported(final int kind, final int linkIndex, final String text, final long nowNs) {
        return add(new Place(kind, linkIndex, true), text, nowNs);
    }

    private synchronized boolean add(final Place place, final String text, final long nowNs) {
        final List<MisconfigurationReport> known =
                byPlace.computeIfAbsent(place, _ -> new ArrayList<>(MAX_TEXTS));
        int old = -1;
        for (int i = 0; i < known.size(); i++) {
            if (known.get(i).text().equals(text)) {
                known.set(i, known.get(i).again(nowNs));
                return false;
            }
            old = nowNs - known.get(i).lastNs() > OLD_NS ? i : old;
        }
        final MisconfigurationReport misconfigurationReport =
                new MisconfigurationReport(
                        place.kind, place.linkIndex, place.isReported, text, nowNs, nowNs, 1);
        if (known.size() < MAX_TEXTS) {
            known.add(misconfigurationReport);
        } else if (old >= 0) {
            known.set(old, misconfigurationReport);
        }
        log.warn(MisconfigurationFlyweight.name(place.kind), place.linkIndex, text, nowNs);
        return true;
    }

    /** Logs how many lines were suppressed, where that is due; called often. */
    public void doWork(final long nowNs) {
        log.doWork(nowNs);
    }

    /** How often something of that kind was noted, see {@code MisconfigurationFlyweight}. */
    public synchronized long count(final int kind) {
        return counts[kind];
    }

    /**
     * What was noticed within the last {@code ageNs}; what another node reported is left out if
     * this node has noticed the same on that link itself.
     *
     * @return a copy, oldest first.
     */
    public synchronized List<MisconfigurationReport> recent(final long nowNs, final long ageNs) {
        final List<MisconfigurationReport> recent =
                byPlace.values().stream()
                        .flatMap(List::stream)
                        .filter(
                                misconfigurationReport ->
                                        nowNs - misconfigurationReport.lastNs() <= ageNs)
                        .sorted(Comparator.comparingLong(MisconfigurationReport::firstNs))
                        .toList();
        return recent.stream()
                .filter(
                        misconfigurationReport ->
                                !misconfigurationReport.isReported()
                                        || !isOwn(misconfigurationReport, recent))
                .toList();
    }

    private static boolean isOwn(
            final MisconfigurationReport reported, final List<MisconfigurationReport> all) {
        return all.stream()
                .anyMatch(
                        own ->
                                !own.isReported()
                                        && own.kind() == reported.kind()
                                        && own.linkIndex() == reported.linkIndex());
    }
}
