package io.hxb.node.collective;

import io.hxb.pm.PmStatus;

/**
 * The operation of a group that is under way, after all its members have joined: collects what the
 * members contribute, exchanges it with the nodes of each step in turn, then delivers the result.
 * Owned by the thread of the node's own context.
 */
final class GroupExchange {
    private static final int COLLECTING = -1;

    private final GroupIdentity identity;
    private final MemberList members;
    private final GroupPeers peers;
    private final GroupSender sender;
    private int operation = 1;

    /** {@link #COLLECTING}, a step, or the number of steps while it is delivered. */
    private int phase = COLLECTING;

    private int contributed;
    private CollectiveState current = new CollectiveState();
    private CollectiveState next = new CollectiveState();

    GroupExchange(
            final GroupIdentity identity,
            final MemberList members,
            final GroupPeers peers,
            final GroupSender sender) {
        this.identity = identity;
        this.members = members;
        this.peers = peers;
        this.sender = sender;
    }

    /** Number of the operation, from 1. */
    int operation() {
        return operation;
    }

    /** Number of the operation that members contribute to. */
    int collected() {
        return phase == COLLECTING ? operation : operation + 1;
    }

    /** Number of the first operation whose result is not certain. */
    int firstUndone() {
        return isDelivering() ? operation + 1 : operation;
    }

    /** True while nodes exchange what they have. */
    boolean isExchanging() {
        return phase != COLLECTING && !isDelivering();
    }

    /** True once the result is there, until all members have it. */
    boolean isDelivering() {
        return phase == peers.steps();
    }

    /** True if something of it waits to be sent. */
    boolean isSending() {
        return isDelivering() || (isExchanging() && firstUnsent() < peers.first(phase + 1));
    }

    private int firstUnsent() {
        return peers.firstUnsent(phase, operation, current.totalBytes());
    }

    /** A member has contributed all of its part. */
    void onContributed() {
        contributed++;
    }

    /** Goes on by one phase, but not to the next operation; false if something is missing. */
    boolean turn() {
        if (phase == COLLECTING) {
            if (contributed < members.count() || members.count() == 0) {
                return false;
            }
            combineMembers();
        } else {
            if (!sendParts() || !peers.areComplete(phase, operation)) {
                return false;
            }
            peers.combine(phase, operation, current, next);
            final CollectiveState used = current;
            current = next;
            next = used;
        }
        phase++;
        if (isDelivering() && current.isRootMissing()) {
            current.fail(PmStatus.DISAGREEMENT);
        }
        return true;
    }

    private void combineMembers() {
        contributed = 0;
        for (int i = 0; i < members.count(); i++) {
            final CollectiveState part = members.get(i).part();
            if (i == 0) {
                current.set(part);
            } else {
                current.combine(part);
            }
            part.clear();
        }
    }

    private boolean sendParts() {
        for (int i = firstUnsent(); i < peers.first(phase + 1); i++) {
            final GroupPeer peer = peers.get(i);
            while (!peer.isSent(operation, current.totalBytes())) {
                final int offset = peer.sentBytes(operation);
                final int piece = sender.pieceBytes(current, offset);
                if (!sender.sendPart(identity, peer, operation, phase, current, offset, piece)) {
                    return false;
                }
                peer.onPartSent(operation, offset + piece);
            }
        }
        return true;
    }

    /** Delivers the result; then the next operation begins. False if there is no buffer. */
    boolean deliver() {
        if (!sendResults()) {
            return false;
        }
        phase = COLLECTING;
        operation++;
        return true;
    }

    private boolean sendResults() {
        boolean isSent = true;
        for (int i = 0; i < members.count(); i++) {
            final Member member = members.get(i);
            while (isSent && member.isResultDue(operation)) {
                final int offset = Math.max(0, member.sentBytes());
                final int piece = sender.pieceBytes(current, offset);
                isSent = sender.sendResult(identity, member, operation, current, offset, piece);
                if (isSent) {
                    member.onSent(offset + piece, current.totalBytes());
                }
            }
        }
        return isSent;
    }

    /** Answers the contributions of members to the operation with its failure. */
    void abort() {
        final boolean isUnderWay = phase != COLLECTING;
        phase = COLLECTING;
        contributed = 0;
        for (int i = 0; i < members.count(); i++) {
            final Member member = members.get(i);
            final boolean isWaiting = isUnderWay || member.part().operation() == operation;
            if (isWaiting && !member.isGone() && member.failureDue() == 0) {
                member.scheduleFailure(operation);
            }
        }
    }

    /** Schedules a request to the nodes whose parts are missing. */
    void askMissing() {
        peers.askMissing(phase, operation);
    }
}
