package io.hxb.config;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One tenant of a cluster: users who share nodes with users of other tenants. Immutable.
 *
 * @param name its name for people and in messages.
 * @param uids users who belong to it.
 * @param gids groups whose members belong to it, if their user is in no tenant.
 * @param contexts numbers of the contexts that its users may open; empty for any.
 * @param talksTo tenants, in addition to its own, to whose contexts its contexts may send.
 * @param limits what all its users together may have of a node; there is no limit for what is
 *     missing.
 * @param userLimits what each of its users may have; for what is missing the limit is that of
 *     {@link LimitConfig}.
 */
public record TenantConfig(
        String name,
        List<IdRange> uids,
        List<IdRange> gids,
        List<IdRange> contexts,
        List<String> talksTo,
        Map<ResourceShare, Long> limits,
        Map<ResourceShare, Long> userLimits) {

    /** Words that cannot be names of tenants, because they mean something else. */
    private static final Set<String> RESERVED =
            Set.of(TenantPlan.OPERATOR_NAME, "node", "none", "all");

    /** Copies the lists and checks what can be wrong in one tenant alone. */
    public TenantConfig {
        uids = List.copyOf(uids);
        gids = List.copyOf(gids);
        contexts = List.copyOf(contexts);
        talksTo = List.copyOf(talksTo);
        limits = copy(limits);
        userLimits = copy(userLimits);
        new Check()
                .that(isName(name), "name", "must be " + ClusterConfig.NAME_RULE + ": " + name)
                .that(
                        !uids.isEmpty() || !gids.isEmpty(),
                        "uids",
                        "and gids are both empty: nobody is in this tenant")
                .that(
                        uids.stream().noneMatch(range -> range.contains(0)),
                        "uids",
                        "must not have 0: root is the operator of the nodes")
                .done();
        check(limits);
        check(userLimits);
    }

    private static Map<ResourceShare, Long> copy(final Map<ResourceShare, Long> limits) {
        final Map<ResourceShare, Long> copy = new EnumMap<>(ResourceShare.class);
        copy.putAll(limits);
        return Collections.unmodifiableMap(copy);
    }

    /** Checks limits that a file gives. */
    public static void check(final Map<ResourceShare, Long> limits) {
        final Check check = new Check();
        limits.forEach((share, limit) -> share.check(check, limit));
        check.done();
    }

    /** True if a tenant may have this name. */
    public static boolean isName(final String name) {
        return ClusterConfig.isName(name) && !RESERVED.contains(name);
    }

    /** The number that stands for it in frames. */
    public int id() {
        return TenantPlan.idOf(name);
    }

    /** True if its users may open the context of that number. */
    public boolean mayOpen(final int contextId) {
        return contexts.isEmpty() || contexts.stream().anyMatch(range -> range.contains(contextId));
    }
}
