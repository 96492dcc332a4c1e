package io.hxb.config;

import static io.hxb.config.ConfigKey.advanced;
import static io.hxb.config.ConfigKey.basic;
import static io.hxb.config.Limits.described;
import static io.hxb.config.Limits.range;
import static io.hxb.config.ValueType.BYTES;
import static io.hxb.config.ValueType.DURATION;
import static io.hxb.config.ValueType.list;
import static io.hxb.config.ValueType.text;
import static io.hxb.config.ValueType.word;

import io.hxb.os.nic.NicRequest;
import io.hxb.tap.IpPrefix;

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
 * @param tenant to whom the packets belong; empty for nobody.
 */
public record IpConfig(
        List<IpPrefix> prefixes, String device, int mtuBytes, long repairNs, String tenant) {
    /** The largest that the kernel gives to a TAP device: 65,535 less the Ethernet header. */
    private static final int MAX_MTU = 65_521;

    /** Source: RFC 8200, 5. */
    static final int MIN_MTU = 1_280;

    private static final String DEFAULT_DEVICE = "hxb0";

    /** The keys. */
    public static final ConfigSection<IpConfig> KEYS =
            ConfigSection.<IpConfig>of(
                    "ip",
                    v -> new IpConfig(v.next(), v.next(), v.next(), v.next(), v.next()),
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
                            "tenant",
                            text("name of a tenant"),
                            "",
                            IpConfig::tenant,
                            described("one of `tenants`, or `operator`"),
                            "Packets count as this tenant's, and only virtual NICs of tenants that"
                                    + " it may talk to are reached"
                                    + " ([limits](../howto/ip.md#tenants)); by default the virtual"
                                    + " NIC is no tenant's."),
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
                            ip -> "must be given where there is a device"));

    /** The default: no virtual NIC. */
    public static final IpConfig DEFAULT = KEYS.defaults();

    /** Copies the list. */
    public IpConfig {
        prefixes = List.copyOf(prefixes);
    }

    /** True if nodes have a virtual NIC. */
    public boolean isWanted() {
        return !prefixes.isEmpty();
    }

    /** The prefix that has too few addresses for all nodes, if one has. */
    Optional<IpPrefix> tooSmall(final int nodeCount) {
        return prefixes.stream().filter(prefix -> prefix.room() < nodeCount).findFirst();
    }

    /** The same with these prefixes. */
    public IpConfig withPrefixes(final List<IpPrefix> value) {
        return KEYS.with(this, "prefix", value);
    }
}
