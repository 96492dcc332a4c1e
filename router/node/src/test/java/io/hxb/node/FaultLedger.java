package io.hxb.node;

import io.hxb.pm.PmStatus;

import java.util.ArrayList;
import java.util.List;

/**
 * What became of every message of a simulation: each is delivered at most once, in order to each
 * incarnation of its receiver, and exactly once if its sender was notified of it. Owned by the
 * test.
 */
final class FaultLedger {
    private static final int DELIVERED = 1;
    private static final int OK = 2;
    private static final int FAILED = 4;
    private static final int LIMIT = 1 << 16;

    private final List<byte[][]> senders = new ArrayList<>();
    private final List<int[]> next = new ArrayList<>();
    private final List<int[]> excused = new ArrayList<>();
    private final List<Integer> crashed = new ArrayList<>();
    private final int nodes;
    private int outstanding;
    private int delivered;
    private int failed;

    FaultLedger(final int nodes) {
        this.nodes = nodes;
    }

    /** Makes the page of one incarnation of a node; returns its number. */
    int newSender() {
        senders.add(new byte[nodes][LIMIT]);
        next.add(new int[nodes]);
        excused.add(new int[nodes]);
        return senders.size() - 1;
    }

    /** Notes a message; returns its number, from 1. */
    int send(final int sender, final int to) {
        outstanding++;
        return ++next.get(sender)[to];
    }

    void done(final int sender, final int to, final int number, final int status) {
        if (status != PmStatus.OK && status != PmStatus.PEER_RESTARTED) {
            throw new AssertionError("message ended with " + PmStatus.name(status));
        }
        outstanding--;
        failed += status == PmStatus.OK ? 0 : 1;
        senders.get(sender)[to][number] |= (byte) (status == PmStatus.OK ? OK : FAILED);
    }

    /**
     * The sender has crashed: what it had on the way may be lost, and what arrived after it will
     * not be delivered.
     */
    void forget(final int sender, final int messages) {
        outstanding -= messages;
        crashed.add(sender);
    }

    /** A node has crashed: what had arrived there may be lost before it was delivered. */
    void crash(final int to) {
        for (int sender = 0; sender < next.size(); sender++) {
            excused.get(sender)[to] = next.get(sender)[to];
        }
    }

    void deliver(final int sender, final int to, final int number, final int last) {
        final byte[] page = senders.get(sender)[to];
        if (number <= last || (page[number] & DELIVERED) != 0) {
            throw new AssertionError(
                    "message " + number + " of " + sender + " to " + to + " came after " + last);
        }
        page[number] |= DELIVERED;
        delivered++;
    }

    /** Messages of living senders of which nothing is known yet. */
    int outstanding() {
        return outstanding;
    }

    int delivered() {
        return delivered;
    }

    int failed() {
        return failed;
    }

    /** Checks that what was acknowledged was delivered. */
    void check() {
        for (int sender = 0; sender < senders.size(); sender++) {
            for (int to = 0; to < nodes; to++) {
                final int first = excused.get(sender)[to] + 1;
                for (int number = 1; number <= next.get(sender)[to]; number++) {
                    final int seen = senders.get(sender)[to][number];
                    if (seen == 0 && crashed.contains(sender)) {
                        break;
                    }
                    if (number >= first && (seen & OK) != 0 && (seen & DELIVERED) == 0) {
                        throw new AssertionError(
                                "message " + number + " of " + sender + " to " + to + " is lost");
                    }
                }
            }
        }
    }
}
