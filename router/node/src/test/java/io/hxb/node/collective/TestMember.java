package io.hxb.node.collective;

import io.hxb.pm.PmStatus;
import io.hxb.pm.collective.wire.GroupProtocol;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** A member that does operations one after the other and keeps their results. */
final class TestMember {
    private static final int NOT_YET = 1;

    private final GroupNetwork network;
    private final int node;
    private final int context;
    private final int rank;
    private final long id;
    private final List<Wanted> wanted = new ArrayList<>();
    private final List<Integer> statuses = new ArrayList<>();
    private final List<byte[]> results = new ArrayList<>();
    private int joined = NOT_YET;
    private int instance;
    private boolean areAnswersPassedOver;
    private byte[] receiving = {};

    TestMember(
            final GroupNetwork network,
            final int node,
            final int context,
            final int rank,
            final long id) {
        this.network = network;
        this.node = node;
        this.context = context;
        this.rank = rank;
        this.id = id;
        network.add(this);
    }

    /** What is to be done, and with which data. */
    static final class Wanted {
        private final int kind;
        private final int type;
        private final int function;
        private final int count;
        private final int root;
        private final byte[] data;

        Wanted(
                final int kind,
                final int type,
                final int function,
                final int count,
                final int root,
                final byte[] data) {
            this.kind = kind;
            this.type = type;
            this.function = function;
            this.count = count;
            this.root = root;
            this.data = data;
        }

        byte[] data() {
            return data;
        }
    }

    int node() {
        return node;
    }

    int context() {
        return context;
    }

    int rank() {
        return rank;
    }

    /** Status of the answer to its joining, 1 while there is none. */
    int joined() {
        return joined;
    }

    List<Integer> statuses() {
        return statuses;
    }

    byte[] result(final int index) {
        return results.get(index);
    }

    void want(final Wanted operation) {
        wanted.add(operation);
        if (joined == PmStatus.OK && statuses.size() == wanted.size() - 1) {
            contribute();
        }
    }

    /** Joins members whose nodes are these, by rank. */
    void join(final int... nodes) {
        final int[] counts = new int[network.shape().nodeCount()];
        for (final int one : nodes) {
            counts[one]++;
        }
        final List<Integer> listed = new ArrayList<>();
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0) {
                listed.add(i);
            }
        }
        final int most =
                (network.maxLengthBytes() - GroupProtocol.JOIN_HEADER_BYTES)
                        / GroupProtocol.JOIN_NODE_BYTES;
        for (int first = 0; first < listed.size(); first += most) {
            final int here = Math.min(most, listed.size() - first);
            final byte[] message = new byte[GroupProtocol.JOIN_HEADER_BYTES + 8 * here];
            final ByteBuffer bytes = buffer(message);
            bytes.putLong(id).putInt(rank).putInt(nodes.length).putInt(listed.size());
            bytes.putInt(first).putInt(here).putInt(0);
            for (int i = first; i < first + here; i++) {
                bytes.putInt(listed.get(i)).putInt(counts[listed.get(i)]);
            }
            network.send(node, context, node, GroupProtocol.JOIN, message);
        }
    }

    void leave() {
        final byte[] message = new byte[GroupProtocol.HEADER_BYTES];
        buffer(message).putLong(id);
        network.send(node, context, node, GroupProtocol.LEAVE, message);
    }

    private static ByteBuffer buffer(final byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private void contribute() {
        final Wanted now = wanted.get(statuses.size());
        final int most = network.maxLengthBytes() - GroupProtocol.HEADER_BYTES;
        int offset = 0;
        do {
            final int piece = Math.min(most, now.data.length - offset);
            final byte[] message = new byte[GroupProtocol.HEADER_BYTES + piece];
            final ByteBuffer bytes = buffer(message);
            bytes.putLong(id).putInt(instance).putInt(statuses.size() + 1);
            bytes.put((byte) now.kind).put((byte) now.type).put((byte) now.function).put((byte) 0);
            bytes.putInt(now.count).putInt(now.root).putInt(0);
            bytes.putInt(now.data.length).putInt(offset);
            bytes.put(now.data, offset, piece);
            network.send(node, context, node, GroupProtocol.CONTRIBUTE, message);
            offset += piece;
        } while (offset < now.data.length);
    }

    /** Others speak in its name from now on, so answers may be to what it has never asked. */
    void passOverAnswers() {
        areAnswersPassedOver = true;
    }

    void onMessage(final int tag, final byte[] bytes) {
        if (areAnswersPassedOver) {
            return;
        }
        final ByteBuffer message = buffer(bytes);
        final int status = message.getInt(GroupProtocol.STATUS);
        if (tag == GroupProtocol.JOINED) {
            joined = status;
            instance = message.getInt(GroupProtocol.INSTANCE);
            if (status == PmStatus.OK && !wanted.isEmpty()) {
                contribute();
            }
            return;
        }
        if (message.getInt(GroupProtocol.OPERATION) != statuses.size() + 1) {
            throw new AssertionError("a result of another operation");
        }
        final int total = message.getInt(GroupProtocol.TOTAL_BYTES);
        final int offset = message.getInt(GroupProtocol.PIECE_OFFSET);
        final int piece = bytes.length - GroupProtocol.HEADER_BYTES;
        if (offset == 0) {
            receiving = new byte[total];
        }
        System.arraycopy(bytes, GroupProtocol.HEADER_BYTES, receiving, offset, piece);
        if (status != PmStatus.OK || offset + piece == total) {
            statuses.add(status);
            results.add(receiving);
            if (statuses.size() < wanted.size()) {
                contribute();
            }
        }
    }
}
