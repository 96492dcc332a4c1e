package io.hxb.context;

import io.hxb.config.ResourceShare;
import io.hxb.linux.UnixSocket;
import io.hxb.time.TokenBucket;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.databind.json.JsonMapper;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Consumer;

/**
 * Who attached, who was refused what and why, and who has reached which limit: one JSON object per
 * line. Owned by the attach thread, which writes it; loops only count what they refuse, and {@link
 * #tick} finds it. The lines about one user are limited in rate, and those left out are counted.
 */
final class AuditLog {
    private static final Logger LOGGER = LoggerFactory.getLogger("io.hxb.audit");
    private static final int MAX_LIMITS = 1_024;
    private static final int BURST_LINES = 10;
    private static final long LINE_NS = 1_000_000_000L;

    /**
     * Shares refused by loops; the others are refused by the attach thread, which logs why
     * immediately.
     */
    private static final List<ResourceShare> COUNTED =
            List.of(ResourceShare.HELD_BUFFERS, ResourceShare.FLOWS, ResourceShare.MESSAGES);

    private final Consumer<String> out;
    private final JsonMapper mapper = JsonMapper.builder().build();
    private final Map<Integer, LineLimit> limits = new HashMap<>();
    private final LineLimit others = new LineLimit();
    private final Map<UserAccount, Seen> seen = new WeakHashMap<>();

    /** Limits the lines about one user, and counts those that were left out. */
    private static final class LineLimit {
        private final TokenBucket lines = new TokenBucket(BURST_LINES, LINE_NS);
        private long suppressed;

        boolean take(final long nowNs) {
            return lines.take(nowNs);
        }

        long takeSuppressed() {
            final long count = suppressed;
            suppressed = 0;
            return count;
        }

        boolean isIdle(final long nowNs) {
            return suppressed == 0 && lines.isFull(nowNs);
        }
    }

    /** State of what was written about an account. */
    private static final class Seen {
        private final Map<ResourceShare, Long> refused = new EnumMap<>(ResourceShare.class);
        private long crossings;
    }

    /** A log whose lines go to the log of the node: in a service, the journal. */
    AuditLog() {
        this(LOGGER::info);
    }

    /** A log whose lines are handed to {@code out}. */
    AuditLog(final Consumer<String> out) {
        this.out = out;
    }

    /** A process has attached. */
    void onAttached(final UnixSocket.Peer peer, final UserAccount account, final long nowNs) {
        final Map<String, Object> line = line("attached", peer);
        addTenant(line, account);
        writeOrCount(peer.uid(), line, nowNs);
    }

    /** A process that had attached is gone. */
    void onDetached(
            final UnixSocket.Peer peer,
            final UserAccount account,
            final String why,
            final long nowNs) {
        final Map<String, Object> line = line("detached", peer);
        addTenant(line, account);
        line.put("why", why);
        writeOrCount(peer.uid(), line, nowNs);
    }

    /** A process was refused something: to attach, or what it asked for afterwards. */
    void onRefused(
            final UnixSocket.Peer peer, final String what, final String why, final long nowNs) {
        final Map<String, Object> line = line("refused", peer);
        line.put("what", what);
        line.put("why", why);
        writeOrCount(peer.uid(), line, nowNs);
    }

    /**
     * Looks at what loops have refused since the last time, and logs how many lines were left out
     * for sources that have been quiet since.
     */
    void tick(final List<UserAccount> accounts, final long nowNs) {
        for (final UserAccount account : accounts) {
            final Seen last = seen.computeIfAbsent(account, key -> new Seen());
            for (final ResourceShare share : COUNTED) {
                look(account, share, last, nowNs);
            }
            look(account, last, nowNs);
        }
        limits.forEach((uid, limit) -> reportSuppressed(Map.of("uid", uid), limit, nowNs));
        reportSuppressed(Map.of(), others, nowNs);
    }

    private void reportSuppressed(
            final Map<String, Object> whom, final LineLimit limit, final long nowNs) {
        if (limit.suppressed > 0 && limit.take(nowNs)) {
            final Map<String, Object> line = new LinkedHashMap<>();
            line.put("event", "suppressed");
            line.putAll(whom);
            line.put("suppressed", limit.takeSuppressed());
            out.accept(mapper.writeValueAsString(line));
        }
    }

    private void look(
            final UserAccount account,
            final ResourceShare share,
            final Seen last,
            final long nowNs) {
        final QuotaCounter book = account.book(share);
        final long before = last.refused.getOrDefault(share, 0L);
        final long now = book.refused();
        if (now == before) {
            return;
        }
        final QuotaCounter limiting = book.limiting();
        final Map<String, Object> line = new LinkedHashMap<>();
        line.put("event", "limit");
        line.put("uid", account.uid());
        addTenant(line, account);
        line.put("who", limiting.who());
        line.put("what", share.noun());
        line.put("key", limiting.key());
        line.put("limit", limiting.limit());
        line.put("used", limiting.used());
        line.put("times", now - before);
        // What is not written now becomes part of the next line.
        if (write(account.uid(), line, nowNs)) {
            last.refused.put(share, now);
        }
    }

    private void look(final UserAccount account, final Seen last, final long nowNs) {
        final TenantViolations crossings = account.crossings();
        final long now = crossings.refused();
        if (now == last.crossings) {
            return;
        }
        final Map<String, Object> line = new LinkedHashMap<>();
        line.put("event", "crossing");
        line.put("uid", account.uid());
        addTenant(line, account);
        line.put("what", crossings.isOutward() ? "to send" : "to receive");
        line.put("peerTenant", account.nameOf(crossings.peerTenant()));
        line.put("peerNode", crossings.peerNode());
        line.put("peerContext", crossings.peerContext());
        line.put("times", now - last.crossings);
        if (write(account.uid(), line, nowNs)) {
            last.crossings = now;
        }
    }

    private static Map<String, Object> line(final String event, final UnixSocket.Peer peer) {
        final Map<String, Object> line = new LinkedHashMap<>();
        line.put("event", event);
        line.put("uid", peer.uid());
        line.put("gid", peer.gid());
        line.put("pid", peer.pid());
        return line;
    }

    private static void addTenant(final Map<String, Object> line, final UserAccount account) {
        if (!account.tenantName().isEmpty()) {
            line.put("tenant", account.tenantName());
        }
    }

    private void writeOrCount(final int uid, final Map<String, Object> line, final long nowNs) {
        if (!write(uid, line, nowNs)) {
            limitOf(uid, nowNs).suppressed++;
        }
    }

    private boolean write(final int uid, final Map<String, Object> line, final long nowNs) {
        final LineLimit limit = limitOf(uid, nowNs);
        if (!limit.take(nowNs)) {
            return false;
        }
        final long suppressed = limit.takeSuppressed();
        if (suppressed > 0) {
            line.put("suppressed", suppressed);
        }
        out.accept(mapper.writeValueAsString(line));
        return true;
    }

    private LineLimit limitOf(final int uid, final long nowNs) {
        if (limits.size() >= MAX_LIMITS && !limits.containsKey(uid)) {
            limits.values().removeIf(limit -> limit.isIdle(nowNs));
        }
        return limits.size() < MAX_LIMITS || limits.containsKey(uid)
                ? limits.computeIfAbsent(uid, key -> new LineLimit())
                : others;
    }
}
