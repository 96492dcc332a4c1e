package io.hxb.node.collective;

import io.hxb.counter.CounterBlock;
import io.hxb.linux.Memory;
import io.hxb.pm.PmStatus;
import io.hxb.pm.collective.wire.GroupProtocol;
import io.hxb.topology.Shape;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * Nodes with nothing but their groups, and members, in one thread: messages of each pair of
 * contexts stay in order, all else comes in an order that a seed decides. Buffers are scarce.
 */
final class GroupNetwork {
    private static final long TURN_NS = 1_000_000;

    private final Shape shape;
    private final Random random;
    private final int maxLengthBytes;
    private final Collectives[] nodes;
    private final CounterBlock[] counters;
    private final Map<String, Queue<Message>> queues = new TreeMap<>();
    private final Map<Integer, TestMember> members = new TreeMap<>();
    private final Set<Integer> lost = new HashSet<>();
    private final int[][] incarnations;
    private final int[][] tenants;
    // Kept, so that the memory is.
    private final Arena arena = Arena.ofAuto();
    private final long scratch = arena.allocate(1 << 16, 8).address();
    private final long buffer = arena.allocate(1 << 16, 8).address();
    private long nowNs = -5_000_000_000L;

    GroupNetwork(final Shape shape, final long seed, final int maxLengthBytes) {
        this.shape = shape;
        this.maxLengthBytes = maxLengthBytes;
        random = new Random(seed);
        nodes = new Collectives[shape.nodeCount()];
        counters = new CounterBlock[nodes.length];
        incarnations = new int[nodes.length][64];
        tenants = new int[nodes.length][64];
        for (int node = 0; node < nodes.length; node++) {
            counters[node] = CounterBlock.unpublished(0, 0);
            nodes[node] =
                    new Collectives(
                            shape,
                            node,
                            random.nextInt(),
                            new Contexts(node),
                            new Outlet(node),
                            counters[node]);
        }
    }

    Collectives node(final int node) {
        return nodes[node];
    }

    CounterBlock counters(final int node) {
        return counters[node];
    }

    Shape shape() {
        return shape;
    }

    Random random() {
        return random;
    }

    int maxLengthBytes() {
        return maxLengthBytes;
    }

    void add(final TestMember member) {
        members.put(member.node() << 16 | member.context(), member);
        incarnations[member.node()][member.context()] = 1;
    }

    void tenant(final TestMember member, final int tenant) {
        tenants[member.node()][member.context()] = tenant;
    }

    /** The process of a member is killed. */
    void kill(final TestMember member) {
        incarnations[member.node()][member.context()] = 0;
        members.remove(member.node() << 16 | member.context());
    }

    /** A node is cut off: nothing reaches it, and those that send to it are notified. */
    void lose(final int node) {
        lost.add(node);
    }

    /** A member, or a stranger, sends to a node. */
    void send(
            final int sourceNode,
            final int sourceContext,
            final int node,
            final int tag,
            final byte[] bytes) {
        put(new Message(sourceNode, sourceContext, node, 0, tag, bytes));
    }

    private void put(final Message message) {
        queues.computeIfAbsent(message.flow(), _ -> new ArrayDeque<>()).add(message);
    }

    /** Delivers one message, or lets a node work; false if there is nothing to deliver. */
    boolean turn() {
        nowNs += TURN_NS;
        nodes[random.nextInt(nodes.length)].doWork(nowNs);
        final List<String> waiting = new ArrayList<>();
        queues.forEach(
                (flow, queue) -> {
                    if (!queue.isEmpty()) {
                        waiting.add(flow);
                    }
                });
        if (waiting.isEmpty()) {
            return false;
        }
        final Queue<Message> queue = queues.get(waiting.get(random.nextInt(waiting.size())));
        if (deliver(queue.peek())) {
            queue.remove();
        }
        return true;
    }

    /** Delivers all, and lets some seconds pass. */
    void run() {
        for (int quiet = 0; quiet < 20_000; ) {
            quiet = turn() ? 0 : quiet + nodes.length;
            if (quiet > 0) {
                nowNs += 20 * TURN_NS;
            }
        }
    }

    private boolean deliver(final Message message) {
        if (lost.contains(message.node) || lost.contains(message.sourceNode)) {
            if (!lost.contains(message.sourceNode)
                    && message.sourceContext == GroupProtocol.CONTEXT) {
                nodes[message.sourceNode].onEvent(
                        PmStatus.PEER_UNREACHABLE, message.node, message.context, true, nowNs);
            }
            return true;
        }
        if (message.context != GroupProtocol.CONTEXT) {
            return deliverToMember(message);
        }
        for (int i = 0; i < message.bytes.length; i++) {
            Memory.putByte(scratch + i, message.bytes[i]);
        }
        return nodes[message.node].onMessage(
                message.tag,
                message.sourceNode,
                message.sourceContext,
                scratch,
                message.bytes.length,
                nowNs);
    }

    private boolean deliverToMember(final Message message) {
        final TestMember member = members.get(message.node << 16 | message.context);
        if (member == null) {
            nodes[message.sourceNode].onEvent(
                    PmStatus.NO_SUCH_CONTEXT, message.node, message.context, true, nowNs);
        } else {
            member.onMessage(message.tag, message.bytes);
        }
        return true;
    }

    private static final class Message {
        private final int sourceNode;
        private final int sourceContext;
        private final int node;
        private final int context;
        private final int tag;
        private final byte[] bytes;

        Message(
                final int sourceNode,
                final int sourceContext,
                final int node,
                final int context,
                final int tag,
                final byte[] bytes) {
            this.sourceNode = sourceNode;
            this.sourceContext = sourceContext;
            this.node = node;
            this.context = context;
            this.tag = tag;
            this.bytes = bytes;
        }

        String flow() {
            return sourceNode + "." + sourceContext + ">" + node + "." + context;
        }
    }

    private final class Contexts implements GroupMembers {
        private final int node;

        Contexts(final int node) {
            this.node = node;
        }

        @Override
        public int incarnation(final int context) {
            return incarnations[node][context];
        }

        @Override
        public int tenant(final int context) {
            return tenants[node][context];
        }

        @Override
        public boolean mayJoin(final int context) {
            return tenants[node][context] >= 0;
        }
    }

    private final class Outlet implements GroupOutlet {
        private final int node;
        private int toNode;
        private int toContext;

        Outlet(final int node) {
            this.node = node;
        }

        @Override
        public int maxLengthBytes() {
            return maxLengthBytes;
        }

        @Override
        public int claim(final int peer, final int context, final int lengthBytes) {
            toNode = peer;
            toContext = context;
            return random.nextInt(4) == 0 ? PmStatus.NO_BUFFERS : 7;
        }

        @Override
        public long address(final int slot) {
            return buffer;
        }

        @Override
        public void send(final int slot, final int lengthBytes, final int tag) {
            final byte[] bytes =
                    Memory.ALL.asSlice(buffer, lengthBytes).toArray(ValueLayout.JAVA_BYTE);
            put(new Message(node, GroupProtocol.CONTEXT, toNode, toContext, tag, bytes));
        }
    }
}
