package io.hxb.node.collective;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.linux.Memory;
import io.hxb.pm.PmStatus;
import io.hxb.pm.collective.wire.GroupProtocol;
import io.hxb.topology.Shape;

import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayList;
import java.util.List;

/**
 * The groups of a node: takes the messages of {@link GroupProtocol}. Owned by the thread of the
 * node's own context; nothing blocks. Everything in a message is checked; what is not valid is
 * counted, and ends the group that it is about.
 */
public final class Collectives {
    /** Most groups of a node. */
    public static final int MAX_GROUPS = 256;

    /** Most groups that a context is a member of. */
    public static final int MAX_GROUPS_OF_CONTEXT = 16;

    /** Most memory that groups have, in blocks of {@link GroupProtocol#MAX_BYTES}: 64 MiB. */
    private static final int MAX_PARTS = 16_384;

    private static final long WATCH_NS = 250_000_000L;
    private static final long ASK_NS = 1_000_000_000L;

    private final Shape shape;
    private final int node;
    private final GroupMembers contexts;
    private final GroupSender sender;
    private final CounterBlock counters;
    private final Long2ObjectHashMap<Group> groups = new Long2ObjectHashMap<>();
    private final List<Group> all = new ArrayList<>();
    private int lastInstance;
    private int parts;
    private long nextWatchNs;
    private boolean isOwing;

    /**
     * A node without groups.
     *
     * @param shape of the cluster.
     * @param node id of this node.
     * @param firstInstance distinguishes the groups of this node from those before it was started.
     * @param contexts of this node.
     * @param outlet where messages go.
     * @param counters of the node.
     */
    public Collectives(
            final Shape shape,
            final int node,
            final int firstInstance,
            final GroupMembers contexts,
            final GroupOutlet outlet,
            final CounterBlock counters) {
        this.shape = shape;
        this.node = node;
        this.contexts = contexts;
        this.counters = counters;
        lastInstance = firstInstance;
        sender = new GroupSender(outlet);
    }

    /** True if a message is about groups. */
    public static boolean isTag(final int tag) {
        return tag >= GroupProtocol.JOIN && tag <= GroupProtocol.ASK;
    }

    /**
     * Takes a message.
     *
     * @param tag for which {@link #isTag} holds.
     * @param sourceNode of the sender.
     * @param sourceContext of the sender.
     * @param address of the message.
     * @param lengthBytes of the message.
     * @return false if an answer needs a buffer and there is none: the same message has to be given
     *     again.
     */
    public boolean onMessage(
            final int tag,
            final int sourceNode,
            final int sourceContext,
            final long address,
            final int lengthBytes,
            final long nowNs) {
        final boolean isOfMember = tag == GroupProtocol.JOIN || isOfMember(tag);
        final boolean isKnownSender =
                isOfMember
                        ? sourceNode == node && sourceContext != GroupProtocol.CONTEXT
                        : sourceNode != node && sourceContext == GroupProtocol.CONTEXT;
        if (!isKnownSender || lengthBytes < minBytes(tag)) {
            counters.increment(CounterType.COLLECTIVE_MALFORMED_MESSAGES);
            return true;
        }
        final Group group = groups.get(Memory.getLong(address + GroupProtocol.ID));
        if (tag == GroupProtocol.JOIN) {
            return onJoin(group, sourceContext, address, lengthBytes, nowNs);
        }
        if (group == null) {
            return tag != GroupProtocol.ASK || answerUnknown(sourceNode, address);
        }
        final boolean isTaken =
                isOfMember
                        ? onMember(group, tag, sourceContext, address, lengthBytes, nowNs)
                        : onNode(group, tag, sourceNode, address, lengthBytes, nowNs);
        onChanged(group);
        return isTaken;
    }

    private static boolean isOfMember(final int tag) {
        return tag == GroupProtocol.CONTRIBUTE || tag == GroupProtocol.LEAVE;
    }

    private static int minBytes(final int tag) {
        return switch (tag) {
            case GroupProtocol.JOIN -> GroupProtocol.JOIN_HEADER_BYTES;
            case GroupProtocol.READY -> GroupProtocol.READY_BYTES;
            default -> GroupProtocol.HEADER_BYTES;
        };
    }

    private boolean onJoin(
            final Group known,
            final int context,
            final long address,
            final int lengthBytes,
            final long nowNs) {
        final int first = Memory.getInt(address + GroupProtocol.JOIN_FIRST);
        final Member member = known == null ? null : known.member(context);
        if (member == null && first != 0) {
            // The rest of what was refused.
            return true;
        }
        final int refusal = member == null ? refusal(known, context, address) : PmStatus.OK;
        if (refusal != PmStatus.OK) {
            return refuse(context, address, refusal);
        }
        final Group group = known == null ? open(context, address) : known;
        if (group == null) {
            return refuse(context, address, PmStatus.DISAGREEMENT);
        }
        final int rank = Memory.getInt(address + GroupProtocol.JOIN_RANK);
        final Member joining =
                member == null ? group.add(context, contexts.incarnation(context), rank) : member;
        if (member == null) {
            parts++;
        }
        list(group, joining, address, lengthBytes, nowNs);
        onChanged(group);
        return true;
    }

    /** Why a context cannot become a member; OK if it can. */
    private int refusal(final Group group, final int context, final long address) {
        if (contexts.incarnation(context) == 0 || !contexts.mayJoin(context)) {
            return PmStatus.NOT_ALLOWED;
        }
        if (parts >= MAX_PARTS || groupsOf(context) >= MAX_GROUPS_OF_CONTEXT) {
            return PmStatus.GROUP_LIMIT;
        }
        if (group == null) {
            return all.size() < MAX_GROUPS ? PmStatus.OK : PmStatus.GROUP_LIMIT;
        }
        if (group.failure() != PmStatus.OK) {
            return group.failure();
        }
        if (group.identity().tenant() != contexts.tenant(context)) {
            return PmStatus.NOT_ALLOWED;
        }
        final int rank = Memory.getInt(address + GroupProtocol.JOIN_RANK);
        final boolean isFull =
                group.list().isComplete() && group.present() >= group.list().count(node);
        return isFull || rank < 0 || rank >= group.list().memberCount() || group.hasRank(rank)
                ? PmStatus.DISAGREEMENT
                : PmStatus.OK;
    }

    private int groupsOf(final int context) {
        int count = 0;
        for (final Group group : all) {
            count += group.member(context) != null ? 1 : 0;
        }
        return count;
    }

    private boolean refuse(final int context, final long address, final int status) {
        if (status == PmStatus.DISAGREEMENT) {
            counters.increment(CounterType.COLLECTIVE_MALFORMED_MESSAGES);
        }
        return sender.sendJoined(
                node,
                context,
                Memory.getLong(address + GroupProtocol.ID),
                0,
                Memory.getInt(address + GroupProtocol.JOIN_RANK),
                status);
    }

    private Group open(final int context, final long address) {
        final NodeList list = NodeList.of(shape, address);
        final int rank = Memory.getInt(address + GroupProtocol.JOIN_RANK);
        if (list == null || rank < 0 || rank >= list.memberCount()) {
            return null;
        }
        lastInstance = lastInstance == -1 ? 1 : lastInstance + 1;
        final long id = Memory.getLong(address + GroupProtocol.ID);
        final Group group =
                new Group(
                        new GroupIdentity(id, lastInstance, contexts.tenant(context), node),
                        list,
                        sender,
                        counters);
        groups.put(id, group);
        all.add(group);
        parts += group.parts();
        return group;
    }

    private void list(
            final Group group,
            final Member member,
            final long address,
            final int lengthBytes,
            final long nowNs) {
        final NodeList list = group.list();
        if (group.failure() != PmStatus.OK) {
            return;
        }
        if (member.nodesListed() == list.nodeCount()
                || !list.accept(address, lengthBytes, member.nodesListed())) {
            counters.increment(CounterType.COLLECTIVE_MALFORMED_MESSAGES);
            group.fail(PmStatus.DISAGREEMENT, 1, nowNs);
            return;
        }
        member.onListed(member.nodesListed() + Memory.getInt(address + GroupProtocol.JOIN_HERE));
        if (member.nodesListed() < list.nodeCount()) {
            return;
        }
        if (list.count(node) < group.present()) {
            counters.increment(CounterType.COLLECTIVE_MALFORMED_MESSAGES);
            group.fail(PmStatus.DISAGREEMENT, 1, nowNs);
        } else if (group.onListed()) {
            complete(group, nowNs);
        }
    }

    private void complete(final Group group, final long nowNs) {
        final GroupSteps steps = GroupSteps.of(shape, node, group.list().nodes());
        if (steps == null) {
            group.fail(PmStatus.GROUP_NODES, 1, nowNs);
            return;
        }
        int peers = 0;
        for (int step = 0; step < steps.count(); step++) {
            peers += steps.width(step) - 1;
        }
        if (parts + 2 * peers > MAX_PARTS) {
            group.fail(PmStatus.GROUP_LIMIT, 1, nowNs);
            return;
        }
        parts += 2 * peers;
        group.onComplete(steps, nowNs);
    }

    private boolean onMember(
            final Group group,
            final int tag,
            final int context,
            final long address,
            final int lengthBytes,
            final long nowNs) {
        final Member member = group.member(context);
        if (member == null) {
            counters.increment(CounterType.COLLECTIVE_MALFORMED_MESSAGES);
        } else if (tag == GroupProtocol.LEAVE) {
            group.onGone(member, PmStatus.NO_SUCH_CONTEXT, nowNs);
        } else if (!group.onContribution(member, address, lengthBytes, nowNs)) {
            counters.increment(CounterType.COLLECTIVE_MALFORMED_MESSAGES);
        }
        return true;
    }

    private boolean onNode(
            final Group group,
            final int tag,
            final int source,
            final long address,
            final int lengthBytes,
            final long nowNs) {
        if (tag == GroupProtocol.READY) {
            return group.onReady(source, address, nowNs) || answerStranger(source, address);
        }
        if (Memory.getInt(address + GroupProtocol.INSTANCE) != group.identity().instance()) {
            // It is about a group that had the same id.
            return tag != GroupProtocol.ASK || answerUnknown(source, address);
        }
        if (tag == GroupProtocol.PART) {
            if (!group.onPart(source, address, lengthBytes, nowNs)) {
                counters.increment(CounterType.COLLECTIVE_MALFORMED_MESSAGES);
            }
        } else if (tag == GroupProtocol.ENDED) {
            group.onEnded(address, nowNs);
        }
        return true;
    }

    private boolean answerUnknown(final int source, final long address) {
        return sender.sendNote(
                source,
                GroupProtocol.ENDED,
                Memory.getLong(address + GroupProtocol.ID),
                Memory.getInt(address + GroupProtocol.OPERATION),
                0,
                PmStatus.NO_SUCH_CONTEXT);
    }

    private boolean answerStranger(final int source, final long address) {
        counters.increment(CounterType.COLLECTIVE_MALFORMED_MESSAGES);
        return sender.sendNote(
                source,
                GroupProtocol.ENDED,
                Memory.getLong(address + GroupProtocol.ID),
                Memory.getInt(address + GroupProtocol.READY_INSTANCE),
                0,
                PmStatus.DISAGREEMENT);
    }

    /**
     * A message could not be delivered, or everything to a context may be lost.
     *
     * @param status why.
     * @param ofNode where it was sent.
     * @param context where it was sent.
     * @param isOfMessage true if it is about one message.
     */
    public void onEvent(
            final int status,
            final int ofNode,
            final int context,
            final boolean isOfMessage,
            final long nowNs) {
        for (int i = all.size() - 1; i >= 0; i--) {
            final Group group = all.get(i);
            if (ofNode == node) {
                onMemberEvent(group, status, context, isOfMessage, nowNs);
            } else if (context == GroupProtocol.CONTEXT) {
                group.onLost(ofNode, status, nowNs);
            }
            onChanged(group);
        }
    }

    /** It may be about an earlier incarnation of a context, which was a member of another group. */
    private void onMemberEvent(
            final Group group,
            final int status,
            final int context,
            final boolean isOfMessage,
            final long nowNs) {
        final Member member = group.member(context);
        if (member == null) {
            return;
        }
        final boolean isOfIncarnation =
                status == PmStatus.NO_SUCH_CONTEXT || status == PmStatus.PEER_RESTARTED;
        if (!isOfIncarnation || contexts.incarnation(context) != member.incarnation()) {
            group.onGone(member, status, nowNs);
        } else if (isOfMessage && member.next() == 1) {
            group.answerAgain(member, nowNs);
        }
    }

    /**
     * Sends what found no buffer before, and looks for members and nodes that are gone.
     *
     * @return 1 if something was done, otherwise 0.
     */
    public int doWork(final long nowNs) {
        if (all.isEmpty()) {
            return 0;
        }
        final boolean isWatching = nextWatchNs - nowNs <= 0;
        if (isWatching) {
            nextWatchNs = nowNs + WATCH_NS;
        }
        if (!isWatching && !isOwing) {
            return 0;
        }
        isOwing = false;
        for (int i = all.size() - 1; i >= 0; i--) {
            final Group group = all.get(i);
            if (group.hasPendingSends()) {
                group.advance(nowNs);
            }
            if (isWatching) {
                group.watch(contexts, ASK_NS, nowNs);
            }
            onChanged(group);
        }
        return isOwing ? 0 : 1;
    }

    private void onChanged(final Group group) {
        if (group.isOver()) {
            parts -= group.parts();
            groups.remove(group.identity().id());
            all.remove(group);
        } else if (group.hasPendingSends()) {
            isOwing = true;
        }
    }

    /** True if something waits for a send buffer. */
    public boolean isWaitingForSends() {
        return isOwing;
    }

    /** When {@link #doWork} has to be called again at the latest; {@code otherwise} if never. */
    public long nextDeadlineNs(final long otherwise) {
        return all.isEmpty() ? otherwise : nextWatchNs;
    }

    /** Number of groups. */
    public int groupCount() {
        return all.size();
    }

    /** Blocks of memory that groups have. */
    int parts() {
        return parts;
    }
}
