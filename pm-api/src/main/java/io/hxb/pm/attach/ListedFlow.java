package io.hxb.pm.attach;

import io.hxb.linux.Memory;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Who talks to whom: one pair of contexts, the sending and the receiving flow together, as a node
 * lists it. Immutable. In memory it is {@link #LENGTH_BYTES} long, words of 8 bytes in the order of
 * the components.
 *
 * @param ends the two contexts.
 * @param owner whose context it is.
 * @param state what is known of them.
 * @param sent handed to links since the flow was made, each message once.
 * @param received delivered to the context since the flow was made.
 * @param sending of the sending flow; all 0 without one.
 */
public record ListedFlow(
        Ends ends, Owner owner, State state, Amount sent, Amount received, Sending sending) {
    /** Bytes of one in memory. */
    public static final int LENGTH_BYTES = 256;

    /** Links of a trunk whose shares are told apart. */
    public static final int SHARES = 8;

    /** Number of no node. */
    public static final int NO_NODE = -1;

    /** Those that carried most bytes first. */
    public static final Comparator<ListedFlow> BUSIEST_FIRST =
            Comparator.comparingLong(ListedFlow::bytes)
                    .reversed()
                    .thenComparingInt(flow -> flow.ends.kind())
                    .thenComparingInt(flow -> flow.ends.context())
                    .thenComparingInt(flow -> flow.ends.peerNode())
                    .thenComparingInt(flow -> flow.ends.peerContext());

    private static final int SHARE_WORDS = 19;

    /** What is known of two contexts. */
    public enum State {
        /** An open context without a flow. */
        CONTEXT(0),

        /** A ring between two contexts of the node, by which they send without it. */
        DIRECT(1),

        /** The peer sends; nothing is sent to it. */
        RECEIVING(2),

        /** Nothing is sent: the flow has ended, or its next message opens it. */
        CLOSED(3),

        /** Waits for the peer's context. */
        OPENING(4),

        /** Messages can be sent. */
        OPEN(5),

        /** Was idle, and is about to be forgotten. */
        CLOSING(6);

        private final int code;

        State(final int code) {
            this.code = code;
        }

        private static State of(final long code) {
            for (final State state : values()) {
                if (state.code == code) {
                    return state;
                }
            }
            return CONTEXT;
        }

        /** As people and programs read it. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Two contexts.
     *
     * @param kind 0 for messages, 1 for requests for remote memory, 2 for their answers, 3 for
     *     packets of the virtual NIC; the peer's context is one that belongs to it.
     * @param context own context.
     * @param peerNode node id, or {@link #NO_NODE}.
     * @param peerKind as {@code kind}.
     * @param peerContext context of the peer.
     */
    public record Ends(int kind, int context, int peerNode, int peerKind, int peerContext) {}

    /**
     * Whose context it is.
     *
     * @param uid user id; -1 for the node itself.
     * @param tenant number of the tenant.
     * @param pid process, as the node sees it; 0 where none is known.
     */
    public record Owner(int uid, int tenant, int pid) {}

    /**
     * An amount of messages.
     *
     * @param messages number of them.
     * @param bytes of them, with 8 bytes and padding for each.
     */
    public record Amount(long messages, long bytes) {
        /** Nothing. */
        public static final Amount NONE = new Amount(0, 0);
    }

    /**
     * The present of a sending flow.
     *
     * @param inFlightFrames frames that are not acknowledged.
     * @param waiting what has not been sent.
     * @param roundTripNs smoothed round trip; 0 before the first is measured.
     * @param resentFrames frames sent again, whole or in part.
     * @param links a bit for each link that took a frame.
     * @param shares frames by link of the trunk to a neighbour, where link {@code i} of the node is
     *     at place {@code i % SHARES}; empty or all 0 for other peers.
     */
    public record Sending(
            int inFlightFrames,
            Amount waiting,
            long roundTripNs,
            long resentFrames,
            long links,
            List<Integer> shares) {
        /** Nothing is sent. */
        public static final Sending NONE = new Sending(0, Amount.NONE, 0, 0, 0, List.of());

        /** Copies the shares. */
        public Sending {
            shares = List.copyOf(shares);
        }

        /** Frames that link {@code index} of the node took, 0 where that is not known. */
        public long share(final int index) {
            final int place = index % SHARES;
            return place < shares.size() ? Integer.toUnsignedLong(shares.get(place)) : 0;
        }
    }

    /** Bytes sent and received. */
    public long bytes() {
        return sent.bytes + received.bytes;
    }

    /** The same, of process {@code pid}. */
    public ListedFlow withPid(final int pid) {
        return new ListedFlow(
                ends, new Owner(owner.uid, owner.tenant, pid), state, sent, received, sending);
    }

    /** Writes it to memory, {@link #LENGTH_BYTES}. */
    public void write(final long address) {
        final long[] words = {
            ends.kind,
            ends.context,
            ends.peerNode,
            ends.peerKind,
            ends.peerContext,
            owner.uid,
            owner.tenant,
            owner.pid,
            state.code,
            sent.messages,
            sent.bytes,
            received.messages,
            received.bytes,
            sending.inFlightFrames,
            sending.waiting.messages,
            sending.waiting.bytes,
            sending.roundTripNs,
            sending.resentFrames,
            sending.links
        };
        Memory.fill(address, LENGTH_BYTES, 0);
        for (int i = 0; i < words.length; i++) {
            Memory.putLong(address + 8L * i, words[i]);
        }
        for (int i = 0; i < SHARES; i++) {
            Memory.putLong(address + 8L * (SHARE_WORDS + i), sending.share(i));
        }
    }

    /** Reads what {@link #write} has written. */
    public static ListedFlow read(final long address) {
        final List<Integer> shares =
                IntStream.range(SHARE_WORDS, SHARE_WORDS + SHARES)
                        .mapToObj(index -> number(address, index))
                        .toList();
        return new ListedFlow(
                new Ends(
                        number(address, 0),
                        number(address, 1),
                        number(address, 2),
                        number(address, 3),
                        number(address, 4)),
                new Owner(number(address, 5), number(address, 6), number(address, 7)),
                State.of(word(address, 8)),
                new Amount(word(address, 9), word(address, 10)),
                new Amount(word(address, 11), word(address, 12)),
                new Sending(
                        number(address, 13),
                        new Amount(word(address, 14), word(address, 15)),
                        word(address, 16),
                        word(address, 17),
                        word(address, 18),
                        shares));
    }

    private static long word(final long address, final int index) {
        return Memory.getLong(address + 8L * index);
    }

    private static int number(final long address, final int index) {
        return (int) word(address, index);
    }
}
