package io.hxb.context;

import io.hxb.config.TenantConfig;
import io.hxb.config.TenantPlan;
import io.hxb.flow.ContextKind;
import io.hxb.flow.FlowRights;
import io.hxb.flow.FlowWalk;
import io.hxb.linux.Descriptors;
import io.hxb.linux.LinuxException;
import io.hxb.linux.MemoryFile;
import io.hxb.linux.SharedMemory;
import io.hxb.pm.PmException;
import io.hxb.pm.attach.FlowListing;
import io.hxb.pm.attach.ListedFlow;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Lists who talks to whom, for those who may see it. Owned by the attach thread.
 *
 * <p>Operators see all; others see what belongs to their user or to their tenant. A turn of a loop
 * looks at 64 flows, and a loop notes the busiest 1,024, so that neither a turn nor the memory
 * grows with the number of flows. One user is answered every 100 ms at most. A loop that hangs is
 * waited for as long as when a context opens, and then not asked for as long again.
 */
final class FlowLists {
    private static final long LIMIT_NS = 4_000_000_000L;

    private final ContextParts parts;
    private final UserShares shares;
    private final ContextTable table;
    private final DirectOffers directOffers;
    private final ContextLoopProxy[] loops;
    private final Map<UserAccount, Long> asked = new WeakHashMap<>();
    private boolean isSlow;
    private long slowNs;

    FlowLists(
            final ContextParts parts,
            final UserShares shares,
            final ContextTable table,
            final DirectOffers directOffers,
            final ContextLoopProxy[] loops) {
        this.parts = parts;
        this.shares = shares;
        this.table = table;
        this.directOffers = directOffers;
        this.loops = loops.clone();
    }

    /**
     * Whose flows are shown.
     *
     * @param asker who asks.
     * @param view {@link FlowListing#OWN_VIEW} or {@link FlowListing#viewOf}.
     * @throws PmException if the asker may not see them.
     */
    Predicate<FlowRights> view(final UserAccount asker, final long view) throws PmException {
        final boolean isOperator = asker.tenant() == TenantPlan.OPERATOR;
        if (view == FlowListing.OWN_VIEW) {
            return isOperator ? _ -> true : viewOf(asker.uid());
        }
        if (!isOperator) {
            throw new PmException("only operators may see what another user sees");
        }
        if (view < 1 || view - 1 > Integer.MAX_VALUE) {
            throw new PmException("there is no user " + (view - 1));
        }
        return viewOf((int) (view - 1));
    }

    private Predicate<FlowRights> viewOf(final int uid) {
        final TenantPlan plan = parts.cluster().tenants();
        final Set<Integer> tenants =
                shares.accounts().stream()
                        .filter(account -> account.uid() == uid)
                        .map(UserAccount::tenant)
                        .filter(tenant -> plan.ofId(tenant).isPresent())
                        .collect(Collectors.toCollection(HashSet::new));
        plan.ofUser(uid).map(TenantConfig::id).ifPresent(tenants::add);
        return rights -> rights.uid() == uid || tenants.contains(rights.tenant());
    }

    /** True if a user may have an answer now; it counts as given. */
    boolean mayAsk(final UserAccount asker, final long nowNs) {
        final Long lastNs = asked.get(asker);
        if (lastNs != null && nowNs - lastNs < FlowListing.PAUSE_NS) {
            return false;
        }
        asked.put(asker, nowNs);
        return true;
    }

    /**
     * Maps the memory that an asker lends for the answer; it cannot take the pages away.
     *
     * @param fd what it has passed; the caller closes it.
     * @throws PmException if the node may not trust it; the message gives the reason.
     */
    static SharedMemory map(final int fd) throws PmException {
        String problem = MemoryFile.problem(fd, FlowListing.LENGTH_BYTES);
        if (problem.isEmpty()) {
            final SharedMemory memory = mapWritable(fd);
            problem = MemoryFile.sealPages(fd, FlowListing.LENGTH_BYTES);
            if (problem.isEmpty()) {
                return memory;
            }
            memory.close();
        }
        throw new PmException("the node does not accept this memory: " + problem);
    }

    private static SharedMemory mapWritable(final int fd) throws PmException {
        try {
            final int own = Descriptors.duplicate(fd);
            try {
                return SharedMemory.mapReadWrite(own, FlowListing.LENGTH_BYTES);
            } catch (final LinuxException e) {
                Descriptors.close(own);
                throw e;
            }
        } catch (final LinuxException e) {
            throw new PmException("the node cannot map memory: " + e.getMessage(), e);
        }
    }

    /**
     * The flows of all loops, the busiest first. Blocks until each loop has answered, at most 4
     * seconds.
     *
     * @param isShown {@link #view}.
     * @throws PmException if a loop does not answer; the message gives the reason.
     */
    FlowListing list(final Predicate<FlowRights> isShown) throws PmException {
        final long beginNs = System.nanoTime();
        if (isSlow && beginNs - slowNs < LIMIT_NS) {
            throw new PmException("a loop of the node hangs or is overloaded");
        }
        isSlow = false;
        final List<CompletableFuture<FlowWalk>> walks = new ArrayList<>();
        for (final ContextLoopProxy loop : loops) {
            walks.add(loop.walk(new FlowWalk(isShown, FlowListing.MAX_FLOWS)));
        }
        final FlowWalk all = new FlowWalk(isShown, FlowListing.MAX_FLOWS);
        try {
            for (final CompletableFuture<FlowWalk> walk : walks) {
                all.addAll(await(walk, beginNs));
            }
        } finally {
            walks.forEach(walk -> walk.cancel(false));
        }
        final long nowNs = System.nanoTime();
        final List<ListedFlow> flows = all.rows();
        final long more = addRings(flows, isShown);
        flows.sort(ListedFlow.BUSIEST_FIRST);
        return new FlowListing(
                flows.stream().limit(FlowListing.MAX_FLOWS).map(this::withPid).toList(),
                all.total() + more,
                nowNs);
    }

    private FlowWalk await(final CompletableFuture<FlowWalk> walk, final long beginNs)
            throws PmException {
        try {
            final long leftNs = LIMIT_NS - (System.nanoTime() - beginNs);
            return walk.get(Math.max(0, leftNs), TimeUnit.NANOSECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PmException("interrupted while flows were listed", e);
        } catch (final ExecutionException e) {
            throw e.getCause() instanceof NodeStopsException
                    ? PmException.nodeMissing("the node stops", e)
                    : new PmException("flows cannot be listed: " + e.getCause(), e);
        } catch (final TimeoutException e) {
            isSlow = true;
            slowNs = System.nanoTime();
            throw new PmException(
                    "the node has not listed its flows within 4 s: it is overloaded or hangs", e);
        }
    }

    /** Adds what is sent by rings, about which no loop knows; returns how many more there are. */
    private long addRings(final List<ListedFlow> flows, final Predicate<FlowRights> isShown) {
        final Set<Integer> senders = new HashSet<>();
        long more = 0;
        for (final DirectOffers.Ring ring : directOffers.rings()) {
            final UserAccount account = ring.sender().application().account();
            if (isShown.test(account)) {
                more++;
                senders.add(ring.sender().contextId());
                if (more <= FlowListing.MAX_FLOWS) {
                    flows.add(row(ring, account));
                }
            }
        }
        // These are no contexts without a flow.
        final int before = flows.size();
        flows.removeIf(
                flow ->
                        flow.state() == ListedFlow.State.CONTEXT
                                && senders.contains(flow.ends().context()));
        return more - (before - flows.size());
    }

    private ListedFlow row(final DirectOffers.Ring ring, final UserAccount account) {
        return new ListedFlow(
                new ListedFlow.Ends(
                        ContextKind.MESSAGES,
                        ring.sender().contextId(),
                        parts.nodeId(),
                        ContextKind.MESSAGES,
                        ring.receiver().contextId()),
                new ListedFlow.Owner(account.uid(), account.tenant(), 0),
                ListedFlow.State.DIRECT,
                ListedFlow.Amount.NONE,
                ListedFlow.Amount.NONE,
                ListedFlow.Sending.NONE);
    }

    private ListedFlow withPid(final ListedFlow flow) {
        final int kind = flow.ends().kind();
        final ContextEndpoint endpoint =
                kind == ContextKind.PACKETS ? null : table.endpoint(flow.ends().context());
        if (endpoint == null) {
            return flow;
        }
        final AttachedProcess process = endpoint.application();
        return process.account().uid() == flow.owner().uid() ? flow.withPid(process.pid()) : flow;
    }
}
