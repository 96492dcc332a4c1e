package io.hxb.session;

import com.sun.management.ThreadMXBean;

import io.hxb.config.SecurityConfig;
import io.hxb.frame.DropReason;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.fuzz.Script;

import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Two honest nodes with a key, in virtual time, and an attacker who has every frame that they ever
 * sent and decides by a script which of them arrive, when and how often, what is changed, cut or
 * put together of them, and what he makes himself; while the nodes restart and change their keys.
 *
 * <p>Nothing is accepted that the other did not send, nor twice, nor of an earlier life; what both
 * keep and send stays within bounds that follow from time and from what they were asked. While the
 * attacker only adds frames, a session stays the same one and usable. When he has gone, both agree
 * again as soon as one of them sends, and are quiet. Used by one thread.
 */
public final class HostileExchange {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final long MILLISECOND = 1_000_000L;
    private static final int MAX_STEPS = 300;
    private static final int MAX_RECORDED = 512;
    private static final int MAX_FRAME_BYTES = 400;

    /** What refusing a frame may allocate; most of it is this test's. */
    private static final long REFUSAL_BYTES = 4_096;

    /** What a loop allocates when it meets a session, and a node when it meets another. */
    private static final long MEETING_BYTES = 131_072;

    private static final long RECOVERY_NS = 5_000 * MILLISECOND;
    private static final int[] TYPES = {
        FrameType.DATA,
        FrameType.ACK,
        FrameType.HELLO,
        FrameType.LINK_STATUS,
        FrameType.MISCONFIGURATION
    };
    private static final KeyRing[] RINGS = {
        KeyRing.of(SessionNode.key(1)),
        KeyRing.of(SessionNode.key(1), SessionNode.key(2)),
        KeyRing.of(SessionNode.key(2), SessionNode.key(1)),
        KeyRing.of(SessionNode.key(2))
    };

    private final Script script;
    private final SecurityConfig.Mode mode;

    /** The attacker adds frames; he holds none back, and nothing else happens. */
    private final boolean isOnlyAdding;

    private final SessionNode[] nodes = new SessionNode[2];
    private final int[] lives = new int[2];
    private final KeyRing[] rings = {RINGS[0], RINGS[0]};
    private final List<byte[]> recorded = new ArrayList<>();
    private final SessionNode[] strangers = new SessionNode[2];

    // By sender: what seals cover of all that it ever sent.
    private final List<Map<String, Recorded>> sent = List.of(new HashMap<>(), new HashMap<>());
    private final List<Deque<Recorded>> underWay = List.of(new ArrayDeque<>(), new ArrayDeque<>());

    // By node: what it has taken in its present life, and what it has sent and been asked.
    private final List<Set<String>> taken = List.of(new HashSet<>(), new HashSet<>());
    private final long[] messages = new long[2];
    private final long[] heard = new long[2];
    private final long[] wanted = new long[2];
    private long refused;
    private long refusalBytes;
    private long nowNs = 7_000 * MILLISECOND;
    private final long beginNs = nowNs;
    private int seed;

    /**
     * A frame that an honest node sent.
     *
     * @param life of the receiver when it was sent.
     * @param isOfSession whether it is sealed by a session, and so is for that life alone, once.
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Recorded(byte[] bytes, int life, boolean isOfSession) {}

    private HostileExchange(final byte[] bytes) {
        script = new Script(bytes);
        final int how = script.next();
        isOnlyAdding = (how & 1) != 0;
        mode = (how & 2) != 0 ? SecurityConfig.Mode.ENCRYPT : SecurityConfig.Mode.AUTHENTICATE;
        start(0);
        start(1);
    }

    /**
     * Runs a script of any bytes.
     *
     * @throws AssertionError if something was accepted, lost or kept that must not be.
     */
    public static void run(final byte[] bytes) {
        new HostileExchange(bytes).run();
    }

    private void start(final int node) {
        seed++;
        nodes[node] = new SessionNode(node, rings[node], seed, mode);
        lives[node]++;
        taken.get(node).clear();
    }

    private void run() {
        if (isOnlyAdding) {
            want(0);
            deliverAll();
            check(talks(0) && talks(1), "no session to begin with");
        }
        final Session[] before = {session(0), session(1)};
        for (int step = 0; step < MAX_STEPS && script.hasNext(); step++) {
            if (isOnlyAdding) {
                add(script.next());
                deliverAll();
                check(talks(0) && talks(1), "a session is no longer usable");
                check(
                        before[0] == session(0) && before[1] == session(1),
                        "a session was replaced by what was only added");
            } else {
                step(script.next());
            }
            pump();
            checkBounds();
        }
        recover();
    }

    private Session session(final int node) {
        final SessionPeer peer = nodes[node].sessions.peer(1 - node);
        return peer == null ? null : peer.sessions().sending();
    }

    private void step(final int what) {
        final int node = what >> 7;
        switch (what & 15) {
            case 0 -> nowNs += script.next() * 10L * MILLISECOND;
            case 1, 2 -> deliver(node, 0);
            case 3 -> deliver(node, script.next());
            case 4 -> underWay.get(node).poll();
            case 5, 6 -> send(node);
            case 7 -> want(node);
            case 8 -> start(node);
            case 9 -> changeKeys(node, script.next());
            case 10 -> deliverAll();
            default -> add(what);
        }
    }

    // What an attacker can do without holding anything back.
    private void add(final int what) {
        final int node = what >> 7;
        switch (what % 5) {
            case 0 -> attack(node, pick().clone());
            case 1 -> attack(node, changed(pick()));
            case 2 -> attack(node, Arrays.copyOf(pick(), script.next() % MAX_FRAME_BYTES));
            case 3 -> attack(node, joined(pick(), pick()));
            default -> {
                nowNs += script.next() * MILLISECOND / 4;
                attack(node, ofStranger(node));
            }
        }
    }

    private byte[] pick() {
        return recorded.isEmpty()
                ? new byte[FrameHeaderFlyweight.LENGTH]
                : recorded.get(((script.next() << 8) | script.next()) % recorded.size());
    }

    private byte[] changed(final byte[] frame) {
        final byte[] changed = frame.clone();
        final int changes = 1 + script.next() % 4;
        for (int i = 0; i < changes; i++) {
            changed[((script.next() << 8) | script.next()) % changed.length] ^=
                    (byte) script.next();
        }
        return changed;
    }

    // The beginning of one and the end of another, such as its trailer.
    private byte[] joined(final byte[] one, final byte[] other) {
        final byte[] joined = one.clone();
        final int bytes = Math.min(script.next(), Math.min(one.length, other.length));
        System.arraycopy(other, other.length - bytes, joined, joined.length - bytes, bytes);
        return joined;
    }

    // A frame by who has a key of his own, in the name of the other node.
    private byte[] ofStranger(final int node) {
        if (strangers[node] == null) {
            strangers[node] =
                    new SessionNode(1 - node, KeyRing.of(SessionNode.key(99)), node, mode);
        }
        final SessionNode stranger = strangers[node];
        stranger.sessions.want(node, Sessions.ROUTED);
        final List<byte[]> due = stranger.due(nowNs);
        return due.isEmpty() ? stranger.frame(FrameType.MISCONFIGURATION, node) : due.getFirst();
    }

    private void attack(final int node, final byte[] frame) {
        final long before = THREADS.getCurrentThreadAllocatedBytes();
        final int reason = nodes[node].receiveFromLink(frame, nowNs);
        if (reason == DropReason.NONE) {
            onTaken(node, frame);
        } else {
            refused++;
            refusalBytes += THREADS.getCurrentThreadAllocatedBytes() - before;
        }
    }

    // Whatever was accepted was sent by the other, to this life of the node, and not taken yet.
    private void onTaken(final int node, final byte[] frame) {
        heard[node]++;
        final String covered = covered(frame);
        final Recorded original = sent.get(1 - node).get(covered);
        final Recorded own = sent.get(node).get(covered);
        if (original == null && own != null && !own.isOfSession) {
            // The cluster's key is that of the node itself, too; its own name is in the frame, so
            // that nobody believes it. checkBounds sees to that.
            return;
        }
        check(original != null, "a frame was accepted that nobody sent");
        if (original.isOfSession) {
            check(original.life == lives[node], "a frame of an earlier life was accepted");
            check(taken.get(node).add(covered), "a frame was accepted twice");
        }
    }

    /** What a seal covers of a frame, as text. */
    private String covered(final byte[] frame) {
        final int body = (frame[52] & 0xFF) | ((frame[53] & 0xFF) << 8);
        final byte[] covered = Arrays.copyOf(frame, FrameHeaderFlyweight.LENGTH + body + 24);
        final boolean isForAny = covered[24] == -1;
        // Relays change hop limit and route; the destination is the node itself, or anybody.
        Arrays.fill(covered, 3, 8, (byte) 0);
        Arrays.fill(covered, 24, 32, (byte) (isForAny ? 1 : 0));
        Arrays.fill(covered, 62, 64, (byte) 0);
        if (covered[1] == FrameType.DATA && mode == SecurityConfig.Mode.AUTHENTICATE) {
            Arrays.fill(
                    covered,
                    FrameHeaderFlyweight.LENGTH + Math.min(SealedPart.DATA_BYTES, body),
                    FrameHeaderFlyweight.LENGTH + body,
                    (byte) 0);
        }
        return new String(covered, StandardCharsets.ISO_8859_1);
    }

    private void send(final int node) {
        final int type = TYPES[script.next() % TYPES.length];
        final byte[] frame = nodes[node].frame(type, 1 - node);
        if (frame == null) {
            wanted[node]++;
        } else {
            put(node, frame, type != FrameType.MISCONFIGURATION);
        }
    }

    private void want(final int node) {
        wanted[node]++;
        nodes[node].sessions.want(1 - node, Sessions.ROUTED);
        pump();
    }

    private void changeKeys(final int node, final int which) {
        final KeyRing ring = RINGS[which % RINGS.length];
        wanted[node]++;
        rings[node] = ring;
        nodes[node].sessions.change(ring);
    }

    private Recorded record(final int from, final byte[] frame, final boolean isOfSession) {
        final Recorded one = new Recorded(frame, lives[1 - from], isOfSession);
        sent.get(from).put(covered(frame), one);
        if (recorded.size() < MAX_RECORDED) {
            recorded.add(frame);
        } else {
            recorded.set(Math.floorMod(Arrays.hashCode(frame), MAX_RECORDED), frame);
        }
        return one;
    }

    private void put(final int from, final byte[] frame, final boolean isOfSession) {
        underWay.get(1 - from).add(record(from, frame, isOfSession));
    }

    /** Takes the SESSION frames that are due from both nodes. */
    private void pump() {
        for (int node = 0; node < 2; node++) {
            for (final byte[] frame : nodes[node].due(nowNs)) {
                messages[node]++;
                put(node, frame, false);
            }
        }
    }

    private void deliver(final int node, final int index) {
        final Deque<Recorded> frames = underWay.get(node);
        for (int i = index % (frames.size() + 1); i > 0; i--) {
            frames.add(frames.poll());
        }
        if (!frames.isEmpty()) {
            final byte[] frame = frames.poll().bytes;
            if (nodes[node].receiveFromLink(frame, nowNs) == DropReason.NONE) {
                onTaken(node, frame);
            }
        }
    }

    private void deliverAll() {
        pump();
        while (!underWay.get(0).isEmpty() || !underWay.get(1).isEmpty()) {
            deliver(0, 0);
            deliver(1, 0);
            pump();
            checkBounds();
        }
    }

    /** True if a frame of a node is taken by the other at once. */
    private boolean talks(final int from) {
        final byte[] frame = nodes[from].frame(FrameType.ACK, 1 - from);
        if (frame == null) {
            wanted[from]++;
            return false;
        }
        record(from, frame, true);
        final boolean isTaken = nodes[1 - from].receiveFromLink(frame, nowNs) == DropReason.NONE;
        if (isTaken) {
            onTaken(1 - from, frame);
        }
        return isTaken;
    }

    private void checkBounds() {
        long meetings = 4L * (lives[0] + lives[1]);
        final long halfSeconds = (nowNs - beginNs) / (500 * MILLISECOND) + 1;
        for (int node = 0; node < 2; node++) {
            final Sessions sessions = nodes[node].sessions;
            for (int other = 0; other < SessionNode.SHAPE.nodeCount(); other++) {
                check(other != node || sessions.peer(other) == null, "a peer that it is itself");
            }
            // An answer for each that was heard; requests are repeated, and sent on doubt.
            final long causes = wanted[0] + wanted[1] + lives[0] + lives[1] + 2 * halfSeconds;
            check(
                    messages[node] <= heard[node] + 4 * SessionPeer.ATTEMPTS * causes,
                    messages[node] + " messages");
            check(
                    Integer.toUnsignedLong(sessions.begun()) <= 2 * causes,
                    sessions.begun() + " sessions");
            meetings += causes;
        }
        check(
                refusalBytes <= refused * REFUSAL_BYTES + meetings * MEETING_BYTES,
                refusalBytes + " bytes to refuse " + refused + " frames");
    }

    // One of them sends, the other only answers; nobody interferes.
    private void recover() {
        final int sender = script.next() & 1;
        if (!haveCommonKey()) {
            changeKeys(0, 1);
            changeKeys(1, 1);
        }
        final long endNs = nowNs + RECOVERY_NS;
        deliverAll();
        while (!talks(sender) || !talks(1 - sender)) {
            check(nowNs < endNs, "they do not agree again: node " + sender + " sends");
            nowNs += 20 * MILLISECOND;
            deliverAll();
        }
        checkQuiet();
    }

    private boolean haveCommonKey() {
        return rings[0].keys().stream().anyMatch(rings[1].keys()::contains);
    }

    private void checkQuiet() {
        final Session[] agreed = new Session[2];
        for (int i = 0; i < 500; i++) {
            nowNs += 10 * MILLISECOND;
            deliverAll();
            if (i == 100) {
                agreed[0] = session(0);
                agreed[1] = session(1);
                messages[0] = 0;
                messages[1] = 0;
            }
            check(talks(0) && talks(1), "they do not go on to agree");
        }
        check(agreed[0] == session(0) && agreed[1] == session(1), "sessions go on to change");
        check(messages[0] + messages[1] == 0, "they go on to ask: " + (messages[0] + messages[1]));
    }

    private static void check(final boolean holds, final String problem) {
        if (!holds) {
            throw new AssertionError(problem);
        }
    }
}
