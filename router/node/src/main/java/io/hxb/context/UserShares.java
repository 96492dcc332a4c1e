package io.hxb.context;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LimitConfig;
import io.hxb.config.ResourceShare;
import io.hxb.config.TenantConfig;
import io.hxb.config.TenantPlan;
import io.hxb.counter.ResourceUse;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the users of a node have of it, and what they may have. Any thread.
 *
 * <p>Root and the node's own user have no limits. All other users together leave a part of the
 * connections and contexts free for them, so that the node's operator can always attach.
 */
final class UserShares {
    /** One part in this number is kept of what others may not take completely. */
    private static final int RESERVED_PART = 8;

    private static final int NODE_UID = -1;
    private static final int MAX_IDLE_ACCOUNTS = 1_024;

    private final LimitConfig limits;
    private final TenantPlan tenants;
    private final int poolBuffers;
    private final int maxConnections;
    private final int maxContexts;
    private final Set<Integer> exemptUids;
    private final Map<ResourceShare, QuotaCounter> others = new EnumMap<>(ResourceShare.class);
    private final Map<Integer, Map<ResourceShare, QuotaCounter>> ofTenants = new HashMap<>();
    private final Map<Integer, MessageRateLimiter> tenantRates = new HashMap<>();
    private final Map<Member, UserAccount> accounts = new ConcurrentHashMap<>();
    private final Map<ResourceShare, AtomicLong> refused = new EnumMap<>(ResourceShare.class);
    private final UserAccount node;
    private final UserAccount service;

    private record Member(int uid, int tenant) {}

    /**
     * Opens the books of a node.
     *
     * @param maxConnections processes that may be attached at once.
     * @param exemptUids users without limits.
     */
    UserShares(
            final ClusterConfig cluster, final int maxConnections, final Set<Integer> exemptUids) {
        this.maxConnections = maxConnections;
        maxContexts = cluster.contexts();
        limits = cluster.limits();
        tenants = cluster.tenants();
        poolBuffers = cluster.pool().bufferCount();
        this.exemptUids = Set.copyOf(exemptUids);
        reserve(ResourceShare.CONNECTIONS, "the number of connections of a node", maxConnections);
        reserve(ResourceShare.CONTEXTS, "context.maxContexts", maxContexts);
        for (final ResourceShare share : ResourceShare.values()) {
            refused.put(share, new AtomicLong());
        }
        for (final TenantConfig tenant : tenants.tenants()) {
            final Map<ResourceShare, QuotaCounter> books = books(tenant);
            ofTenants.put(tenant.id(), books);
            final QuotaCounter messages = books.get(ResourceShare.MESSAGES);
            if (messages != null && messages.limit() != QuotaCounter.UNLIMITED) {
                tenantRates.put(
                        tenant.id(), new MessageRateLimiter(messages, null, System.nanoTime()));
            }
        }
        node = own("this process", TenantPlan.OPERATOR);
        service = own("the node itself", TenantPlan.NODE);
    }

    private UserAccount own(final String who, final int tenant) {
        return new UserAccount(
                NODE_UID, who, tenants, tenant, share -> unlimited(who, share), null);
    }

    /** The books of what all users of a tenant have together. */
    private Map<ResourceShare, QuotaCounter> books(final TenantConfig tenant) {
        final Map<ResourceShare, QuotaCounter> books = new EnumMap<>(ResourceShare.class);
        for (final Map.Entry<ResourceShare, Long> limit : tenant.limits().entrySet()) {
            final ResourceShare share = limit.getKey();
            books.put(
                    share,
                    new QuotaCounter(
                            "tenant " + tenant.name(),
                            share,
                            "tenants." + tenant.name() + ".limits." + share.key(),
                            resolve(share, limit.getValue()),
                            others.get(share),
                            new AtomicLong()));
        }
        return books;
    }

    /** The books of a node whose own user is that of this process. */
    static UserShares of(final ClusterConfig cluster, final int maxConnections) {
        return new UserShares(cluster, maxConnections, AttachAccess.ownUser().uids());
    }

    private void reserve(final ResourceShare share, final String key, final long total) {
        final long limit = Math.max(1, total - Math.max(1, total / RESERVED_PART));
        others.put(
                share,
                new QuotaCounter("all users together", share, key, limit, null, new AtomicLong()));
    }

    /** The account of applications in the node's own process. */
    UserAccount node() {
        return node;
    }

    /** The account of a node's own context, which answers everybody. */
    UserAccount service() {
        return service;
    }

    /**
     * The account of packets that the virtual NIC of the node carries for a tenant: what they take
     * counts as the tenant's, and the tenant's own limits are the only ones. Called once.
     *
     * @param tenant its number.
     */
    UserAccount virtualNic(final int tenant) {
        final String who = "the virtual NIC";
        final UserAccount account =
                new UserAccount(
                        NODE_UID,
                        who,
                        tenants,
                        tenant,
                        share -> ofTenant(who, share, tenant),
                        null);
        accounts.put(new Member(NODE_UID, tenant), account);
        return account;
    }

    private QuotaCounter ofTenant(final String who, final ResourceShare share, final int tenant) {
        return new QuotaCounter(
                who,
                share,
                "none",
                QuotaCounter.UNLIMITED,
                ofTenants.getOrDefault(tenant, Map.of()).get(share),
                refused.get(share));
    }

    /** The account of a user without a tenant. */
    UserAccount of(final int uid) {
        return of(uid, TenantPlan.NO_TENANT);
    }

    /** The account of a user as a member of a tenant; the same one at each call. */
    UserAccount of(final int uid, final int tenant) {
        final Member member = new Member(uid, tenant);
        if (accounts.size() >= MAX_IDLE_ACCOUNTS && !accounts.containsKey(member)) {
            accounts.values().removeIf(each -> each.uid() != NODE_UID && each.isIdle());
        }
        return accounts.computeIfAbsent(member, this::open);
    }

    private UserAccount open(final Member member) {
        final String who = "user " + member.uid;
        if (exemptUids.contains(member.uid)) {
            return new UserAccount(
                    member.uid, who, tenants, member.tenant, share -> unlimited(who, share), null);
        }
        return new UserAccount(
                member.uid,
                who,
                tenants,
                member.tenant,
                share -> limited(who, share, member),
                tenantRates.get(member.tenant));
    }

    private QuotaCounter limited(final String who, final ResourceShare share, final Member member) {
        final Map<ResourceShare, Long> ofMembers =
                tenants.ofId(member.tenant).map(TenantConfig::userLimits).orElse(Map.of());
        final boolean isOfTenant = ofMembers.containsKey(share);
        final String section =
                isOfTenant ? "tenants." + tenants.name(member.tenant) + ".userLimits." : "limits.";
        return new QuotaCounter(
                who,
                share,
                section + share.key(),
                resolve(share, isOfTenant ? ofMembers.get(share) : limits.limit(share)),
                ofTenants
                        .getOrDefault(member.tenant, others)
                        .getOrDefault(share, others.get(share)),
                refused.get(share));
    }

    private QuotaCounter unlimited(final String who, final ResourceShare share) {
        return new QuotaCounter(
                who, share, "none", QuotaCounter.UNLIMITED, null, refused.get(share));
    }

    /** The limit that a value of the file means. */
    private long resolve(final ResourceShare share, final long limit) {
        return switch (share) {
            case CONNECTIONS -> limit > 0 ? limit : LimitConfig.mostOf(maxConnections);
            case CONTEXTS -> limit > 0 ? limit : LimitConfig.mostOf(maxContexts);
            case HELD_BUFFERS -> limit > 0 ? limit : Math.max(1, poolBuffers / 4);
            case MESSAGES -> limit > 0 ? limit : QuotaCounter.UNLIMITED;
            case MEMORY_BYTES, REGIONS, FLOWS -> limit;
        };
    }

    /** How often any user was refused more of a share. */
    long refused(final ResourceShare share) {
        return refused.get(share).get();
    }

    /** All accounts made since the node started, the node's own ones first. */
    List<UserAccount> accounts() {
        final List<UserAccount> all = new ArrayList<>(accounts.values());
        all.addFirst(node);
        all.addFirst(service);
        return all;
    }

    /**
     * What tenants and users have, but for those who have nothing and were never refused anything:
     * tenants in the order of the file, then the users who were refused most.
     */
    List<ResourceUse> uses() {
        final List<ResourceUse> uses = new ArrayList<>();
        for (final TenantConfig tenant : tenants.tenants()) {
            uses.add(use(tenant));
        }
        accounts.values().stream()
                .map(UserShares::use)
                .sorted(Comparator.comparingLong(ResourceUse::refused).reversed())
                .forEach(uses::add);
        uses.removeIf(ResourceUse::isNothing);
        return uses;
    }

    private static ResourceUse use(final UserAccount account) {
        final Map<String, ResourceUse.Figures> shares = new LinkedHashMap<>();
        for (final ResourceShare share : ResourceShare.values()) {
            shares.put(share.key(), account.book(share).figures());
        }
        return new ResourceUse(account.who(), account.tenantName(), shares);
    }

    // What a tenant has without a limit is what its users have.
    private ResourceUse use(final TenantConfig tenant) {
        final Map<String, ResourceUse.Figures> shares = new LinkedHashMap<>();
        for (final ResourceShare share : ResourceShare.values()) {
            final QuotaCounter book = ofTenants.get(tenant.id()).get(share);
            shares.put(share.key(), book != null ? book.figures() : ofMembers(tenant.id(), share));
        }
        return new ResourceUse("tenant " + tenant.name(), "", shares);
    }

    private ResourceUse.Figures ofMembers(final int tenant, final ResourceShare share) {
        final long held =
                accounts.entrySet().stream()
                        .filter(entry -> entry.getKey().tenant == tenant)
                        .mapToLong(entry -> entry.getValue().book(share).used())
                        .sum();
        return new ResourceUse.Figures(
                share == ResourceShare.MESSAGES ? ResourceUse.Figures.NONE : held,
                ResourceUse.Figures.NONE,
                0);
    }
}
