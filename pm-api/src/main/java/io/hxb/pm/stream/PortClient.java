package io.hxb.pm.stream;

import io.hxb.pm.PmMessage;
import io.hxb.pm.stream.wire.PortProtocol;

import org.agrona.collections.Int2ObjectHashMap;

import java.util.ArrayList;
import java.util.List;

/** Asks nodes about ports, by {@link PortProtocol}. Guarded by the engine's lock. */
final class PortClient {
    private final PeerTable peers;
    private final Outbox outbox;
    private final Int2ObjectHashMap<Question> questions = new Int2ObjectHashMap<>();
    private int lastNumber;

    PortClient(final PeerTable peers, final Outbox outbox) {
        this.peers = peers;
        this.outbox = outbox;
    }

    /** Asks a node; the answer comes by {@link Asker#onAnswer} or {@link Asker#onFailure}. */
    void ask(final int node, final int tag, final int port, final Asker asker) {
        lastNumber++;
        questions.put(lastNumber, new Question(node, asker));
        final StreamPeer peer = peers.get(node, PortProtocol.CONTEXT);
        outbox.control(Outbox.Control.question(peer, tag, lastNumber, port));
    }

    /**
     * Takes an answer.
     *
     * @return false if it is not an answer to any question.
     */
    boolean onAnswer(final PmMessage message) {
        if (message.sourceContext() != PortProtocol.CONTEXT
                || message.tag() != PortProtocol.REPLY
                || message.lengthBytes() != PortProtocol.ANSWER_BYTES) {
            return false;
        }
        final long address = message.address();
        final int number = PortProtocol.number(address);
        final Question question = questions.get(number);
        if (question == null || question.node != message.sourceNode()) {
            return false;
        }
        questions.remove(number);
        question.asker.onAnswer(PortProtocol.status(address), PortProtocol.value(address));
        return true;
    }

    /** A node does not answer any more. */
    void onNodeFailed(final int node, final ResetReason reason) {
        final List<Question> failed = new ArrayList<>();
        questions
                .entrySet()
                .removeIf(
                        entry -> {
                            final boolean isHit = entry.getValue().node == node;
                            if (isHit) {
                                failed.add(entry.getValue());
                            }
                            return isHit;
                        });
        failed.forEach(question -> question.asker.onFailure(reason));
    }

    /** Nobody answers any more. */
    void failAll(final ResetReason reason) {
        final List<Question> failed = new ArrayList<>(questions.values());
        questions.clear();
        failed.forEach(question -> question.asker.onFailure(reason));
    }

    private record Question(int node, Asker asker) {}

    /** Whoever has asked. */
    interface Asker {
        /** The node has answered; status and value are not checked. */
        void onAnswer(int status, int value);

        /** The node has not answered and will not. */
        void onFailure(ResetReason reason);
    }
}
