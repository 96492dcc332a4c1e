package io.hxb.manager.control;

import io.hxb.manager.ManagerMessage;
import io.hxb.manager.Status;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * A host as the control sees it: its session with the host's manager, what it has sent, and what
 * was set there. What is done with it is done by one thread at a time; any thread may ask for its
 * state, and gets that as of the end of what was done last. Nothing that a manager says or does
 * throws: a session that fails is begun anew, less and less often.
 */
public final class ManagedHost {
    private static final Logger LOGGER = LoggerFactory.getLogger(ManagedHost.class);

    private final String place;
    private final Connector connector;
    private final long plan;
    private final LongSupplier clock;
    private final TrafficGauge gauge = new TrafficGauge();
    private final HeldLease lease = new HeldLease();
    private final ReconnectBackoff backoff;
    // Volatile: read by the control's thread while one of a pool still works with the host.
    private volatile View view;
    private HostSession session;
    private Problem problem = Problem.NOT_ASKED;
    private String words = "";
    private String failure = "";
    private int number = -1;
    private List<SentTraffic> sent = List.of();
    private Map<Integer, Integer> claimed = Map.of();
    private long lastHeardNs;

    private record View(
            Problem problem,
            String words,
            int number,
            LeaseView lease,
            List<SentTraffic> sent,
            Map<Integer, Integer> claimed,
            long lastHeardNs) {}

    /** Why a host cannot be controlled. */
    public enum Problem {
        /** It can be. */
        NONE,
        /** Nobody has asked it yet. */
        NOT_ASKED,
        /** It does not answer. */
        ABSENT,
        /** It has another plan. */
        OTHER_PLAN,
        /** It is the manager of the same host as another one. */
        TWICE
    }

    /**
     * A host nobody has talked to yet.
     *
     * @param place of its manager, for messages.
     * @param plan fingerprint of the plan that it has to have.
     * @param clock the time in ns.
     */
    public ManagedHost(
            final String place,
            final Connector connector,
            final long plan,
            final LongSupplier clock) {
        this.place = place;
        this.connector = connector;
        this.plan = plan;
        this.clock = clock;
        lastHeardNs = clock.getAsLong();
        backoff = new ReconnectBackoff(lastHeardNs);
        publish();
    }

    private void publish() {
        view = new View(problem, words, number, lease.view(), sent, claimed, lastHeardNs);
    }

    /** Place of its manager. */
    public String name() {
        return place;
    }

    /** Whether it has a session; asked only while nobody works with it. */
    boolean isConnected() {
        return session != null;
    }

    /** Its number in the plan; -1 while it is not known. */
    public int number() {
        return view.number;
    }

    Problem problem() {
        return view.problem;
    }

    /** What its manager or the network has said to that. */
    String words() {
        return view.words;
    }

    LeaseView lease() {
        return view.lease;
    }

    /** True if it answers, and does what this server says. */
    boolean isReady() {
        final View now = view;
        return now.problem == Problem.NONE && now.lease.isOwn();
    }

    List<SentTraffic> sent() {
        return view.sent;
    }

    /** What this server has set there: VIDs by peer. Unmodifiable. */
    Map<Integer, Integer> claimed() {
        return view.claimed;
    }

    long lastHeardNs() {
        return view.lastHeardNs;
    }

    /** Another manager says that it is that of the same host. */
    void setTwice() {
        drop(Problem.TWICE, "there is another manager of this host");
        publish();
    }

    /** Connects if needed, asks who has the lease, and reads what was sent. */
    void visit() {
        attempt(
                () -> {
                    if (session == null && !connect()) {
                        return;
                    }
                    askLease(0, 0, 0);
                    sent = session.readTraffic(clock.getAsLong());
                    lastHeardNs = clock.getAsLong();
                });
    }

    private interface Dialogue {
        void run() throws IOException;
    }

    private void attempt(final Dialogue dialogue) {
        try {
            dialogue.run();
        } catch (final IOException | IllegalArgumentException e) {
            // What is no status or name of this version is an illegal argument.
            drop(Problem.ABSENT, String.valueOf(e.getMessage()));
        } catch (final RuntimeException e) {
            if (!e.toString().equals(failure)) {
                failure = e.toString();
                LOGGER.error("the session with {} failed", place, e);
            }
            drop(Problem.ABSENT, "the session failed: " + e);
        } finally {
            publish();
        }
    }

    private void drop(final Problem why, final String text) {
        problem = why;
        words = text;
        lease.forget();
        sent = List.of();
        claimed = Map.of();
        backoff.onFailure(clock.getAsLong());
        close();
    }

    /** Ends the session. */
    void close() {
        if (session != null) {
            try {
                session.close();
            } catch (final IOException | RuntimeException e) {
                // It has ended all the same.
                words = String.valueOf(e.getMessage());
            }
            session = null;
        }
    }

    private boolean connect() throws IOException {
        if (!backoff.isDue(clock.getAsLong())) {
            return false;
        }
        session = new HostSession(connector.connect(), gauge, this::onRefused);
        final ManagerMessage hello = session.hello();
        if (hello.fingerprint() != plan) {
            drop(
                    Problem.OTHER_PLAN,
                    "it has plan %016x, and this server %016x"
                            .formatted(hello.fingerprint(), plan));
            return false;
        }
        number = hello.index();
        problem = Problem.NONE;
        words = "";
        backoff.onSuccess();
        return true;
    }

    /**
     * Asks for the lease.
     *
     * @param durationMs 0 to give it up.
     */
    void lease(final long owner, final long generation, final int durationMs) {
        if (session != null) {
            attempt(() -> askLease(owner, generation, durationMs));
        }
    }

    private void askLease(final long owner, final long generation, final int durationMs)
            throws IOException {
        lease.onReply(owner, session.lease(owner, generation, durationMs));
        if (!lease.view().isOwn()) {
            claimed = Map.of();
        }
    }

    /**
     * Sends the manager changes without letting them hold.
     *
     * @param vids by peer; 0 to take back what was set.
     * @return whether it agrees. If not, nothing has changed.
     */
    boolean prepare(final Map<Integer, Integer> vids) {
        final boolean[] isAgreed = new boolean[1];
        attempt(() -> isAgreed[0] = session.prepare(vids));
        return isAgreed[0] && session != null;
    }

    private void onRefused(final Status status) {
        words = status.text();
        if (status == Status.FENCED) {
            lease.onFenced();
            claimed = Map.of();
        }
    }

    /** Forgets what was prepared. */
    void abandon() {
        if (session != null) {
            attempt(session::abandon);
        }
    }

    /**
     * Lets what was prepared hold.
     *
     * @param vids the same as before.
     */
    void finish(final Map<Integer, Integer> vids) {
        attempt(
                () -> {
                    if (session.endBatch()) {
                        final Map<Integer, Integer> next = new TreeMap<>(claimed);
                        vids.forEach(
                                (peer, vid) -> {
                                    if (vid == 0) {
                                        next.remove(peer);
                                    } else {
                                        next.put(peer, vid);
                                    }
                                });
                        claimed = Collections.unmodifiableMap(next);
                    }
                });
    }

    /** What this server has set stays when its session ends. */
    void makeLasting() {
        attempt(
                () -> {
                    for (final Map.Entry<Integer, Integer> entry : claimed.entrySet()) {
                        session.setLasting(entry.getKey(), entry.getValue());
                    }
                });
    }
}
