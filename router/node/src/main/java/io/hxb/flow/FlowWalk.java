package io.hxb.flow;

import io.hxb.pm.attach.ListedFlow;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Predicate;

/**
 * One pass through the flows of a loop, of which the busiest are noted, so that the memory it takes
 * is bounded. Owned by that loop until it is over.
 *
 * <p>It goes from the last to the first, because flows come at the end: one that ends meanwhile
 * moves others to where they are met once more, but none to where it is missed. Those met twice are
 * noted once.
 */
public final class FlowWalk {
    private final Predicate<FlowRights> isShown;
    private final int maxRows;

    /** The one that carried least comes first, and leaves when there are too many. */
    private final PriorityQueue<ListedFlow> busiest =
            new PriorityQueue<>(ListedFlow.BUSIEST_FIRST.reversed());

    private final Set<ListedFlow.Ends> noted = new HashSet<>();
    private FlowContext context;
    private int contextIndex = -1;
    private int sendIndex;
    private int receiveIndex;
    private long total;
    private boolean hasBegun;

    /**
     * A pass that has not begun.
     *
     * @param isShown whether flows of contexts with these rights are wanted.
     * @param maxRows how many are noted, 1 or more.
     */
    public FlowWalk(final Predicate<FlowRights> isShown, final int maxRows) {
        this.isShown = isShown;
        this.maxRows = maxRows;
    }

    /** Flows that were met, and contexts without one. */
    public long total() {
        return total;
    }

    /** What was noted, in no order. */
    public List<ListedFlow> rows() {
        return new ArrayList<>(busiest);
    }

    /** Notes one that belongs to the same answer, or not if others carried more. */
    public void add(final ListedFlow flow) {
        if (!noted.add(flow.ends())) {
            return;
        }
        total++;
        busiest.add(flow);
        if (busiest.size() > maxRows) {
            noted.remove(busiest.poll().ends());
        }
    }

    /** Notes what another pass has. */
    public void addAll(final FlowWalk other) {
        final long both = total + other.total;
        other.busiest.forEach(this::add);
        total = both;
    }

    /**
     * Goes on.
     *
     * @param contexts of the loop, now.
     * @param maxFlows how many flows and contexts are looked at.
     * @return true once it is over.
     */
    boolean step(final FlowContext[] contexts, final int maxFlows) {
        if (!hasBegun) {
            hasBegun = true;
            contextIndex = contexts.length;
        }
        for (int left = maxFlows; left > 0; left--) {
            if (context == null || !context.isOpen()) {
                contextIndex = Math.min(contextIndex, contexts.length) - 1;
                if (contextIndex < 0) {
                    return true;
                }
                begin(contexts[contextIndex]);
            } else {
                next();
            }
        }
        return false;
    }

    private void begin(final FlowContext next) {
        if (!isShown.test(next.rights)) {
            return;
        }
        context = next;
        sendIndex = next.sendFlowCount();
        receiveIndex = next.receiveFlowCount();
        if (sendIndex + receiveIndex == 0 && ContextKind.of(next.id) == ContextKind.MESSAGES) {
            add(FlowRow.of(next));
        }
    }

    private void next() {
        if (sendIndex > 0) {
            sendIndex = Math.min(sendIndex, context.sendFlowCount()) - 1;
            if (sendIndex >= 0) {
                add(FlowRow.of(context.sendFlow(sendIndex)));
            }
        } else if (receiveIndex > 0) {
            receiveIndex = Math.min(receiveIndex, context.receiveFlowCount()) - 1;
            final ReceiveFlow flow = receiveIndex >= 0 ? context.receiveFlow(receiveIndex) : null;
            // The others are in the row of the flow to the same peer.
            if (flow != null && flow.opposite() == null) {
                add(FlowRow.of(flow));
            }
        } else {
            context = null;
        }
    }
}
