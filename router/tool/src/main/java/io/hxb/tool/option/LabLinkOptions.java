package io.hxb.tool.option;

import io.hxb.config.Backend;
import io.hxb.config.FrameConfig;
import io.hxb.config.SocketConfig;
import io.hxb.tool.lab.LabCabling;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.lab.LabWire;
import io.hxb.tool.lab.Wiring;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;
import io.hxb.topology.Shape;

import picocli.CommandLine.Option;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Options of the links of a lab. Picocli fills it. */
public final class LabLinkOptions {
    private static final int LINKS = 2;
    private static final int NODE_MTU = 9000;
    private static final int HOST_MTU = 1500;

    @Option(
            names = "--links",
            paramLabel = "N",
            description = "make this many links per dimension, 1..8 (default: 2)")
    private Integer links;

    @Option(
            names = "--backend",
            paramLabel = "raw|udp",
            description =
                    "use veth NICs in network namespaces (raw, needs root), or UDP on "
                            + "loopback (default: raw for root, otherwise udp)")
    private Backend backend;

    @Option(
            names = "--rate",
            paramLabel = "RATE",
            defaultValue = "none",
            description =
                    "limit each link and direction to this rate, such as 1gbit, raw only "
                            + "(default: none)")
    private String rate;

    @Option(
            names = "--mtu",
            paramLabel = "BYTES",
            description = "set this MTU (default: 9000; between hosts and switches 1500)")
    private Integer mtu;

    @Option(
            names = "--wiring",
            paramLabel = "bridge|direct|whole|cut|paced",
            split = ",",
            defaultValue = "bridge,whole",
            description =
                    "join the NICs of a line or cable, raw only, by a bridge, whose ports can be"
                        + " made to fail, or, for two, directly by a veth pair; and let frames that"
                        + " the kernel has in one piece (GSO batches) pass whole, have the kernel"
                        + " cut and join them, or take them frame by frame at --rate, paced, as a"
                        + " NIC does; give one of each kind, as in direct,paced (default:"
                        + " ${DEFAULT-VALUE})")
    private List<String> wiring;

    @Option(
            names = "--encapsulation",
            paramLabel = "ethernet|udp|tcp|auto",
            defaultValue = "auto",
            description =
                    "put long frames into Ethernet frames, into UDP over IPv4 in GSO batches, or"
                            + " into TCP that NICs cut; auto: TCP where it is proven to arrive;"
                            + " raw only (default: ${DEFAULT-VALUE})")
    private FrameConfig.Encapsulation encapsulation;

    @Option(
            names = "--kernel-relay",
            paramLabel = "auto|on|off",
            defaultValue = "auto",
            description =
                    "have a BPF program in the kernel relay frames, raw only; auto: where "
                            + "the kernel and the privileges allow it (default: ${DEFAULT-VALUE})")
    private SocketConfig.KernelRelay kernelRelay;

    /** Picocli makes it. */
    public LabLinkOptions() {}

    /**
     * A lab with such links; wrong values end the command as wrong usage.
     *
     * @param shape such as {@code 2x2x2}.
     */
    public LabSpec spec(final String name, final String shape) {
        try {
            final int count = links == null ? LINKS : links;
            return spec(name, Shape.parse(shape), count, backend(), Optional.empty());
        } catch (final IllegalArgumentException | ToolException e) {
            throw new UsageException(e.getMessage(), e);
        }
    }

    /**
     * A lab of such cables; wrong values end the command as wrong usage.
     *
     * @throws UsageException also if {@code --links} was given, which is for lines.
     */
    LabSpec spec(final String name, final LabCabling cabling) {
        if (links != null) {
            throw new UsageException(
                    "--links is for the lines of a --shape; with --graph give --parallel N for N"
                            + " cables instead of each");
        }
        try {
            return spec(
                    name,
                    cabling.shape(),
                    cabling.maxLinkCount(),
                    backend == null ? Backend.RAW : backend,
                    Optional.of(cabling));
        } catch (final IllegalArgumentException | ToolException e) {
            throw new UsageException(e.getMessage(), e);
        }
    }

    private LabSpec spec(
            final String name,
            final Shape shape,
            final int linkCount,
            final Backend chosenBackend,
            final Optional<LabCabling> cabling) {
        return new LabSpec(
                name,
                shape,
                linkCount,
                chosenBackend,
                LabSpec.parseRate(rate),
                mtu == null ? NODE_MTU : mtu,
                chosen(Wiring.class, Wiring.BRIDGE),
                kernelRelay,
                chosen(LabWire.class, LabWire.WHOLE),
                encapsulation,
                cabling);
    }

    /** The same for hosts that are joined by switches: a line of that many, with one NIC each. */
    LabSpec hosts(final String name, final int count) {
        try {
            return new LabSpec(
                    name,
                    Shape.of(count),
                    1,
                    Backend.RAW,
                    LabSpec.parseRate(rate),
                    mtu == null ? HOST_MTU : mtu);
        } catch (final IllegalArgumentException | ToolException e) {
            throw new UsageException(e.getMessage(), e);
        }
    }

    // The word of one kind among those of --wiring.
    private <E extends Enum<E>> E chosen(final Class<E> kind, final E standard) {
        checkWiring();
        final List<E> values =
                Stream.of(kind.getEnumConstants())
                        .filter(value -> wiring.stream().anyMatch(value.name()::equalsIgnoreCase))
                        .toList();
        if (values.size() > 1) {
            throw new IllegalArgumentException(
                    "--wiring takes one word of bridge and direct, and one of whole, cut and paced:"
                            + " "
                            + String.join(",", wiring));
        }
        return values.isEmpty() ? standard : values.getFirst();
    }

    private void checkWiring() {
        for (final String word : wiring) {
            if (Stream.of(Wiring.values(), LabWire.values())
                    .flatMap(Stream::of)
                    .noneMatch(value -> value.name().equalsIgnoreCase(word))) {
                throw new IllegalArgumentException(
                        "--wiring must be of bridge, direct, whole, cut and paced: " + word);
            }
        }
    }

    private Backend backend() {
        if (backend != null) {
            return backend;
        }
        return Privileges.canMakeNamespaces() ? Backend.RAW : Backend.UDP;
    }
}
