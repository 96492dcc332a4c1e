package io.hxb.config.yaml;

import io.hxb.config.Check;
import io.hxb.config.ClusterConfig;
import io.hxb.config.ContextConfig;
import io.hxb.config.IdRange;
import io.hxb.config.LimitConfig;
import io.hxb.config.ResourceShare;
import io.hxb.config.TenantConfig;
import io.hxb.config.TenantPlan;
import io.hxb.os.UserNames;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;

/** Reads the section {@code tenants}. Used once, by one thread. */
final class TenantReader {
    private final int maxContexts;
    private final Map<String, YamlSection> sections = new LinkedHashMap<>();
    private final Set<String> broken = new HashSet<>();

    /**
     * Prepares to read.
     *
     * @param maxContexts of a node, as configured; 0 if it is not.
     */
    TenantReader(final int maxContexts) {
        this.maxContexts = maxContexts;
    }

    /** The tenants; none when problems were found. */
    TenantPlan read(final YamlSection section) {
        final List<TenantConfig> tenants = new ArrayList<>();
        for (final String name : section.keys()) {
            final YamlSection tenant = section.section(name);
            if (TenantConfig.isName(name)) {
                sections.put(name, tenant);
                final TenantConfig config = tenant(name, tenant);
                if (config == null) {
                    broken.add(name);
                } else {
                    tenants.add(config);
                }
            } else {
                section.problem(
                        name,
                        "cannot be a tenant's name: must be "
                                + ClusterConfig.NAME_RULE
                                + ", and not operator, node, none or all");
            }
        }
        return plan(tenants);
    }

    private TenantPlan plan(final List<TenantConfig> tenants) {
        try {
            return new TenantPlan(tenants.stream().map(this::withoutBroken).toList());
        } catch (final Check.Failure e) {
            for (final Check.Problem problem : e.problems()) {
                final int dot = problem.key().lastIndexOf('.');
                final String tenant = problem.key().substring(0, dot);
                sections.get(tenant).problem(problem.key().substring(dot + 1), problem.text());
            }
            return TenantPlan.NONE;
        }
    }

    /**
     * Leaves out tenants with problems, so that naming them in {@code talksTo} is not another one.
     */
    private TenantConfig withoutBroken(final TenantConfig tenant) {
        return new TenantConfig(
                tenant.name(),
                tenant.uids(),
                tenant.gids(),
                tenant.contexts(),
                tenant.talksTo().stream().filter(name -> !broken.contains(name)).toList(),
                tenant.limits(),
                tenant.userLimits());
    }

    private TenantConfig tenant(final String name, final YamlSection section) {
        final List<IdRange> uids = ids(section, "uids", "user", UserNames::uid);
        final List<IdRange> gids = ids(section, "gids", "group", UserNames::gid);
        final List<IdRange> contexts = contexts(section);
        final List<String> talksTo = section.texts("talksTo", List.of());
        final Map<ResourceShare, Long> limits = limits(section, "limits");
        final Map<ResourceShare, Long> userLimits = limits(section, "userLimits");
        section.finish();
        return uids == null || gids == null
                ? null
                : section.build(
                        null,
                        () ->
                                new TenantConfig(
                                        name, uids, gids, contexts, talksTo, limits, userLimits));
    }

    /** Ids, ranges of them and names that this machine knows; null when problems were found. */
    private static List<IdRange> ids(
            final YamlSection section,
            final String key,
            final String noun,
            final Function<String, OptionalInt> lookUp) {
        final List<IdRange> ids = new ArrayList<>();
        boolean isValid = true;
        for (final String text : section.texts(key, List.of())) {
            final OptionalInt known =
                    IdRange.isRange(text) ? OptionalInt.empty() : lookUp.apply(text);
            if (known.isPresent()) {
                ids.add(IdRange.of(known.getAsInt()));
            } else if (IdRange.isRange(text)) {
                isValid &= parse(section, key, text, ids);
            } else {
                section.problem(
                        key,
                        "names the "
                                + noun
                                + " '"
                                + text
                                + "', which does not exist on this machine");
                isValid = false;
            }
        }
        return isValid ? ids : null;
    }

    private static boolean parse(
            final YamlSection section,
            final String key,
            final String text,
            final List<IdRange> into) {
        try {
            into.add(IdRange.parse(text));
            return true;
        } catch (final IllegalArgumentException e) {
            section.problem(key, e.getMessage());
            return false;
        }
    }

    private List<IdRange> contexts(final YamlSection section) {
        final int last = (maxContexts > 0 ? maxContexts : ContextConfig.MAX_CONTEXTS) - 1;
        final List<IdRange> contexts = new ArrayList<>();
        for (final String text : section.texts("contexts", List.of())) {
            if (parse(section, "contexts", text, contexts)) {
                final IdRange range = contexts.getLast();
                if (range.first() < 1 || range.last() > last) {
                    section.problem(
                            "contexts",
                            "must be within 1.."
                                    + last
                                    + " ("
                                    + (maxContexts > 0
                                            ? "context.maxContexts is " + maxContexts + ", and "
                                            : "")
                                    + "context 0 is the node's own): "
                                    + range);
                    contexts.removeLast();
                }
            }
        }
        return contexts;
    }

    private static Map<ResourceShare, Long> limits(final YamlSection section, final String key) {
        final YamlSection limits = section.section(key);
        final Map<ResourceShare, Long> shares = new EnumMap<>(ResourceShare.class);
        limits.given(LimitConfig.KEYS)
                .forEach(
                        (name, limit) ->
                                shares.put(
                                        ResourceShare.ofKey(name).orElseThrow(),
                                        ((Number) limit).longValue()));
        limits.finish();
        return limits.build(
                Map.of(),
                () -> {
                    TenantConfig.check(shares);
                    return shares;
                });
    }
}
