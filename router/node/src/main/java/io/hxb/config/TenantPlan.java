package io.hxb.config;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The tenants of a cluster. Immutable. Without any, every application may talk with every other.
 *
 * <p>In frames a tenant is a number derived from its name, so that the files of two nodes may list
 * tenants in different order.
 *
 * @param tenants in the order of the file.
 */
public record TenantPlan(List<TenantConfig> tenants) {
    /** No tenants. */
    public static final TenantPlan NONE = new TenantPlan(List.of());

    /** In frames, the number of users of a node whose file has no tenants. */
    public static final int NO_TENANT = 0;

    /** In frames, the number of a node itself, which answers everybody. */
    public static final int NODE = 1;

    /** In frames, the number of root and the nodes' own user, who may send to everybody. */
    public static final int OPERATOR = 2;

    /** The operator's name, for {@code talksTo} and messages. */
    public static final String OPERATOR_NAME = "operator";

    private static final int RESERVED_IDS = 3;

    /** Copies the list and checks what can be wrong between tenants. */
    public TenantPlan {
        tenants = List.copyOf(tenants);
        final Check check = new Check();
        checkNames(check, tenants);
        checkTalk(check, tenants);
        checkOverlap(check, tenants, "uids", TenantConfig::uids);
        checkOverlap(check, tenants, "gids", TenantConfig::gids);
        check.done();
    }

    /** The number that stands for the tenant of that name. */
    static int idOf(final String name) {
        final int id = ClusterConfig.idOf("tenant " + name);
        return id >= 0 && id < RESERVED_IDS ? id + RESERVED_IDS : id;
    }

    private static void checkNames(final Check check, final List<TenantConfig> tenants) {
        final Map<Integer, String> names = new HashMap<>();
        for (final TenantConfig tenant : tenants) {
            final String other = names.putIfAbsent(tenant.id(), tenant.name());
            check.that(
                    other == null,
                    tenant.name() + ".name",
                    "stands for the same number in frames as tenant "
                            + other
                            + ": choose another one");
        }
    }

    private static void checkTalk(final Check check, final List<TenantConfig> tenants) {
        final List<String> names = tenants.stream().map(TenantConfig::name).toList();
        for (final TenantConfig tenant : tenants) {
            for (final String other : tenant.talksTo()) {
                check.that(
                        names.contains(other) || other.equals(OPERATOR_NAME),
                        tenant.name() + ".talksTo",
                        "names the unknown tenant '"
                                + other
                                + "'; there are "
                                + String.join(", ", names)
                                + " and "
                                + OPERATOR_NAME);
            }
        }
    }

    private record Claim(IdRange range, int index) {}

    private static void checkOverlap(
            final Check check,
            final List<TenantConfig> tenants,
            final String key,
            final Function<TenantConfig, List<IdRange>> ranges) {
        final List<Claim> claims = new ArrayList<>();
        for (int i = 0; i < tenants.size(); i++) {
            for (final IdRange range : ranges.apply(tenants.get(i))) {
                claims.add(new Claim(range, i));
            }
        }
        claims.sort(Comparator.comparingInt(claim -> claim.range.first()));
        Claim widest = null;
        for (final Claim claim : claims) {
            if (widest != null && widest.range.contains(claim.range.first())) {
                reportOverlap(check, tenants, key, widest, claim);
            }
            if (widest == null || claim.range.last() > widest.range.last()) {
                widest = claim;
            }
        }
    }

    private static void reportOverlap(
            final Check check,
            final List<TenantConfig> tenants,
            final String key,
            final Claim one,
            final Claim other) {
        final Claim earlier = one.index <= other.index ? one : other;
        final Claim later = one.index <= other.index ? other : one;
        check.that(
                false,
                tenants.get(later.index).name() + "." + key,
                "has "
                        + later.range
                        + ", but "
                        + (earlier.index == later.index
                                ? "also "
                                : "tenant " + tenants.get(earlier.index).name() + " has ")
                        + earlier.range);
    }

    /** True if there are none. */
    public boolean isEmpty() {
        return tenants.isEmpty();
    }

    /** The tenant that a number in a frame stands for; empty for none that this file knows. */
    public Optional<TenantConfig> ofId(final int id) {
        return tenants.stream().filter(tenant -> tenant.id() == id).findFirst();
    }

    /** Describes the tenant that a number in a frame stands for. */
    public String name(final int id) {
        return switch (id) {
            case NO_TENANT -> "none";
            case NODE -> "node";
            case OPERATOR -> OPERATOR_NAME;
            default -> ofId(id).map(TenantConfig::name).orElse("unknown");
        };
    }

    /**
     * The number of the tenant of that name, {@link #OPERATOR} for that of the operator.
     *
     * @param name empty for {@link #NO_TENANT}.
     */
    public int id(final String name) {
        if (name.isEmpty()) {
            return NO_TENANT;
        }
        return name.equals(OPERATOR_NAME) ? OPERATOR : idOf(name);
    }

    /** True if there is a tenant of that name, or it is that of the operator. */
    boolean has(final String name) {
        return name.equals(OPERATOR_NAME)
                || tenants.stream().anyMatch(tenant -> tenant.name().equals(name));
    }

    /** The tenant that has this user. */
    public Optional<TenantConfig> ofUser(final int uid) {
        return tenants.stream().filter(tenant -> contains(tenant.uids(), uid)).findFirst();
    }

    /** The tenants that have one of these groups, in the order of the file. */
    public List<TenantConfig> ofGroups(final Collection<Integer> gids) {
        return tenants.stream()
                .filter(tenant -> gids.stream().anyMatch(gid -> contains(tenant.gids(), gid)))
                .collect(Collectors.toUnmodifiableList());
    }

    private static boolean contains(final List<IdRange> ranges, final int id) {
        return ranges.stream().anyMatch(range -> range.contains(id));
    }

    /** The tenants to which contexts of the tenant with that number may talk. */
    public TenantRights rightsOf(final int id) {
        if (isEmpty() || id == NODE) {
            return TenantRights.ALL;
        }
        final List<Integer> senders = new ArrayList<>(List.of(NODE, OPERATOR));
        final List<Integer> receivers = new ArrayList<>(List.of(NODE));
        if (id != NO_TENANT) {
            senders.add(id);
            receivers.add(id);
        }
        final Optional<TenantConfig> own = ofId(id);
        for (final TenantConfig other : tenants) {
            if (other.talksTo().contains(name(id))) {
                senders.add(other.id());
            }
            if (own.isPresent() && own.get().talksTo().contains(other.name())) {
                receivers.add(other.id());
            }
        }
        if (own.isPresent() && own.get().talksTo().contains(OPERATOR_NAME)) {
            receivers.add(OPERATOR);
        }
        return id == OPERATOR ? TenantRights.toAll(senders) : new TenantRights(senders, receivers);
    }
}
