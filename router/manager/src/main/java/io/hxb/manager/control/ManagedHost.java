package io.hxb.manager.control;

import io.hxb.manager.ManagerConnection;
import io.hxb.manager.ManagerMessage;
import io.hxb.manager.ManagerOperation;
import io.hxb.manager.Status;

import org.agrona.collections.Int2IntHashMap;
import org.agrona.collections.IntArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A host as the control sees it: its session with the host's manager, what it has sent, and what
 * was set there. What is done with it is done by one thread at a time; any thread may ask for its
 * state, and gets that as of the end of what was done last. Nothing that a manager says or does
 * throws: a session that fails is begun anew, less and less often.
 */
public final class ManagedHost {
    private static final Logger LOGGER = LoggerFactory.getLogger(ManagedHost.class);
    private static final long MIN_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long MAX_PAUSE_NS = TimeUnit.SECONDS.toNanos(10);
    private static final int CHUNK = 128;
    private static final double NS_PER_S = 1e9;
    private static final int VID_MASK = 0xffff;

    private final String place;
    private final Connector connector;
    private final long plan;
    private final LongSupplier clock;
    private final TrafficGauge gauge = new TrafficGauge();
    // Volatile: read by the control's thread while one of a pool still works with the host.
    private volatile View view;
    private ManagerConnection connection;
    private Problem problem = Problem.NOT_ASKED;
    private String words = "";
    private String failure = "";
    private int number = -1;
    private LeaseView lease = LeaseView.UNKNOWN;
    private List<SentTraffic> sent = List.of();
    private Map<Integer, Integer> claimed = Map.of();
    private long changes;
    private long lastHeardNs;
    private long pauseNs;
    private long self;
    private long nextTryNs;

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
        nextTryNs = lastHeardNs;
        publish();
    }

    private void publish() {
        view = new View(problem, words, number, lease, sent, claimed, lastHeardNs);
    }

    /** Place of its manager. */
    public String name() {
        return place;
    }

    /** Whether it has a session; asked only while nobody works with it. */
    boolean isConnected() {
        return connection != null;
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
                    if (connection == null && !connect()) {
                        return;
                    }
                    askLease(0, 0, 0);
                    readTraffic();
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
                LOGGER.error("the session with {}", place, e);
            }
            drop(Problem.ABSENT, "the session failed: " + e);
        } finally {
            publish();
        }
    }

    private void drop(final Problem why, final String text) {
        problem = why;
        words = text;
        lease = LeaseView.UNKNOWN;
        sent = List.of();
        claimed = Map.of();
        pauseNs = Math.min(MAX_PAUSE_NS, Math.max(MIN_PAUSE_NS, 2 * pauseNs));
        nextTryNs = clock.getAsLong() + pauseNs;
        close();
    }

    /** Ends the session. */
    void close() {
        if (connection != null) {
            try {
                connection.close();
            } catch (final IOException | RuntimeException e) {
                // It has ended all the same.
                words = String.valueOf(e.getMessage());
            }
            connection = null;
        }
    }

    private boolean connect() throws IOException {
        if (nextTryNs - clock.getAsLong() > 0) {
            return false;
        }
        connection = connector.connect();
        connection.request(ManagerOperation.HELLO);
        final ManagerMessage hello = checked(connection.exchange());
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
        pauseNs = 0;
        return true;
    }

    private static ManagerMessage checked(final ManagerMessage reply) throws IOException {
        final Status status = Status.of(reply.status());
        if (status != Status.OK) {
            throw new IOException(status.text());
        }
        return reply;
    }

    /**
     * Asks for the lease.
     *
     * @param durationMs 0 to give it up.
     */
    void lease(final long owner, final long generation, final int durationMs) {
        if (connection != null) {
            attempt(() -> askLease(owner, generation, durationMs));
        }
    }

    private void askLease(final long owner, final long generation, final int durationMs)
            throws IOException {
        connection
                .request(ManagerOperation.LEASE)
                .index(durationMs)
                .value(0, owner)
                .value(1, generation);
        final ManagerMessage reply = connection.exchange();
        final Status status = Status.of(reply.status());
        if (status != Status.LEASED) {
            checked(reply);
        }
        changes = reply.number();
        final boolean wasOwn = lease.isOwn();
        final boolean isHeld = reply.index() > 0;
        // Only the answer to a wish tells whether this session has it: the owner may have another.
        final boolean isOwn =
                owner == 0
                        ? wasOwn && isHeld && reply.value(0) == self
                        : status == Status.OK && isHeld;
        self = owner == 0 ? self : owner;
        lease = new LeaseView(isOwn, !isHeld, reply.value(1));
        if (!isOwn) {
            claimed = Map.of();
        }
    }

    private void readTraffic() throws IOException {
        final long nowNs = clock.getAsLong();
        final List<SentTraffic> rows = new ArrayList<>();
        gauge.begin(nowNs);
        int next = 0;
        while (next >= 0) {
            next = readChunk(next, rows);
        }
        gauge.end();
        sent = rows;
    }

    /**
     * Asks for the next host, and, without waiting for the answer, for those after each host that
     * is known to have traffic.
     *
     * @return from where to go on; -1 at the end.
     */
    private int readChunk(final int first, final List<SentTraffic> rows) throws IOException {
        final IntArrayList questions = new IntArrayList();
        questions.addInt(first);
        gauge.knownFrom(first, CHUNK, questions);
        for (int i = 0; i < questions.size(); i++) {
            connection.request(ManagerOperation.TRAFFIC).index(questions.getInt(i));
            connection.post();
        }
        int next = first;
        boolean isEnd = false;
        for (int i = 0; i < questions.size(); i++) {
            final ManagerMessage reply = connection.receive();
            if (isEnd || questions.getInt(i) > next) {
                // Hosts between have not been asked for: from there on again.
                continue;
            }
            if (reply.status() == Status.END_OF_LIST.code()) {
                isEnd = true;
            } else if (checked(reply).index() >= next) {
                rows.add(row(reply));
                next = reply.index() + 1;
            }
        }
        return isEnd ? -1 : next;
    }

    private SentTraffic row(final ManagerMessage reply) {
        changes = reply.number();
        final long state = reply.value(2);
        final int heard = (int) (state >>> Short.SIZE) & VID_MASK;
        return new SentTraffic(
                reply.index(),
                reply.vid(),
                (int) state & VID_MASK,
                gauge.bytesPerNs(reply.index(), reply.value(0)) * NS_PER_S,
                (state & ManagerMessage.CLAIMED) != 0,
                heard != 0 && heard != reply.vid());
    }

    /**
     * Tells the manager of changes without letting them hold.
     *
     * @param vids by peer; 0 to take back what was set.
     * @return whether it agrees. If not, nothing has changed.
     */
    boolean prepare(final Map<Integer, Integer> vids) {
        final boolean[] isAgreed = new boolean[1];
        attempt(
                () -> {
                    Status begun = begin();
                    if (begun == Status.BATCH) {
                        // One that was given up in the middle.
                        endBatch();
                        begun = begin();
                    }
                    if (begun != Status.OK) {
                        refused(begun);
                        return;
                    }
                    isAgreed[0] = true;
                    for (final Map.Entry<Integer, Integer> entry : vids.entrySet()) {
                        if (connection.unanswered() == CHUNK) {
                            isAgreed[0] &= isOk(connection.receive());
                        }
                        final int vid = entry.getValue();
                        connection
                                .request(vid == 0 ? ManagerOperation.RESET : ManagerOperation.SET)
                                .peerHost(entry.getKey())
                                .vid(vid);
                        connection.post();
                    }
                    while (connection.unanswered() > 0) {
                        isAgreed[0] &= isOk(connection.receive());
                    }
                    if (!isAgreed[0]) {
                        endBatch();
                    }
                });
        return isAgreed[0] && connection != null;
    }

    private Status begin() throws IOException {
        connection.request(ManagerOperation.BEGIN).number(changes);
        return Status.of(connection.exchange().status());
    }

    private boolean isOk(final ManagerMessage reply) {
        final Status status = Status.of(reply.status());
        if (status != Status.OK) {
            refused(status);
        }
        return status == Status.OK;
    }

    private void refused(final Status status) {
        words = status.text();
        if (status == Status.FENCED) {
            lease = new LeaseView(false, false, lease.generation());
            claimed = Map.of();
        }
    }

    private boolean endBatch() throws IOException {
        connection.request(ManagerOperation.END);
        final ManagerMessage reply = connection.exchange();
        changes = reply.number();
        return isOk(reply);
    }

    /** Forgets what was prepared. */
    void abandon() {
        if (connection != null) {
            attempt(
                    () -> {
                        // A batch that is begun twice has failed.
                        connection.request(ManagerOperation.BEGIN);
                        connection.exchange();
                        endBatch();
                    });
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
                    if (endBatch()) {
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
                        connection
                                .request(ManagerOperation.SET)
                                .flags(ManagerMessage.FLAG_PERMANENT)
                                .peerHost(entry.getKey())
                                .vid(entry.getValue());
                        checked(connection.exchange());
                    }
                });
    }

    /** What a manager has counted so far, and when, to tell what was sent since. */
    private static final class TrafficGauge {
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
        void knownFrom(final int first, final int count, final IntArrayList questions) {
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
            for (int i = low; i < known.size() && questions.size() < count; i++) {
                questions.addInt(known.getInt(i) + 1);
            }
        }

        /** Bytes since the last time. A count that is smaller than before has begun anew. */
        double bytesPerNs(final int peer, final long count) {
            seen.addInt(peer);
            int place = places.get(peer);
            final boolean isNew = place == UNKNOWN;
            if (isNew) {
                place = places.size();
                places.put(peer, place);
                if (place == bytes.length) {
                    bytes = java.util.Arrays.copyOf(bytes, 2 * place);
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
}
