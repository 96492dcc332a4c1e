package io.hxb.config;

import static io.hxb.config.ConfigKey.advanced;
import static io.hxb.config.ConfigKey.basic;
import static io.hxb.config.Limits.described;
import static io.hxb.config.Limits.range;
import static io.hxb.config.ValueType.BYTES;
import static io.hxb.config.ValueType.DURATION;
import static io.hxb.config.ValueType.count;
import static io.hxb.config.ValueType.list;
import static io.hxb.config.ValueType.text;
import static io.hxb.config.ValueType.word;

import io.hxb.os.nic.NicRequest;
import io.hxb.tap.IpPrefix;
import io.hxb.tap.IpRoute;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The virtual NIC of each node, by which any program uses the cluster's links. Immutable.
 *
 * @param prefixes ranges from which the nodes have their addresses, one of IPv4, one of IPv6, or
 *     both; empty for no virtual NIC.
 * @param device its name.
 * @param mtuBytes bytes of a packet after the Ethernet header; 0 for {@link
 *     ClusterConfig#ipMtuBytes()}.
 * @param repairNs how long a lost packet is sent again before those after it are handed over.
 * @param weight of packets beside messages of programs, which have 100, 1 to 10,000.
 * @param tenant to whom the packets belong; empty for nobody.
 * @param routes addresses behind nodes.
 */
public record IpConfig(
        List<IpPrefix> prefixes,
        String device,
        int mtuBytes,
        long repairNs,
        int weight,
        String tenant,
        List<IpRoute> routes) {
    /** The largest that the kernel gives to a TAP device: 65,535 less the Ethernet header. */
    private static final int MAX_MTU = 65_521;

    /** Source: RFC 8200, 5. */
    static final int MIN_MTU = 1_280;

    private static final String DEFAULT_DEVICE = "hxb0";

    /** The keys. */
    public static final ConfigSection<IpConfig> KEYS =
            ConfigSection.<IpConfig>of(
                    "ip",
                    v ->
                            new IpConfig(
                                    v.next(), v.next(), v.next(), v.next(), v.next(), v.next(),
                                    v.next()),
                    basic(
                            "prefix",
                            list(
                                    word(
                                            "addresses such as `10.77.0.0/16` or"
                                                    + " `fd68:7862::/64`",
                                            IpPrefix::parse,
                                            IpPrefix::toString)),
                            List.of(),
                            IpConfig::prefixes,
                            described("one of IPv4, one of IPv6, or both"),
                            "Each node gets a [virtual NIC](../howto/ip.md) with an address of it"
                                    + " by its number; by default there is none."),
                    advanced(
                            "device",
                            text("name of a NIC"),
                            DEFAULT_DEVICE,
                            IpConfig::device,
                            described("1 to 15 characters"),
                            "Name of the virtual NIC."),
                    advanced(
                            "mtu",
                            BYTES,
                            0,
                            IpConfig::mtuBytes,
                            Limits.<IpConfig>range(MIN_MTU, MAX_MTU).orZero("what a message holds"),
                            "MTU of the virtual NIC, the same on all nodes; 0 takes 65,000, or less"
                                    + " where `frame.maxBytes` or `pool.bufferBytes` bound"
                                    + " messages."),
                    advanced(
                            "repairTime",
                            DURATION,
                            200_000_000L,
                            IpConfig::repairNs,
                            range(1_000_000, 10_000_000_000L),
                            "Time for which a lost packet is sent again before later ones are"
                                    + " handed over without it."),
                    advanced(
                            "weight",
                            count("weight"),
                            100,
                            IpConfig::weight,
                            range(1, 10_000),
                            "Share of packets where links are full with both packets and messages"
                                    + " of programs: programs have 100 ([shares](../howto/ip.md#"
                                    + "shares))."),
                    advanced(
                            "tenant",
                            text("name of a tenant"),
                            "",
                            IpConfig::tenant,
                            described("one of `tenants`, or `operator`"),
                            "Only virtual NICs of [tenants](../howto/ip.md) that this one may talk"
                                    + " to are reached; flows count as its own."),
                    advanced(
                            "routes",
                            list(
                                    word(
                                            "routes such as `10.9.0.0/24 via 3`",
                                            IpRoute::parse,
                                            IpRoute::toString)),
                            List.of(),
                            IpConfig::routes,
                            described("no address twice, none of `ip.prefix`"),
                            "Addresses that nodes reach through another one, by its number: a"
                                    + " [gateway](../howto/ip.md)."),
                    new ConfigSection.Rule<>(
                            "prefix",
                            ip ->
                                    ip.prefixes.stream().filter(IpPrefix::isIpv4).count() <= 1
                                            && ip.prefixes.stream()
                                                            .filter(each -> !each.isIpv4())
                                                            .count()
                                                    <= 1,
                            ip -> "must have one prefix of each family: " + ip.prefixes),
                    new ConfigSection.Rule<>(
                            "device",
                            ip ->
                                    NicRequest.isName(ip.device)
                                            && ip.device.matches("[^\\s/:%]+")
                                            && !ip.device.matches("\\.{1,2}"),
                            ip ->
                                    "must be the name of a NIC, of 1 to 15 characters: '"
                                            + ip.device
                                            + "'"),
                    new ConfigSection.Rule<>(
                            "prefix",
                            ip -> !ip.prefixes.isEmpty() || ip.device.equals(DEFAULT_DEVICE),
                            ip -> "must be given where there is a device"),
                    new ConfigSection.Rule<>(
                            "routes",
                            ip ->
                                    ip.routes.stream()
                                            .allMatch(each -> each.family(ip.prefixes).isPresent()),
                            ip -> "must have a prefix of their family: " + ip.routes),
                    new ConfigSection.Rule<>(
                            "routes",
                            ip -> overlap(ip).isEmpty(),
                            ip -> "must not overlap: " + overlap(ip)));

    /** The default: no virtual NIC. */
    public static final IpConfig DEFAULT = KEYS.defaults();

    /** Copies the lists. */
    public IpConfig {
        prefixes = List.copyOf(prefixes);
        routes = List.copyOf(routes);
    }

    /** True if nodes have a virtual NIC. */
    public boolean isWanted() {
        return !prefixes.isEmpty();
    }

    /** The prefix that has too few addresses for all nodes, if one has. */
    Optional<IpPrefix> tooSmall(final int nodeCount) {
        return prefixes.stream().filter(prefix -> prefix.room() < nodeCount).findFirst();
    }

    /** Two ranges with addresses in common; empty if there are none. */
    private static String overlap(final IpConfig ip) {
        final List<IpPrefix> ranges = new ArrayList<>(ip.prefixes);
        for (final IpRoute route : ip.routes) {
            for (final IpPrefix range : ranges) {
                if (range.overlaps(route.prefix())) {
                    return range + " and " + route.prefix();
                }
            }
            ranges.add(route.prefix());
        }
        return "";
    }

    /** The first route whose gateway is no node, if there is one. */
    Optional<IpRoute> withoutGateway(final int nodeCount) {
        return routes.stream().filter(route -> route.node() >= nodeCount).findFirst();
    }

    /** The address of the gateway of a route. */
    public String gateway(final IpRoute route) {
        return route.family(prefixes).orElseThrow().address(route.node());
    }

    /** The same with these prefixes. */
    public IpConfig withPrefixes(final List<IpPrefix> value) {
        return KEYS.with(this, "prefix", value);
    }

    /** The same with this weight. */
    public IpConfig withWeight(final int value) {
        return KEYS.with(this, "weight", value);
    }

    /** The same with these routes. */
    public IpConfig withRoutes(final List<IpRoute> value) {
        return KEYS.with(this, "routes", value);
    }

    /** Checks what depends on the rest of the file. */
    void check(final Check check, final int nodeCount, final TenantPlan tenants) {
        check.that(
                        tooSmall(nodeCount).isEmpty(),
                        "ip",
                        "needs a larger prefix for "
                                + nodeCount
                                + " nodes: "
                                + tooSmall(nodeCount).map(Object::toString).orElse(""))
                .that(
                        withoutGateway(nodeCount).isEmpty(),
                        "ip",
                        "has a route by a node that does not exist: "
                                + withoutGateway(nodeCount).map(Object::toString).orElse(""))
                .that(
                        tenant.isEmpty() || (!tenants.isEmpty() && tenants.has(tenant)),
                        "ip",
                        "must name one of tenants or "
                                + TenantPlan.OPERATOR_NAME
                                + " as tenant, where there are tenants: '"
                                + tenant
                                + "'");
    }
}
