package io.hxb.tool.lab;

import io.hxb.config.Backend;
import io.hxb.config.FrameConfig;
import io.hxb.config.Quantity;
import io.hxb.config.SocketConfig;
import io.hxb.tool.report.ToolException;
import io.hxb.topology.Shape;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The properties of a lab. Immutable, checked.
 *
 * @param name lab name: lower-case letters, digits and dashes.
 * @param shape shape of the cluster.
 * @param linkCount links per dimension, 1 to 8; with cables of its own, of the node with the most.
 * @param backend what links are made of.
 * @param rateBps bits per second of each link and direction; 0 for no limit.
 * @param mtuBytes MTU of the NICs (RAW), or the largest frame (UDP).
 * @param wiring what joins the NICs of a line; ignored for UDP.
 * @param kernelRelay whether the kernel relays; ignored for UDP.
 * @param wire what becomes of trains on the way; ignored for UDP.
 * @param encapsulation what long frames are put into; ignored for UDP.
 * @param cabling the cables between single nodes; empty for a hyper-crossbar.
 */
public record LabSpec(
        String name,
        Shape shape,
        int linkCount,
        Backend backend,
        long rateBps,
        int mtuBytes,
        Wiring wiring,
        SocketConfig.KernelRelay kernelRelay,
        LabWire wire,
        FrameConfig.Encapsulation encapsulation,
        Optional<LabCabling> cabling) {
    /** Maximum number of NICs of one lab: each costs kernel memory and time to make. */
    public static final int MAX_NICS = 8192;

    /** Checks everything and reports all problems at once. */
    public LabSpec {
        final List<String> problems = new ArrayList<>();
        if (!LabNames.isName(name)) {
            problems.add(LabNames.complaint(name));
        }
        if (shape.nodeCount() < 2) {
            problems.add("a lab needs at least 2 nodes, the shape " + shape + " has 1");
        }
        if (linkCount < 1 || linkCount > 8) {
            problems.add("--links must be 1..8: " + linkCount);
        }
        final long nics = (long) shape.nodeCount() * shape.dimensions() * linkCount;
        if (nics > MAX_NICS) {
            problems.add(
                    "a lab has at most "
                            + MAX_NICS
                            + " links on one machine; "
                            + shape
                            + " with "
                            + linkCount
                            + " links per dimension needs "
                            + nics);
        }
        if (cabling.isPresent() && !backend.usesNics()) {
            problems.add(
                    "--graph needs --backend raw: cables join NICs, and UDP links are sockets on"
                            + " loopback");
        }
        if (mtuBytes < 576 || mtuBytes > 65_000) {
            problems.add("--mtu must be 576..65000: " + mtuBytes);
        }
        if (rateBps < 0) {
            problems.add("--rate must not be negative: " + rateBps);
        }
        if (!backend.usesNics() && rateBps > 0) {
            problems.add(
                    "--rate needs --backend raw: loopback cannot be shaped without harming others");
        }
        if (wiring == Wiring.DIRECT && !backend.usesNics()) {
            problems.add("--wiring direct needs --backend raw: UDP links are sockets on loopback");
        }
        if (wiring == Wiring.DIRECT && cabling.isEmpty() && !hasPairsOnly(shape)) {
            problems.add(
                    "--wiring direct joins two NICs; the shape "
                            + shape
                            + " has lines of another length than 2: use --wiring bridge");
        }
        if (kernelRelay == SocketConfig.KernelRelay.ON && !backend.usesNics()) {
            problems.add("--kernel-relay on needs --backend raw: UDP links are sockets");
        }
        checkTrains(problems, backend, rateBps, wire, encapsulation);
        if (!problems.isEmpty()) {
            throw new ToolException(String.join("; ", problems));
        }
    }

    private static void checkTrains(
            final List<String> problems,
            final Backend backend,
            final long rateBps,
            final LabWire wire,
            final FrameConfig.Encapsulation encapsulation) {
        final boolean isUdp = !backend.usesNics();
        if (wire != LabWire.WHOLE && isUdp) {
            problems.add("--wiring cut and paced need --backend raw: loopback has no wires");
        }
        if (wire == LabWire.PACED && !isUdp && rateBps == 0) {
            problems.add("--wiring paced needs --rate: a wire paces frames by its rate");
        }
        final boolean isUdpOrTcp =
                encapsulation == FrameConfig.Encapsulation.UDP
                        || encapsulation == FrameConfig.Encapsulation.TCP;
        if (isUdpOrTcp && isUdp) {
            problems.add("--encapsulation needs --backend raw: UDP links are by IP anyway");
        }
    }

    /**
     * Reads {@code 1gbit}, {@code 2.5gbit}, {@code 250mbit} or {@code none}.
     *
     * @return bits per second; 0 for none.
     * @throws IllegalArgumentException if it is neither.
     */
    public static long parseRate(final String text) {
        return text.equals("none") ? 0 : Quantity.parseRateBps(text);
    }

    /** A hyper-crossbar. */
    public LabSpec(
            final String name,
            final Shape shape,
            final int linkCount,
            final Backend backend,
            final long rateBps,
            final int mtuBytes,
            final Wiring wiring,
            final SocketConfig.KernelRelay kernelRelay,
            final LabWire wire,
            final FrameConfig.Encapsulation encapsulation) {
        this(
                name,
                shape,
                linkCount,
                backend,
                rateBps,
                mtuBytes,
                wiring,
                kernelRelay,
                wire,
                encapsulation,
                Optional.empty());
    }

    /** A hyper-crossbar whose lines are bridges, where the kernel relays if it can. */
    public LabSpec(
            final String name,
            final Shape shape,
            final int linkCount,
            final Backend backend,
            final long rateBps,
            final int mtuBytes) {
        this(
                name,
                shape,
                linkCount,
                backend,
                rateBps,
                mtuBytes,
                Wiring.BRIDGE,
                SocketConfig.KernelRelay.AUTO,
                LabWire.WHOLE,
                FrameConfig.Encapsulation.AUTO);
    }

    /** A lab of such cables instead of lines, with the other properties of this one. */
    public LabSpec withCabling(final LabCabling value) {
        return new LabSpec(
                name,
                value.shape(),
                value.maxLinkCount(),
                backend,
                rateBps,
                mtuBytes,
                wiring,
                kernelRelay,
                wire,
                encapsulation,
                Optional.of(value));
    }

    /** The same with another wiring. */
    public LabSpec withWiring(final Wiring value) {
        return with(value, kernelRelay, wire, encapsulation);
    }

    /** The same with another setting for relaying in the kernel. */
    public LabSpec withKernelRelay(final SocketConfig.KernelRelay value) {
        return with(wiring, value, wire, encapsulation);
    }

    /** The same with another kind of wires. */
    public LabSpec withWire(final LabWire value) {
        return with(wiring, kernelRelay, value, encapsulation);
    }

    /** The same with another encapsulation. */
    public LabSpec withEncapsulation(final FrameConfig.Encapsulation value) {
        return with(wiring, kernelRelay, wire, value);
    }

    private LabSpec with(
            final Wiring newWiring,
            final SocketConfig.KernelRelay newRelay,
            final LabWire newWire,
            final FrameConfig.Encapsulation newEncapsulation) {
        return new LabSpec(
                name,
                shape,
                linkCount,
                backend,
                rateBps,
                mtuBytes,
                newWiring,
                newRelay,
                newWire,
                newEncapsulation,
                cabling);
    }

    private static boolean hasPairsOnly(final Shape shape) {
        return IntStream.range(0, shape.dimensions()).allMatch(i -> shape.extent(i) == 2);
    }

    /** True if every NIC has a switch port, which can be measured and made to fail. */
    public boolean hasPorts() {
        return backend.usesNics() && wiring == Wiring.BRIDGE;
    }

    /** NICs per node; of that with the most, where they differ. */
    public int nicsPerNode() {
        return shape.dimensions() * linkCount;
    }

    /** What it consists of, as people read it. */
    public String text() {
        return cabling.map(
                        cables ->
                                "%s, %d nodes, %d cables"
                                        .formatted(
                                                cables.graph(),
                                                shape.nodeCount(),
                                                cables.cables().size()))
                .orElseGet(() -> shape + ", " + linkCount + " links per dimension");
    }

    /** Links of a node in each dimension. */
    public int linkCount(final int node) {
        return cabling.isPresent() ? cabling.get().linkCount(node) : linkCount;
    }
}
