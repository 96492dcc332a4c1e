package io.hxb.node.service;

import io.hxb.counter.CounterBlock;
import io.hxb.forward.Tracer;
import io.hxb.linux.Memory;
import io.hxb.node.collective.Collectives;
import io.hxb.node.collective.GroupMembers;
import io.hxb.node.collective.GroupOutlet;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmEvent;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.pm.stream.wire.PortProtocol;
import io.hxb.time.Deadline;
import io.hxb.topology.Shape;

/**
 * Serves a node's own context by {@link ServiceProtocol}. Owned by the thread that calls {@link
 * #doWork}. It allocates when a new source context begins to be counted, and then no further ones.
 */
public final class NodeService {
    private static final int LIMIT_MESSAGES = 64;

    private final PmContext context;
    private final PortTable ports;
    private final Collectives collectives;
    private final TraceService traces;
    private final int node;
    private final PmMessage message = new PmMessage();
    private final PmEvent event = new PmEvent();
    private final StreamCounts streams = new StreamCounts(0, ProcessHandle.current().pid());
    private boolean isAnswerOwed;
    private long unanswered;

    /**
     * Takes a context over.
     *
     * @param context used by nobody else from now on; the caller closes it.
     * @param ports of the node.
     * @param place of the node: its shape and id.
     * @param incarnation of the node.
     * @param tracer of the loop that serves the context.
     * @param members contexts of the node that may take part in collective operations.
     * @param counters of these operations.
     */
    public NodeService(
            final PmContext context,
            final PortTable ports,
            final Place place,
            final int incarnation,
            final Tracer tracer,
            final GroupMembers members,
            final CounterBlock counters) {
        this.context = context;
        this.ports = ports;
        node = place.node();
        traces = new TraceService(context, tracer, node, place.shape().nodeCount());
        collectives =
                new Collectives(
                        place.shape(),
                        place.node(),
                        incarnation,
                        members,
                        new Outlet(context),
                        counters);
    }

    /**
     * Where a node is.
     *
     * @param shape of the cluster.
     * @param node its id.
     */
    public record Place(Shape shape, int node) {}

    /**
     * Takes and answers what has arrived, a bounded number of messages. Never blocks.
     *
     * @return messages taken, 0 when none waited or the send buffers are all in use.
     */
    public int doWork(final long nowNs) {
        takeEvents(nowNs);
        int work = 0;
        while (work < LIMIT_MESSAGES) {
            if (!isAnswerOwed) {
                if (context.receive(message) != PmStatus.OK) {
                    break;
                }
                isAnswerOwed = true;
            }
            if (!handle(nowNs)) {
                break;
            }
            context.release(message);
            isAnswerOwed = false;
            work++;
        }
        return work + traces.doWork(nowNs) + collectives.doWork(nowNs);
    }

    // Before the messages: that a context is a new incarnation is reported before what it sends.
    private void takeEvents(final long nowNs) {
        while (context.pollEvent(event) == PmStatus.OK) {
            final boolean isOfMessage = event.slot() != PmEvent.NO_SLOT;
            if (isOfMessage) {
                unanswered++;
            }
            collectives.onEvent(event.status(), event.node(), event.context(), isOfMessage, nowNs);
        }
    }

    /** True if the last message waits for a send buffer, so that finished sends matter as well. */
    public boolean isWaitingForSends() {
        return isAnswerOwed || traces.isWaitingForSends() || collectives.isWaitingForSends();
    }

    /** When {@link #doWork} has to be called again at the latest; Deadline.NEVER if never. */
    public long nextDeadlineNs(final long nowNs) {
        return Deadline.earlier(
                traces.nextDeadlineNs(nowNs), collectives.nextDeadlineNs(Deadline.NEVER));
    }

    /** Answers that could not be delivered because the asker had gone. */
    public long unanswered() {
        return unanswered;
    }

    private boolean handle(final long nowNs) {
        if (Collectives.isTag(message.tag())) {
            return collectives.onMessage(
                    message.tag(),
                    message.sourceNode(),
                    message.sourceContext(),
                    message.address(),
                    message.lengthBytes(),
                    nowNs);
        }
        return switch (message.tag()) {
            case ServiceProtocol.COUNT -> count(true);
            case ServiceProtocol.COUNT_NUMBER -> count(false);
            case ServiceProtocol.ECHO -> echo();
            case ServiceProtocol.COUNT_REPORT -> report(nowNs);
            case ServiceProtocol.COUNT_RESET -> {
                streams.reset(message.sourceNode(), message.sourceContext());
                yield report(nowNs);
            }
            case ServiceProtocol.TRACE -> trace(nowNs);
            case PortProtocol.LISTEN, PortProtocol.CLOSE, PortProtocol.LOOKUP -> answerPort();
            default -> true;
        };
    }

    // Other nodes trace for themselves.
    private boolean trace(final long nowNs) {
        return message.sourceNode() != node
                || traces.onRequest(
                        message.sourceContext(), message.address(), message.lengthBytes(), nowNs);
    }

    private boolean count(final boolean isWhole) {
        streams.onMessage(
                message.sourceNode(),
                message.sourceContext(),
                message.address(),
                message.lengthBytes(),
                isWhole);
        return true;
    }

    private boolean echo() {
        final int length = Math.min(message.lengthBytes(), context.maxLengthBytes());
        final int slot = context.claim(message.sourceNode(), message.sourceContext(), length);
        if (slot < 0) {
            return slot != PmStatus.NO_BUFFERS;
        }
        Memory.copy(message.address(), context.sendAddress(slot), length);
        context.send(slot, length, ServiceProtocol.ECHO_REPLY);
        return true;
    }

    private boolean report(final long nowNs) {
        final int slot =
                context.claim(
                        message.sourceNode(), message.sourceContext(), ServiceProtocol.REPLY_BYTES);
        if (slot < 0) {
            return slot != PmStatus.NO_BUFFERS;
        }
        streams.write(
                context.sendAddress(slot), message.sourceNode(), message.sourceContext(), nowNs);
        context.send(slot, ServiceProtocol.REPLY_BYTES, ServiceProtocol.COUNT_REPLY);
        return true;
    }

    private boolean answerPort() {
        if (message.lengthBytes() != PortProtocol.REQUEST_BYTES) {
            return true;
        }
        final int slot =
                context.claim(
                        message.sourceNode(), message.sourceContext(), PortProtocol.REPLY_BYTES);
        if (slot < 0) {
            return slot != PmStatus.NO_BUFFERS;
        }
        final long answer =
                ports.answer(
                        message.tag(),
                        message.sourceNode(),
                        message.sourceContext(),
                        PortProtocol.port(message.address()));
        PortProtocol.reply(
                context.sendAddress(slot),
                PortProtocol.number(message.address()),
                PortTable.status(answer),
                PortTable.value(answer));
        context.send(slot, PortProtocol.REPLY_BYTES, PortProtocol.REPLY);
        return true;
    }

    /** Messages of groups go out by the node's own context. */
    private record Outlet(PmContext context) implements GroupOutlet {
        @Override
        public int maxLengthBytes() {
            return context.maxLengthBytes();
        }

        @Override
        public int claim(final int node, final int peerContext, final int lengthBytes) {
            return context.claim(node, peerContext, lengthBytes);
        }

        @Override
        public long address(final int slot) {
            return context.sendAddress(slot);
        }

        @Override
        public void send(final int slot, final int lengthBytes, final int tag) {
            context.send(slot, lengthBytes, tag);
        }
    }
}
