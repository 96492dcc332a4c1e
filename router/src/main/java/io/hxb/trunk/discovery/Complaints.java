package io.hxb.trunk.discovery;

import io.hxb.frame.ComplaintFlyweight;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is wrong with the neighbourhood, each thing once, newest kept. Any thread may read and
 * write; nothing here is called per frame.
 */
public final class Complaints {
    private static final Logger LOGGER = LoggerFactory.getLogger(Complaints.class);
    private static final int LIMIT = 64;

    private final long[] counts = new long[ComplaintFlyweight.KIND_COUNT + 1];
    private final Map<String, Complaint> byText = new LinkedHashMap<>();

    /**
     * Notes something; it is logged when it is new.
     *
     * @return true if it is new.
     */
    public boolean add(final int kind, final int linkIndex, final String text, final long nowNs) {
        return add(kind, linkIndex, false, text, nowNs);
    }

    /** Notes what another node complains of; it is logged when it is new. */
    boolean addTold(final int kind, final int linkIndex, final String text, final long nowNs) {
        return add(kind, linkIndex, true, text, nowNs);
    }

    private synchronized boolean add(
            final int kind,
            final int linkIndex,
            final boolean isTold,
            final String text,
            final long nowNs) {
        counts[kind]++;
        final Complaint known = byText.get(text);
        if (known != null) {
            byText.put(text, known.again(nowNs));
            return false;
        }
        if (byText.size() == LIMIT) {
            byText.remove(byText.keySet().iterator().next());
        }
        byText.put(text, new Complaint(kind, linkIndex, isTold, text, nowNs, nowNs, 1));
        LOGGER.warn("{}", text);
        return true;
    }

    /** How often something of that kind was noted, see {@code ComplaintFlyweight}. */
    public synchronized long count(final int kind) {
        return counts[kind];
    }

    /**
     * What was noticed within the last {@code ageNs}; what another node told is left out when this
     * node has noticed the same on that link itself.
     *
     * @return a copy, oldest first.
     */
    public synchronized List<Complaint> recent(final long nowNs, final long ageNs) {
        final List<Complaint> recent =
                byText.values().stream()
                        .filter(complaint -> nowNs - complaint.lastNs() <= ageNs)
                        .toList();
        return recent.stream()
                .filter(complaint -> !complaint.isTold() || !isOwn(complaint, recent))
                .toList();
    }

    private static boolean isOwn(final Complaint told, final List<Complaint> all) {
        return all.stream()
                .anyMatch(
                        own ->
                                !own.isTold()
                                        && own.kind() == told.kind()
                                        && own.linkIndex() == told.linkIndex());
    }
}
