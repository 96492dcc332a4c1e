package io.hxb.node.collective;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.linux.Memory;
import io.hxb.pm.PmStatus;
import io.hxb.pm.collective.wire.GroupProtocol;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * One group at one node. An operation begins when all members of this node have contributed; the
 * node exchanges what it has with each line in turn, then answers its members. Owned by the thread
 * of the node's own context; nothing is allocated once all members have joined.
 *
 * <pre>
 * joining -> all members of this node listed -> READY to all peers, READY from all -> JOINED
 * collecting -> step 0 -> ... -> delivering -> collecting the next operation
 * </pre>
 */
final class Group {
    private static final int COLLECTING = -1;
    private static final int NEVER = Integer.MAX_VALUE;
    private static final GroupPeer[] NO_PEERS = {};

    private final long id;
    private final int instance;
    private final int tenant;
    private final int ownNode;
    private final NodeList list;
    private final GroupSender sender;
    private final CounterBlock counters;
    private final List<Member> members = new ArrayList<>();
    private GroupSteps steps;
    private GroupPeer[] peers = NO_PEERS;
    private int[] firstPeers;
    private long hash;
    private int listed;
    private int present;
    private int readyPeers;
    private int contributed;
    private int operation = 1;
    private int phase = COLLECTING;
    private CollectiveState current = new CollectiveState();
    private CollectiveState next = new CollectiveState();
    private int failFrom = NEVER;
    private int failure;
    private int owedAnswers;
    private boolean isOwing;
    private long progressNs;

    /**
     * A group without members.
     *
     * @param instance distinguishes it from others with the same id; not 0.
     * @param tenant of all its members.
     */
    Group(
            final long id,
            final int instance,
            final int tenant,
            final int ownNode,
            final NodeList list,
            final GroupSender sender,
            final CounterBlock counters) {
        this.id = id;
        this.instance = instance;
        this.tenant = tenant;
        this.ownNode = ownNode;
        this.list = list;
        this.sender = sender;
        this.counters = counters;
    }

    long id() {
        return id;
    }

    int instance() {
        return instance;
    }

    int tenant() {
        return tenant;
    }

    int ownNode() {
        return ownNode;
    }

    NodeList list() {
        return list;
    }

    /** Members that have not left. */
    int present() {
        return present;
    }

    /** Why its operations end, or {@link PmStatus#OK}. */
    int failure() {
        return failure;
    }

    /** True if something has to be sent for which there was no buffer. */
    boolean isOwing() {
        return isOwing;
    }

    /** Blocks of memory that it has. */
    int parts() {
        return 2 + members.size() + 2 * peers.length;
    }

    /** Number of nodes with which it exchanges. */
    int peerCount() {
        return peers.length;
    }

    Member member(final int context) {
        for (int i = 0; i < members.size(); i++) {
            final Member member = members.get(i);
            if (member.context() == context && !member.isGone()) {
                return member;
            }
        }
        return null;
    }

    // ---- Joining ----

    /** Adds a context; its list is to follow. */
    Member add(final int context, final int incarnation, final int rank) {
        final Member member = new Member(context, incarnation, rank);
        members.add(member);
        present++;
        return member;
    }

    /** True if a member of that rank is here. */
    boolean hasRank(final int rank) {
        for (final Member member : members) {
            if (member.rank() == rank) {
                return true;
            }
        }
        return false;
    }

    /** A member has given its whole list. Returns true if it was the last one of this node. */
    boolean onListed() {
        return ++listed == list.count(ownNode);
    }

    /** All members are here: begins to look for the other nodes. */
    void onComplete(final GroupSteps ofNode, final long nowNs) {
        members.sort(Comparator.comparingInt(Member::rank));
        hash = list.hash();
        steps = ofNode;
        firstPeers = new int[steps.count() + 1];
        final List<GroupPeer> made = new ArrayList<>();
        for (int step = 0; step < steps.count(); step++) {
            firstPeers[step] = made.size();
            for (int position = 0; position < steps.width(step); position++) {
                if (position != steps.ownPosition(step)) {
                    made.add(new GroupPeer(steps.node(step, position)));
                }
            }
        }
        firstPeers[steps.count()] = made.size();
        peers = made.toArray(NO_PEERS);
        for (final GroupPeer peer : peers) {
            peer.schedule(GroupPeer.READY | GroupPeer.READY_ASKS);
        }
        onPeers();
        advance(nowNs);
    }

    private void onPeers() {
        if (readyPeers == peers.length) {
            owedAnswers = present;
        }
    }

    private boolean isComplete() {
        return steps != null;
    }

    /** Says whom a node's message is from; null if it is none of the peers. */
    private GroupPeer peer(final int node) {
        for (final GroupPeer peer : peers) {
            if (peer.node() == node) {
                return peer;
            }
        }
        return null;
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
        if (addressed != 0 && addressed != instance) {
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
        } else if (Memory.getInt(address + GroupProtocol.READY_TENANT) != tenant) {
            fail(PmStatus.NOT_ALLOWED, firstUndone(), nowNs);
        } else {
            if (Memory.getInt(address + GroupProtocol.READY_ASKS) != 0) {
                peer.schedule(GroupPeer.READY);
            }
            if (isNew) {
                readyPeers++;
                onPeers();
            }
        }
        advance(nowNs);
        return true;
    }

    // ---- Operations ----

    /**
     * A member contributes.
     *
     * @return false if the message is not valid, which ends the group.
     */
    boolean onContribution(
            final Member member, final long address, final int lengthBytes, final long nowNs) {
        final CollectiveState collectiveState = member.part();
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
                || number != (phase == COLLECTING ? operation : operation + 1)
                || collectiveState.isComplete(number)
                || Memory.getInt(address + GroupProtocol.STATUS) != PmStatus.OK
                || !collectiveState.accept(address, lengthBytes)
                || !collectiveState.mayBeOf(member.rank())) {
            fail(PmStatus.DISAGREEMENT, firstUndone(), nowNs);
            return false;
        }
        if (collectiveState.isComplete(number)) {
            contributed++;
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
        final CollectiveState collectiveState = peer.part(number);
        if (number - operation < 0
                || number - operation > 1
                || collectiveState.isComplete(number)
                || !collectiveState.accept(address, lengthBytes)) {
            fail(PmStatus.DISAGREEMENT, firstUndone(), nowNs);
            return false;
        }
        if (collectiveState.isComplete(number)) {
            advance(nowNs);
        }
        return true;
    }

    /** Goes on as far as what has come, and the buffers for sending, allow. */
    void advance(final long nowNs) {
        while (isComplete() && turn()) {
            progressNs = nowNs;
        }
        isOwing = !sendOwed() || isSending();
    }

    private boolean isSending() {
        return phase != COLLECTING
                && (phase == steps.count() || firstUnsent(phase) < firstPeers[phase + 1]);
    }

    /** Goes on by one phase; false if something is missing. */
    private boolean turn() {
        if (phase == steps.count()) {
            if (!sendResults()) {
                return false;
            }
            phase = COLLECTING;
            operation++;
            counters.increment(CounterType.COLLECTIVE_COMPLETED_OPERATIONS);
            return true;
        }
        if (operation >= failFrom) {
            abort();
            return false;
        }
        if (phase == COLLECTING) {
            if (contributed < members.size() || members.isEmpty()) {
                return false;
            }
            combineMembers();
        } else {
            if (!sendParts() || !hasParts()) {
                return false;
            }
            combineStep();
        }
        phase++;
        if (phase == steps.count() && current.isRootMissing()) {
            current.fail(PmStatus.DISAGREEMENT);
        }
        return true;
    }

    private void combineMembers() {
        contributed = 0;
        for (int i = 0; i < members.size(); i++) {
            final CollectiveState collectiveState = members.get(i).part();
            if (i == 0) {
                current.set(collectiveState);
            } else {
                current.combine(collectiveState);
            }
            collectiveState.clear();
        }
    }

    /**
     * The first peer of a step that has not all of this node's part; the step's end if all have.
     */
    private int firstUnsent(final int step) {
        int index = firstPeers[step];
        while (index < firstPeers[step + 1]
                && peers[index].isSent(operation, current.totalBytes())) {
            index++;
        }
        return index;
    }

    private boolean sendParts() {
        for (int i = firstUnsent(phase); i < firstPeers[phase + 1]; i++) {
            final GroupPeer peer = peers[i];
            while (!peer.isSent(operation, current.totalBytes())) {
                final int offset = peer.sentBytes(operation);
                final int piece = sender.pieceBytes(current, offset);
                if (!sender.sendPart(this, peer, operation, phase, current, offset, piece)) {
                    return false;
                }
                peer.onPartSent(operation, offset + piece);
            }
        }
        return true;
    }

    private boolean hasParts() {
        for (int i = firstPeers[phase]; i < firstPeers[phase + 1]; i++) {
            if (!peers[i].part(operation).isComplete(operation)) {
                return false;
            }
        }
        return true;
    }

    /** Combines in the order of the coordinates, so that all nodes get the same bits. */
    private void combineStep() {
        final int own = steps.ownPosition(phase);
        int peer = firstPeers[phase];
        for (int position = 0; position < steps.width(phase); position++) {
            final CollectiveState collectiveState =
                    position == own ? current : peers[peer++].part(operation);
            if (position == 0) {
                next.set(collectiveState);
            } else {
                next.combine(collectiveState);
            }
            collectiveState.clear();
        }
        final CollectiveState used = current;
        current = next;
        next = used;
    }

    private boolean sendResults() {
        boolean isSent = true;
        for (int i = 0; i < members.size(); i++) {
            final Member member = members.get(i);
            while (isSent && member.isOwed(operation)) {
                final int offset = Math.max(0, member.sentBytes());
                final int piece = sender.pieceBytes(current, offset);
                isSent = sender.sendResult(this, member, operation, current, offset, piece);
                if (isSent) {
                    member.onSent(offset + piece, current.totalBytes());
                }
            }
        }
        return isSent;
    }

    // ---- Ending ----

    /** The first operation whose result is not certain. */
    private int firstUndone() {
        return isComplete() && phase == steps.count() ? operation + 1 : operation;
    }

    /** A member has left, or its context is closed. */
    void onGone(final Member member, final int status, final long nowNs) {
        final int undone = phase == COLLECTING || !isComplete() ? operation : operation + 1;
        final boolean hasContributed = member.part().isComplete(undone);
        member.onGone();
        present--;
        fail(status, present > 0 && hasContributed ? undone + 1 : undone, nowNs);
        if (present == 0) {
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

    /** A node says that the group ends. */
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
        for (final GroupPeer peer : peers) {
            peer.onSent(GroupPeer.READY | GroupPeer.READY_ASKS | GroupPeer.ASK);
            if (peer.instance() != 0) {
                peer.schedule(GroupPeer.ENDED);
            }
        }
        if (!isComplete() || readyPeers < peers.length) {
            owedAnswers = present;
        }
        advance(nowNs);
    }

    /** What members have contributed to the current operation is answered with its failure. */
    private void abort() {
        final boolean isUnderWay = phase != COLLECTING;
        phase = COLLECTING;
        contributed = 0;
        for (int i = 0; i < members.size(); i++) {
            final Member member = members.get(i);
            final boolean isWaiting = isUnderWay || member.part().operation() == operation;
            if (isWaiting && !member.isGone() && member.failureOwed() == 0) {
                member.scheduleFailure(operation);
            }
        }
    }

    /** True if nothing is left to be done: all members are gone, and the peers know. */
    boolean isOver() {
        return present == 0 && !isOwing;
    }

    // ---- What is owed besides parts and results ----

    private boolean sendOwed() {
        boolean isSent = true;
        for (int i = 0; i < peers.length && isSent; i++) {
            isSent = !peers[i].isOwedAnything() || sendOwed(peers[i]);
        }
        for (int i = 0; i < members.size() && isSent; i++) {
            isSent = sendOwed(members.get(i));
        }
        return isSent;
    }

    private boolean sendOwed(final GroupPeer peer) {
        if (peer.isOwed(GroupPeer.READY)) {
            if (!sender.sendReady(this, peer, hash, peer.isOwed(GroupPeer.READY_ASKS))) {
                return false;
            }
            peer.onSent(GroupPeer.READY | GroupPeer.READY_ASKS);
        }
        if (peer.isOwed(GroupPeer.ASK)) {
            if (!sender.sendNote(
                    peer.node(), GroupProtocol.ASK, id, peer.instance(), instance, 0)) {
                return false;
            }
            peer.onSent(GroupPeer.ASK);
        }
        if (peer.isOwed(GroupPeer.ENDED)) {
            if (!sender.sendNote(
                    peer.node(), GroupProtocol.ENDED, id, peer.instance(), failFrom, failure)) {
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
            final int status = readyPeers < peers.length || !isComplete() ? failure : PmStatus.OK;
            if (!sender.sendJoined(this, member, status)) {
                return false;
            }
            owedAnswers--;
            member.onJoined(true);
            if (status != PmStatus.OK) {
                member.onGone();
                present--;
                return true;
            }
        }
        if (member.failureOwed() != 0) {
            if (!sender.sendFailure(this, member, member.failureOwed(), failure)) {
                return false;
            }
            member.onFailureSent();
        }
        return true;
    }

    // ---- Watching ----

    /** Notices members that are gone, and asks nodes that have been silent during an operation. */
    void watch(final GroupMembers contexts, final long askAfterNs, final long nowNs) {
        for (int i = 0; i < members.size(); i++) {
            final Member member = members.get(i);
            if (!member.isGone()
                    && contexts.incarnation(member.context()) != member.incarnation()) {
                onGone(member, PmStatus.NO_SUCH_CONTEXT, nowNs);
            }
        }
        if (!isComplete()
                || phase == COLLECTING
                || phase == steps.count()
                || nowNs - progressNs < askAfterNs) {
            return;
        }
        progressNs = nowNs;
        for (int i = firstPeers[phase]; i < firstPeers[phase + 1]; i++) {
            if (!peers[i].part(operation).isComplete(operation)) {
                peers[i].schedule(GroupPeer.ASK);
            }
        }
        advance(nowNs);
    }
}
