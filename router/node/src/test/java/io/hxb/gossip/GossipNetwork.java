package io.hxb.gossip;

import io.hxb.frame.SummaryFlyweight;
import io.hxb.linux.Memory;
import io.hxb.topology.Shape;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/** The gossip of all nodes of a cluster in one thread and virtual time, with frames as bytes. */
final class GossipNetwork {
    static final long MS = 1_000_000L;
    static final int LINKS = 6;
    private static final int BODY_BYTES = 1_336;
    private static final long BEAT_NS = 200 * MS;
    private static final long STEP_NS = 5 * MS;

    /** A frame on its way. */
    private static final class Frame {
        private final long atNs;
        private final long number;
        private final int from;
        private final int to;
        private final byte[] body;

        Frame(final long atNs, final long number, final int from, final int to, final byte[] body) {
            this.atNs = atNs;
            this.number = number;
            this.from = from;
            this.to = to;
            this.body = body;
        }

        long atNs() {
            return atNs;
        }

        long number() {
            return number;
        }
    }

    /** One node: what it knows, and the state of its links. */
    static final class Member {
        Gossip gossip;
        final boolean[] isUp = new boolean[LINKS];
        final int[] rates = new int[LINKS];
        boolean isDead;
        long beatNs;
        long frames;
        long bytes;

        Member() {
            Arrays.fill(isUp, true);
        }
    }

    final List<Member> members = new ArrayList<>();
    final Shape shape;
    final Random random;
    double loss;
    long nowNs = 1;
    private final MemorySegment memory = Arena.ofAuto().allocate(4_096, 8);
    private final SummaryFlyweight record = new SummaryFlyweight();
    private final PriorityQueue<Frame> wire =
            new PriorityQueue<>(
                    Comparator.comparingLong(Frame::atNs).thenComparingLong(Frame::number));
    private final List<long[]> cuts = new ArrayList<>();
    private long number;

    GossipNetwork(final Shape shape, final long seed) {
        this.shape = shape;
        random = new Random(seed);
        for (int node = 0; node < shape.nodeCount(); node++) {
            final Member member = new Member();
            member.beatNs = nowNs + random.nextLong(BEAT_NS);
            members.add(member);
            start(node, 1_000);
        }
    }

    /** Starts a node, or starts it again, with that generation. */
    void start(final int node, final int generation) {
        final Member member = members.get(node);
        member.gossip = new Gossip(shape, node, LINKS, generation);
        member.isDead = false;
    }

    /** Stops a node in order. */
    void stop(final int node) {
        final Gossip gossip = members.get(node).gossip;
        gossip.stop(look(node), nowNs);
        for (int i = 0; i < gossip.neighbours(); i++) {
            send(node, i);
        }
        members.get(node).isDead = true;
    }

    /** Cuts two neighbours from each other. */
    void cut(final int one, final int other) {
        cuts.add(new long[] {one, other});
    }

    private boolean isCut(final int one, final int other) {
        return cuts.stream()
                .anyMatch(
                        cut ->
                                (cut[0] == one && cut[1] == other)
                                        || (cut[0] == other && cut[1] == one));
    }

    /** What a node knows of another one; null if nothing. */
    HeardNode seen(final int by, final int node) {
        return seen(by, copy(by), node);
    }

    private MemorySegment copy(final int by) {
        final Gossip gossip = members.get(by).gossip;
        final MemorySegment copy = Arena.ofAuto().allocate(gossip.copyBytes(), 8);
        gossip.copy(copy, nowNs);
        return copy;
    }

    private HeardNode seen(final int by, final MemorySegment copy, final int node) {
        final Gossip gossip = members.get(by).gossip;
        record.wrap(copy.address() + (long) node * gossip.slotBytes());
        final long heardMs = nowNs / MS - record.ageMs();
        return record.links() == 0
                ? null
                : HeardNode.of(
                        record,
                        heardMs,
                        record.ageMs() <= Gossip.silenceNs(gossip.intervalNs()) / MS);
    }

    /** True if every living node knows every living node as it is. */
    boolean isComplete() {
        return IntStream.range(0, members.size())
                .allMatch(by -> members.get(by).isDead || isComplete(by));
    }

    /** True if a node knows every living node as it is. */
    boolean isComplete(final int by) {
        final MemorySegment copy = copy(by);
        return IntStream.range(0, members.size())
                .allMatch(node -> members.get(node).isDead || isRight(by, copy, node));
    }

    private boolean isRight(final int by, final MemorySegment copy, final int node) {
        final HeardNode seen = seen(by, copy, node);
        if (seen == null || !seen.isHeard()) {
            return false;
        }
        for (int link = 0; link < LINKS; link++) {
            if (seen.links().get(link).isUp() != members.get(node).isUp[link]) {
                return false;
            }
        }
        return true;
    }

    /** Lets time pass until {@code isDone} at the end of a step of 50 ms; ms that passed, or -1. */
    long run(final long limitMs, final BooleanSupplier isDone) {
        for (long ms = 0; ms <= limitMs; ms += 50) {
            if (isDone.getAsBoolean()) {
                return ms;
            }
            advance(nowNs + 50 * MS);
        }
        return -1;
    }

    void run(final long ms) {
        run(ms - 50, () -> false);
    }

    private void advance(final long toNs) {
        while (nowNs < toNs) {
            nowNs += STEP_NS;
            for (int node = 0; node < members.size(); node++) {
                final Member member = members.get(node);
                if (!member.isDead && nowNs - member.beatNs >= 0) {
                    member.beatNs = nowNs + BEAT_NS;
                    beat(node);
                }
            }
            while (!wire.isEmpty() && wire.peek().atNs() <= nowNs) {
                deliver(wire.poll());
            }
        }
    }

    private long look(final int node) {
        final Member member = members.get(node);
        record.wrap(memory.address())
                .all(LINKS, 0, ("pc" + node).getBytes(StandardCharsets.UTF_8))
                .startS(7);
        for (int link = 0; link < LINKS; link++) {
            record.place(link, link / 2, link % 2)
                    .capacity(link, member.isUp[link], 100, 1_500)
                    .neighbours(link, 3, 0)
                    .linkRate(link, 0, member.rates[link]);
        }
        return memory.address();
    }

    private void beat(final int node) {
        final Gossip gossip = members.get(node).gossip;
        gossip.tell(look(node), nowNs);
        for (int i = 0; i < gossip.neighbours(); i++) {
            final int neighbour = gossip.nextDue(nowNs);
            if (neighbour < 0) {
                return;
            }
            send(node, neighbour);
        }
    }

    private void send(final int node, final int neighbour) {
        final Member member = members.get(node);
        final int to = member.gossip.neighbour(neighbour);
        final int bytes = member.gossip.fill(neighbour, memory.address(), BODY_BYTES, nowNs);
        if (bytes == 0) {
            return;
        }
        if (members.get(to).isDead || isCut(node, to)) {
            member.gossip.onNotSent(neighbour, nowNs);
            return;
        }
        member.gossip.onSent(neighbour, nowNs);
        member.frames++;
        member.bytes += bytes;
        if (random.nextDouble() >= loss) {
            final long atNs = nowNs + random.nextLong(20 * MS);
            wire.add(new Frame(atNs, number, node, to, bytes(bytes)));
            number++;
        }
    }

    private byte[] bytes(final int count) {
        return memory.asSlice(0, count).toArray(ValueLayout.JAVA_BYTE);
    }

    private void deliver(final Frame frame) {
        if (!members.get(frame.to).isDead) {
            deliver(frame.to, frame.from, frame.body);
        }
    }

    /** Hands a body to a node as if it had come from another one; false if it is not valid. */
    boolean deliver(final int to, final int from, final byte[] body) {
        MemorySegment.copy(MemorySegment.ofArray(body), 0, memory, 0, body.length);
        assert Memory.getByte(memory.address()) == body[0];
        if (!SummaryFlyweight.isValid(memory.address(), body.length)) {
            return false;
        }
        members.get(to).gossip.onFrame(from, memory.address(), body.length, nowNs);
        return true;
    }
}
