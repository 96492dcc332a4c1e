package io.hxb.tool.measure;

import io.hxb.pm.PmContext;
import io.hxb.pm.PmEvent;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.tool.report.ToolException;

/**
 * One context of a measurement, with the waiting and the errors that all measurements share. Owned
 * by the thread that measures.
 */
final class MeasurementExchange implements AutoCloseable {
    private final PmContext context;
    private final PmEvent event = new PmEvent();
    private final PmMessage message = new PmMessage();

    MeasurementExchange(final PmContext context) {
        this.context = context;
    }

    PmContext context() {
        return context;
    }

    PmMessage message() {
        return message;
    }

    /** What {@link #next} has taken. */
    enum Arrival {
        /** A message, which is held until {@link #release}. */
        MESSAGE,
        /** Something went wrong; {@link #problem} describes it. */
        EVENT,
        /** Nothing came in time. */
        NOTHING
    }

    /** Claims a slot, waiting for one at most {@code timeoutNs}. */
    int claim(final int node, final int peerContext, final int lengthBytes, final long timeoutNs) {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        int slot = context.claim(node, peerContext, lengthBytes);
        while (slot == PmStatus.NO_BUFFERS && System.nanoTime() - deadlineNs < 0) {
            context.awaitSends(deadlineNs - System.nanoTime());
            checkEvents();
            slot = context.claim(node, peerContext, lengthBytes);
        }
        requireSlot(slot, node);
        return slot;
    }

    /**
     * Requires what {@code claim} returned to be a slot.
     *
     * @throws ToolException if it is not, with the reason.
     */
    void requireSlot(final int slot, final int node) {
        if (slot < 0) {
            throw new ToolException(
                    "no send buffer to node "
                            + node
                            + ": "
                            + PmStatus.name(slot)
                            + " "
                            + context.closeReason());
        }
    }

    /** Sends a claimed slot. */
    void send(final int slot, final int lengthBytes, final int tag) {
        final int status = context.send(slot, lengthBytes, tag);
        if (status != PmStatus.OK) {
            throw new ToolException(
                    "cannot send: " + PmStatus.name(status) + " " + context.closeReason());
        }
    }

    /**
     * Waits for the next message.
     *
     * @return false when none came in time.
     * @throws ToolException when a flow has failed meanwhile; the message names its peer.
     */
    boolean receive(final long timeoutNs) {
        final Arrival arrival = next(timeoutNs);
        if (arrival == Arrival.EVENT) {
            throw new ToolException(
                    "node " + event.node() + " context " + event.context() + ": " + problem());
        }
        return arrival == Arrival.MESSAGE;
    }

    /** Waits for the next message or event. */
    Arrival next(final long timeoutNs) {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        while (true) {
            final int status = context.receive(message);
            if (status == PmStatus.OK) {
                return Arrival.MESSAGE;
            }
            if (status != PmStatus.EMPTY) {
                throw new ToolException(
                        "cannot receive: " + PmStatus.name(status) + " " + context.closeReason());
            }
            if (context.pollEvent(event) == PmStatus.OK) {
                return Arrival.EVENT;
            }
            final long restNs = deadlineNs - System.nanoTime();
            if (restNs <= 0) {
                return Arrival.NOTHING;
            }
            context.await(restNs);
        }
    }

    /** True if the last event concerns a message or all that goes to its node. */
    boolean isEventAbout(final int node, final int slot) {
        return event.node() == node && (event.slot() == PmEvent.NO_SLOT || event.slot() == slot);
    }

    /** The last event as text for people. */
    String problem() {
        return explain(event.status());
    }

    void release() {
        context.release(message);
    }

    /** Waits until everything sent is acknowledged. */
    boolean drain(final long timeoutNs) {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        checkEvents();
        while (context.unfinishedSends() > 0) {
            final long restNs = deadlineNs - System.nanoTime();
            if (restNs <= 0) {
                return false;
            }
            context.awaitSends(restNs);
            checkEvents();
        }
        return true;
    }

    /**
     * Looks whether a flow has failed.
     *
     * @throws ToolException if so; the message names the peer.
     */
    void checkEvents() {
        if (context.pollEvent(event) == PmStatus.OK) {
            throw new ToolException(
                    "node " + event.node() + " context " + event.context() + ": " + problem());
        }
    }

    /** A status as text for people. */
    static String explain(final int status) {
        return switch (status) {
            case PmStatus.PEER_UNREACHABLE ->
                    "cannot be reached: see that its node runs and its links are up, by hxb doctor"
                            + " and hxb stat";
            case PmStatus.PEER_RESTARTED -> "has been restarted in between: try again";
            case PmStatus.NO_SUCH_CONTEXT ->
                    "nobody has opened that context: see that the node is of this version";
            case PmStatus.NOT_ALLOWED ->
                    "this user's tenant may not send there: see tenants in the cluster file";
            default -> PmStatus.name(status);
        };
    }

    @Override
    public void close() {
        context.close();
    }
}
