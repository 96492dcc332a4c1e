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
 * state, and gets that as of the end of what was done last. Nothing that a manager sends or does
 * throws: a session that fails is restarted with growing delays.
 */
public final class ManagedHost {
    private static final Logger LOGGER = LoggerFactory.getLogger(ManagedHost.class);

    private final String place;
    private final long plan;
    private final LongSupplier clock;
    private final HostConnection connection;
    private final HeldLease lease = new HeldLease();

    /** As the thread that works with the host has it. */
    private Condition condition;

    // Volatile: read by the control's thread while one of a pool still works with the host.
    private volatile View view;

    /** Of the last failure that was logged. */
    private String failure = "";

    /**
     * What is known of the host, apart from its lease. Immutable.
     *
     * @param problem why it cannot be controlled.
     * @param words the reply of its manager or the network.
     * @param number of the host in the plan; -1 while it is not known.
     * @param sent what it has sent.
     * @param claimed what this server has set there: VIDs by peer.
     * @param lastHeardNs when it answered last.
     */
    private record Condition(
            Problem problem,
            String words,
            int number,
            List<SentTraffic> sent,
            Map<Integer, Integer> claimed,
            long lastHeardNs) {
        Condition withProblem(final Problem newProblem, final String newWords) {
            return new Condition(newProblem, newWords, number, sent, claimed, lastHeardNs);
        }

        Condition withNumber(final int newNumber) {
            return new Condition(problem, words, newNumber, sent, claimed, lastHeardNs);
        }

        Condition withSent(final List<SentTraffic> newSent, final long nowNs) {
            return new Condition(problem, words, number, newSent, claimed, nowNs);
        }

        Condition withClaimed(final Map<Integer, Integer> newClaimed) {
            return new Condition(problem, words, number, sent, newClaimed, lastHeardNs);
        }

        /** Without what is known from its manager alone. */
        Condition dropped() {
            return new Condition(problem, words, number, List.of(), Map.of(), lastHeardNs);
        }
    }

    private record View(Condition condition, LeaseView lease) {}

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
        this.plan = plan;
        this.clock = clock;
        final long nowNs = clock.getAsLong();
        connection = new HostConnection(connector, nowNs);
        condition = new Condition(Problem.NOT_ASKED, "", -1, List.of(), Map.of(), nowNs);
        publish();
    }

    private void publish() {
        view = new View(condition, lease.view());
    }

    /** Place of its manager. */
    public String name() {
        return place;
    }

    /** Whether it has a session; asked only while nobody works with it. */
    boolean isConnected() {
        return connection.session() != null;
    }

    /** Its number in the plan; -1 while it is not known. */
    public int number() {
        return view.condition.number;
    }

    Problem problem() {
        return view.condition.problem;
    }

    /** The reply of its manager or the network. */
    String words() {
        return view.condition.words;
    }

    LeaseView lease() {
        return view.lease;
    }

    /** True if it answers and follows this server. */
    boolean isReady() {
        final View now = view;
        return now.condition.problem == Problem.NONE && now.lease.isOwn();
    }

    List<SentTraffic> sent() {
        return view.condition.sent;
    }

    /** What this server has set there: VIDs by peer. Unmodifiable. */
    Map<Integer, Integer> claimed() {
        return view.condition.claimed;
    }

    long lastHeardNs() {
        return view.condition.lastHeardNs;
    }

    /** Another manager claims the same host. */
    void setTwice() {
        drop(Problem.TWICE, "there is another manager of this host");
        publish();
    }

    /** Connects if needed, asks who has the lease, and reads what was sent. */
    void visit() {
        attempt(
                () -> {
                    if (!isConnected() && !connect()) {
                        return;
                    }
                    askLease(0, 0, 0);
                    final List<SentTraffic> sent =
                            connection.session().readTraffic(clock.getAsLong());
                    condition = condition.withSent(sent, clock.getAsLong());
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
        condition = condition.dropped().withProblem(why, text);
        lease.forget();
        connection.onFailure(clock.getAsLong());
        close();
    }

    /** Ends the session. */
    void close() {
        final String trouble = connection.close();
        if (trouble != null) {
            condition = condition.withProblem(condition.problem, trouble);
        }
    }

    private boolean connect() throws IOException {
        final ManagerMessage hello = connection.connect(this::onRefused, clock.getAsLong());
        if (hello == null) {
            return false;
        }
        if (hello.fingerprint() != plan) {
            drop(
                    Problem.OTHER_PLAN,
                    "it has plan %016x, and this server %016x"
                            .formatted(hello.fingerprint(), plan));
            return false;
        }
        condition = condition.withNumber(hello.index()).withProblem(Problem.NONE, "");
        connection.onSuccess();
        return true;
    }

    /**
     * Asks for the lease.
     *
     * @param durationMs 0 to give it up.
     */
    void lease(final long owner, final long generation, final int durationMs) {
        if (isConnected()) {
            attempt(() -> askLease(owner, generation, durationMs));
        }
    }

    private void askLease(final long owner, final long generation, final int durationMs)
            throws IOException {
        lease.onReply(owner, connection.session().lease(owner, generation, durationMs));
        if (!lease.view().isOwn()) {
            condition = condition.withClaimed(Map.of());
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
        attempt(() -> isAgreed[0] = connection.session().prepare(vids));
        return isAgreed[0] && isConnected();
    }

    private void onRefused(final Status status) {
        condition = condition.withProblem(condition.problem, status.text());
        if (status == Status.FENCED) {
            lease.onFenced();
            condition = condition.withClaimed(Map.of());
        }
    }

    /** Forgets what was prepared. */
    void abandon() {
        if (isConnected()) {
            attempt(connection.session()::abandon);
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
                    if (connection.session().endBatch()) {
                        final Map<Integer, Integer> next = new TreeMap<>(condition.claimed);
                        vids.forEach(
                                (peer, vid) -> {
                                    if (vid == 0) {
                                        next.remove(peer);
                                    } else {
                                        next.put(peer, vid);
                                    }
                                });
                        condition = condition.withClaimed(Collections.unmodifiableMap(next));
                    }
                });
    }

    /** What this server has set stays when its session ends. */
    void makeLasting() {
        attempt(
                () -> {
                    for (final Map.Entry<Integer, Integer> entry : condition.claimed.entrySet()) {
                        connection.session().setLasting(entry.getKey(), entry.getValue());
                    }
                });
    }
}
