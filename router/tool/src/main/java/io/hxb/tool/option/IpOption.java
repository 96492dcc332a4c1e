package io.hxb.tool.option;

import io.hxb.config.ClusterConfig;
import io.hxb.config.IpConfig;
import io.hxb.tap.IpPrefix;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** Whether the nodes of a lab have virtual NICs. Picocli fills it. */
public final class IpOption {
    private static final Path TUN = Path.of("/dev/net/tun");
    private static final Path IPV6 = Path.of("/proc/net/if_inet6");
    private static final String DEFAULT_IPV4 = "10.77.0.0/16";
    private static final String DEFAULT_IPV6 = "fd68:7862::/64";

    @Option(
            names = "--ip",
            arity = "0..1",
            paramLabel = "PREFIX",
            fallbackValue = "",
            split = ",",
            description =
                    "give each node a virtual NIC, hxb0, with an address of this prefix, such as"
                            + " 10.1.0.0/16 or fd01::/64, or of both, separated by a comma, raw"
                            + " only (default: "
                            + DEFAULT_IPV4
                            + ","
                            + DEFAULT_IPV6
                            + ")")
    private List<String> given;

    /** Picocli makes it. */
    public IpOption() {}

    /** True if it was given. */
    public boolean isGiven() {
        return given != null;
    }

    /**
     * Reports what such a lab lacks before anything of it is made.
     *
     * @throws UsageException if the lab or this machine cannot have virtual NICs.
     */
    public void check(final LabSpec spec) {
        if (!isGiven()) {
            return;
        }
        final String missing = missing(spec);
        if (!missing.isEmpty()) {
            throw new UsageException("--ip needs " + missing);
        }
        final int nodes = spec.shape().nodeCount();
        prefixes().stream()
                .filter(prefix -> prefix.room() < nodes)
                .findFirst()
                .ifPresent(
                        prefix -> {
                            throw new UsageException(
                                    "--ip needs a larger prefix for "
                                            + nodes
                                            + " nodes: "
                                            + prefix);
                        });
    }

    /** What keeps the nodes of a lab from having virtual NICs; empty if nothing does. */
    public static String missing(final LabSpec spec) {
        if (!spec.backend().usesNics()) {
            return "--backend raw, and that root: the nodes of a lab over UDP are in one network"
                    + " namespace, and each needs a virtual NIC of its own";
        }
        if (!Files.exists(TUN)) {
            return "the device /dev/net/tun, which is missing here: modprobe tun, or give it to the"
                    + " container (--device /dev/net/tun)";
        }
        try {
            FileChannel.open(TUN, StandardOpenOption.READ, StandardOpenOption.WRITE).close();
            return "";
        } catch (final IOException e) {
            return "the device /dev/net/tun, which cannot be opened here ("
                    + e.getMessage()
                    + "): modprobe tun, or give it to the container (--device /dev/net/tun)";
        }
    }

    /** The configuration with a virtual NIC for each node, with an IPv4 address. */
    public static ClusterConfig standard(final ClusterConfig config) {
        return config.withIp(IpConfig.DEFAULT.withPrefixes(List.of(IpPrefix.parse(DEFAULT_IPV4))));
    }

    /** The configuration with the virtual NICs that were asked for. */
    public ClusterConfig apply(final ClusterConfig config) {
        return isGiven() ? config.withIp(IpConfig.DEFAULT.withPrefixes(prefixes())) : config;
    }

    /** Address of a node of the lab; empty if there are no virtual NICs. */
    public String address(final int node) {
        return isGiven() ? prefixes().getFirst().address(node) : "";
    }

    private List<IpPrefix> prefixes() {
        final List<String> words = new ArrayList<>(given);
        words.removeIf(String::isBlank);
        if (words.isEmpty()) {
            words.add(DEFAULT_IPV4);
            if (Files.exists(IPV6)) {
                words.add(DEFAULT_IPV6);
            }
        }
        try {
            final List<IpPrefix> prefixes = words.stream().map(IpPrefix::parse).toList();
            IpConfig.DEFAULT.withPrefixes(prefixes);
            return prefixes;
        } catch (final IllegalArgumentException e) {
            throw new UsageException("--ip: " + e.getMessage(), e);
        }
    }
}
