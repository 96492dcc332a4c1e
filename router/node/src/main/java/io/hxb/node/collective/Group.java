package io.hxb.node.collective;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.linux.Memory;
import io.hxb.pm.PmStatus;
import io.hxb.pm.collective.wire.GroupProtocol;

/**
 * One group at one node, from its first member to its end: joins the members, agrees with the other
 * nodes, lets operations go on ({@link GroupExchange}), and notifies all members when it ends.
 * Owned by the thread of the node's own context; nothing is allocated once all members have joined.
 *
 * <pre>
 * joining -> all members of this node listed -> READY to all peers, READY from all -> JOINED
 * collecting -> step 0 -> ... -> delivering -> collecting the next operation
 * </pre>
 */
final class Group {
    private static final int NEVER = Integer.MAX_VALUE;
    private static final int FIRST_OPERATION = 1;

    private final GroupIdentity identity;
    private final NodeList list;
    private final GroupSender sender;
    private final CounterBlock counters;
    private final MemberList members = new MemberList();

    /** Null until all members of this node are here, as the exchange with them. */
    private GroupPeers peers;

    private GroupExchange exchange;
    private long hash;
    private int failFrom = NEVER;
    private int failure;
    private int owedAnswers;
    private boolean isOwing;
    private long progressNs;

    /** A group without members. */
    Group(
            final GroupIdentity identity,
            final NodeList list,
            final GroupSender sender,
            final CounterBlock counters) {
        this.identity = identity;
        this.list = list;
        this.sender = sender;
        this.counters = counters;
    }

    GroupIdentity identity() {
        return identity;
    }

    NodeList list() {
        return list;
    }

    /** Why its operations end, or {@link PmStatus#OK}. */
    int failure() {
        return failure;
    }

    /** True if something has to be sent for which there was no buffer. */
    boolean hasPendingSends() {
        return isOwing;
    }

    /** Blocks of memory that it has. */
    int parts() {
        return 2 + members.count() + 2 * peerCount();
    }

    /** Number of nodes with which it exchanges. */
    int peerCount() {
        return isComplete() ? peers.count() : 0;
    }

    private boolean isComplete() {
        return exchange != null;
    }

    /** Members that have not left. */
    int present() {
        return members.present();
    }

    /** The member that a context is; null if it is none. */
    Member member(final int context) {
        return members.find(context);
    }

    /** True if a member of that rank is here. */
    boolean hasRank(final int rank) {
        return members.hasRank(rank);
    }

    /** Adds a context; its list is to follow. */
    Member add(final int context, final int incarnation, final int rank) {
        return members.add(context, incarnation, rank);
    }

    /** A member has given its whole list. Returns true if it was the last one of this node. */
    boolean onListed() {
        return members.onListed() == list.count(identity.ownNode());
    }

    /** All members are here: begins to look for the other nodes. */
    void onComplete(final GroupSteps steps, final long nowNs) {
        members.onComplete();
        hash = list.hash();
        peers = new GroupPeers(steps);
        exchange = new GroupExchange(identity, members, peers, sender);
        for (int i = 0; i < peers.count(); i++) {
            peers.get(i).schedule(GroupPeer.READY | GroupPeer.READY_ASKS);
        }
        onPeers();
        advance(nowNs);
    }

    private void onPeers() {
        if (peers.areReady()) {
            owedAnswers = members.present();
        }
    }

    /** The peer that a node's message is from; null if it is none of the peers. */
    private GroupPeer peer(final int node) {
        return isComplete() ? peers.find(node) : null;
    }

    /**
     * Another node has all its members.
     *
     * @return false if the message is not valid.
     */
    boolean onReady(final int node, final long address, final long nowNs) {
        if (!isComplete()) {
            // It hears of this node when that is complete, and answers.
            return true;
        }
        final GroupPeer peer = peer(node);
        final int itsInstance = Memory.getInt(address + GroupProtocol.READY_INSTANCE);
        final int addressed = Memory.getInt(address + GroupProtocol.INSTANCE);
        if (peer == null || itsInstance == 0) {
            fail(PmStatus.DISAGREEMENT, firstUndone(), nowNs);
            return false;
        }
        if (addressed != 0 && addressed != identity.instance()) {
            return true;
        }
        final boolean isNew = peer.instance() == 0;
        if (!isNew && peer.instance() != itsInstance) {
            fail(PmStatus.PEER_RESTARTED, firstUndone(), nowNs);
            return true;
        }
        peer.onReady(itsInstance);
        if (failure != PmStatus.OK) {
            peer.schedule(GroupPeer.ENDED);
        } else if (Memory.getLong(address + GroupProtocol.READY_HASH) != hash) {
            fail(PmStatus.DISAGREEMENT, firstUndone(), nowNs);
        } else if (Memory.getInt(address + GroupProtocol.READY_TENANT) != identity.tenant()) {
            fail(PmStatus.NOT_ALLOWED, firstUndone(), nowNs);
        } else {
            if (Memory.getInt(address + GroupProtocol.READY_ASKS) != 0) {
                peer.schedule(GroupPeer.READY);
            }
            if (isNew) {
                peers.onReady();
                onPeers();
            }
        }
        advance(nowNs);
        return true;
    }

    /**
     * A member contributes.
     *
     * @return false if the message is not valid, which ends the group.
     */
    boolean onContribution(
            final Member member, final long address, final int lengthBytes, final long nowNs) {
        final CollectiveState part = member.part();
        final int number = Memory.getInt(address + GroupProtocol.OPERATION);
        if (number >= failFrom) {
            if (Memory.getInt(address + GroupProtocol.PIECE_OFFSET) == 0) {
                member.scheduleFailure(number);
                advance(nowNs);
            }
            return true;
        }
        if (!member.isJoined()
                || number != member.next()
                || number != exchange.collected()
                || part.isComplete(number)
                || Memory.getInt(address + GroupProtocol.STATUS) != PmStatus.OK
                || !part.accept(address, lengthBytes)
                || !part.mayBeOf(member.rank())) {
            fail(PmStatus.DISAGREEMENT, firstUndone(), nowNs);
            return false;
        }
        if (part.isComplete(number)) {
            exchange.onContributed();
            advance(nowNs);
        }
        return true;
    }

    /**
     * A node of a step sends its part.
     *
     * @return false if the message is not valid, which ends the group.
     */
    boolean onPart(final int node, final long address, final int lengthBytes, final long nowNs) {
        final int number = Memory.getInt(address + GroupProtocol.OPERATION);
        final GroupPeer peer = peer(node);
        if (number >= failFrom || peer == null) {
            return peer != null;
        }
        final CollectiveState part = peer.part(number);
        final int ahead = number - exchange.operation();
        if (ahead < 0
                || ahead > 1
                || part.isComplete(number)
                || !part.accept(address, lengthBytes)) {
            fail(PmStatus.DISAGREEMENT, firstUndone(), nowNs);
            return false;
        }
        if (part.isComplete(number)) {
            advance(nowNs);
        }
        return true;
    }

    /** Goes on as far as what has come, and the buffers for sending, allow. */
    void advance(final long nowNs) {
        while (isComplete() && turn()) {
            progressNs = nowNs;
        }
        isOwing = !sendOwed() || (isComplete() && exchange.isSending());
    }

    /** Goes on by one phase; false if something is missing. */
    private boolean turn() {
        if (exchange.isDelivering()) {
            final boolean isDone = exchange.deliver();
            if (isDone) {
                counters.increment(CounterType.COLLECTIVE_COMPLETED_OPERATIONS);
            }
            return isDone;
        }
        if (exchange.operation() >= failFrom) {
            exchange.abort();
            return false;
        }
        return exchange.turn();
    }

    /** The first operation whose result is not certain. */
    private int firstUndone() {
        return isComplete() ? exchange.firstUndone() : FIRST_OPERATION;
    }

    /** A member has left, or its context is closed. */
    void onGone(final Member member, final int status, final long nowNs) {
        final int undone = isComplete() ? exchange.collected() : FIRST_OPERATION;
        final boolean hasContributed = member.part().isComplete(undone);
        members.onGone(member);
        final boolean isCertain = members.present() > 0 && hasContributed;
        fail(status, isCertain ? undone + 1 : undone, nowNs);
        if (members.present() == 0) {
            fail(status, firstUndone(), nowNs);
        }
    }

    /** What was the first message to a member may have been lost. */
    void answerAgain(final Member member, final long nowNs) {
        if (member.isJoined()) {
            member.onJoined(false);
            owedAnswers++;
            advance(nowNs);
        }
    }

    /** A node is lost. */
    void onLost(final int node, final int status, final long nowNs) {
        if (peer(node) != null) {
            fail(status, firstUndone(), nowNs);
        }
    }

    /** A node reports that the group ends. */
    void onEnded(final long address, final long nowNs) {
        final int status = Memory.getInt(address + GroupProtocol.STATUS);
        final int first = Memory.getInt(address + GroupProtocol.OPERATION);
        fail(status < 0 ? status : PmStatus.NO_SUCH_CONTEXT, Math.max(first, firstUndone()), nowNs);
    }

    /** No operation from {@code first} on is carried out; the peers are notified. */
    void fail(final int status, final int first, final long nowNs) {
        if (first >= failFrom) {
            return;
        }
        if (failure == PmStatus.OK) {
            counters.increment(CounterType.COLLECTIVE_ENDED_GROUPS);
        }
        failFrom = first;
        failure = status;
        for (int i = 0; i < peerCount(); i++) {
            final GroupPeer peer = peers.get(i);
            peer.onSent(GroupPeer.READY | GroupPeer.READY_ASKS | GroupPeer.ASK);
            if (peer.instance() != 0) {
                peer.schedule(GroupPeer.ENDED);
            }
        }
        if (!mayJoin()) {
            owedAnswers = members.present();
        }
        advance(nowNs);
    }

    /** True if members can join: all nodes have all of them. */
    private boolean mayJoin() {
        return isComplete() && peers.areReady();
    }

    /** True if nothing is left to be done: all members are gone, and the peers know. */
    boolean isOver() {
        return members.present() == 0 && !isOwing;
    }

    private boolean sendOwed() {
        boolean isSent = true;
        for (int i = 0; i < peerCount() && isSent; i++) {
            final GroupPeer peer = peers.get(i);
            isSent = !peer.hasDue() || sendOwed(peer);
        }
        for (int i = 0; i < members.count() && isSent; i++) {
            isSent = sendOwed(members.get(i));
        }
        return isSent;
    }

    private boolean sendOwed(final GroupPeer peer) {
        if (peer.isDue(GroupPeer.READY)) {
            if (!sender.sendReady(identity, peer, hash, peer.isDue(GroupPeer.READY_ASKS))) {
                return false;
            }
            peer.onSent(GroupPeer.READY | GroupPeer.READY_ASKS);
        }
        if (peer.isDue(GroupPeer.ASK)) {
            if (!sender.sendNote(
                    peer.node(),
                    GroupProtocol.ASK,
                    identity.id(),
                    peer.instance(),
                    identity.instance(),
                    0)) {
                return false;
            }
            peer.onSent(GroupPeer.ASK);
        }
        if (peer.isDue(GroupPeer.ENDED)) {
            if (!sender.sendNote(
                    peer.node(),
                    GroupProtocol.ENDED,
                    identity.id(),
                    peer.instance(),
                    failFrom,
                    failure)) {
                return false;
            }
            peer.onSent(GroupPeer.ENDED);
        }
        return true;
    }

    private boolean sendOwed(final Member member) {
        if (member.isGone()) {
            return true;
        }
        if (owedAnswers > 0 && !member.isJoined()) {
            final int status = mayJoin() ? PmStatus.OK : failure;
            if (!sender.sendJoined(identity, member, status)) {
                return false;
            }
            owedAnswers--;
            member.onJoined(true);
            if (status != PmStatus.OK) {
                members.onGone(member);
                return true;
            }
        }
        if (member.failureDue() != 0) {
            if (!sender.sendFailure(identity, member, member.failureDue(), failure)) {
                return false;
            }
            member.onFailureSent();
        }
        return true;
    }

    /** Notices members that are gone, and asks nodes that have been silent during an operation. */
    void watch(final GroupMembers contexts, final long askAfterNs, final long nowNs) {
        for (int i = 0; i < members.count(); i++) {
            final Member member = members.get(i);
            if (!member.isGone()
                    && contexts.incarnation(member.context()) != member.incarnation()) {
                onGone(member, PmStatus.NO_SUCH_CONTEXT, nowNs);
            }
        }
        if (!isComplete() || !exchange.isExchanging() || nowNs - progressNs < askAfterNs) {
            return;
        }
        progressNs = nowNs;
        exchange.askMissing();
        advance(nowNs);
    }
}
