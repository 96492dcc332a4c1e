package io.hxb.context;

import io.hxb.config.ResourceShare;
import io.hxb.config.TenantConfig;
import io.hxb.config.TenantPlan;
import io.hxb.config.TenantRights;
import io.hxb.flow.CreditPool;
import io.hxb.flow.FlowRights;
import io.hxb.pm.PmException;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * What all processes of one user have of a node together, compared with what the user may have. Any
 * thread; {@link UserShares} makes one for each user.
 */
final class UserAccount implements FlowRights {
    private final int uid;
    private final String who;
    private final Map<ResourceShare, QuotaCounter> books = new EnumMap<>(ResourceShare.class);
    private final QuotaCounter flows;
    private final MessageRateLimiter messageRateLimiter;
    private final AtomicLong returningBytes = new AtomicLong();
    private final TenantPlan plan;
    private final int tenant;
    private final String tenantName;
    private final TenantRights rights;
    private final TenantConfig config;
    private final TenantViolations crossings = new TenantViolations();
    private final QuotaCounter heldBuffers;

    /**
     * An account without entries.
     *
     * @param uid the user; -1 for the node itself.
     * @param who it is, for messages.
     * @param plan of all tenants.
     * @param tenant number of the tenant whose member the user is.
     * @param books of each share.
     * @param tenantRate how many messages the users of the tenant may send together, or null
     *     without a limit.
     */
    UserAccount(
            final int uid,
            final String who,
            final TenantPlan plan,
            final int tenant,
            final Function<ResourceShare, QuotaCounter> books,
            final MessageRateLimiter tenantRate) {
        this.uid = uid;
        this.who = who;
        this.plan = plan;
        this.tenant = tenant;
        tenantName = plan.isEmpty() ? "" : plan.name(tenant);
        rights = plan.rightsOf(tenant);
        config = plan.ofId(tenant).orElse(null);
        for (final ResourceShare share : ResourceShare.values()) {
            this.books.put(share, books.apply(share));
        }
        flows = book(ResourceShare.FLOWS);
        final QuotaCounter messages = book(ResourceShare.MESSAGES);
        messageRateLimiter =
                messages.limit() == QuotaCounter.UNLIMITED && tenantRate == null
                        ? null
                        : new MessageRateLimiter(messages, tenantRate, System.nanoTime());
        heldBuffers = book(ResourceShare.HELD_BUFFERS);
    }

    @Override
    public int uid() {
        return uid;
    }

    /** Who it is, for messages: such as {@code user 1000}. */
    String who() {
        return who;
    }

    /** How many messages the user may send per second; null without a limit. */
    MessageRateLimiter messageRate() {
        return messageRateLimiter;
    }

    /** The book of one share; the same one as long as the account lives. */
    QuotaCounter book(final ResourceShare share) {
        return books.get(share);
    }

    /**
     * Takes an amount of a share; {@link QuotaCounter#giveBack} gives it back.
     *
     * @throws PmException which names the limit and its key, if that is more than is left.
     */
    void charge(final ResourceShare share, final long amount) throws PmException {
        final QuotaCounter book = book(share);
        if (!book.take(amount)) {
            throw new PmException(book.refusal(amount));
        }
    }

    /** Gives back what was charged. */
    void giveBack(final ResourceShare share, final long amount) {
        book(share).giveBack(amount);
    }

    /**
     * Some memory is about to be given back, which takes a while; a negative amount has been given
     * back.
     */
    void onReturning(final long bytes) {
        returningBytes.addAndGet(bytes);
    }

    /** True while memory is being given back: what is refused now may be granted soon. */
    boolean isReturning() {
        return returningBytes.get() > 0;
    }

    @Override
    public boolean takeFlow() {
        return flows.take(1);
    }

    @Override
    public void giveBackFlow() {
        flows.giveBack(1);
    }

    @Override
    public CreditPool receiveCredit() {
        return heldBuffers.credit();
    }

    @Override
    public void onCreditLimited() {
        final QuotaCounter limiting = heldBuffers.limiting();
        heldBuffers.noteRefusal();
        if (limiting != heldBuffers) {
            limiting.noteRefusal();
        }
    }

    @Override
    public int tenant() {
        return tenant;
    }

    /** Describes a tenant named in a frame. */
    String nameOf(final int someTenant) {
        return plan.name(someTenant);
    }

    /** Name of the tenant; empty where there are none. */
    String tenantName() {
        return tenantName;
    }

    @Override
    public boolean mayReceiveFrom(final int peerTenant, final int peerNode, final int peerContext) {
        final boolean may = rights.mayReceiveFrom(peerTenant);
        if (!may) {
            crossings.onRefused(false, peerTenant, peerNode, peerContext);
        }
        return may;
    }

    @Override
    public boolean maySendTo(final int peerTenant, final int peerNode, final int peerContext) {
        final boolean may = rights.maySendTo(peerTenant);
        if (!may) {
            crossings.onRefused(true, peerTenant, peerNode, peerContext);
        }
        return may;
    }

    /** True if the user's contexts may send to each other. */
    boolean mayTalkWithItself() {
        return rights.maySendTo(tenant) && rights.mayReceiveFrom(tenant);
    }

    /** Flows that were refused because of their tenants. */
    TenantViolations crossings() {
        return crossings;
    }

    /**
     * Checks that the user may open the context of that number.
     *
     * @throws PmException if the user's tenant may not.
     */
    void checkContext(final int contextId) throws PmException {
        if (config != null && !config.mayOpen(contextId)) {
            throw new PmException(
                    "context "
                            + contextId
                            + " is not one of tenant "
                            + tenantName
                            + ", which may open "
                            + config.contexts()
                            + " (tenants."
                            + tenantName
                            + ".contexts in the cluster file)");
        }
    }

    /** True if the user has nothing of the node. */
    boolean isIdle() {
        return books.values().stream().allMatch(book -> book.used() == 0);
    }
}
