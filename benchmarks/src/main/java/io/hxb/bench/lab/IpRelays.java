package io.hxb.bench.lab;

import io.hxb.bench.harness.Contest;
import io.hxb.bench.harness.ProcessLab;
import io.hxb.bench.harness.TemporaryFolder;
import io.hxb.config.Backend;
import io.hxb.tool.lab.LabNames;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.lab.LabWire;
import io.hxb.topology.Shape;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One connection by virtual NICs from a corner of a lab to the opposite one, through no relay, one
 * and two. All nodes are processes. Immutable.
 *
 * @param wire what becomes of trains.
 * @param mtu of the links.
 * @param mbit rate of each link; 0 if they are not shaped.
 * @param warmUpSeconds for which one sends before each measurement.
 * @param seconds of a measurement.
 */
record IpRelays(LabWire wire, int mtu, int mbit, double warmUpSeconds, double seconds) {
    static final int LINKS = 2;

    /** The contestant that others are compared with. */
    static final String DIRECT = "HXB, direct";

    private static final Map<String, String> SHAPES = shapes();

    private static Map<String, String> shapes() {
        final Map<String, String> shapes = new LinkedHashMap<>();
        shapes.put(DIRECT, "2");
        shapes.put("HXB, one relay", "2x2");
        shapes.put("HXB, two relays", "2x2x2");
        return shapes;
    }

    /** One contestant for each number of relays. */
    Contest contest() {
        final Contest contest = new Contest();
        SHAPES.forEach((name, shape) -> contest.add(name, () -> measure(Shape.parse(shape))));
        return contest;
    }

    private Map<String, Double> measure(final Shape shape) throws Exception {
        final LabSpec spec =
                new LabSpec(
                                "ipr" + ProcessHandle.current().pid(),
                                shape,
                                LINKS,
                                Backend.RAW,
                                mbit * 1_000_000L,
                                mtu)
                        .withWire(wire);
        try (TemporaryFolder folder = new TemporaryFolder();
                ProcessLab lab = ProcessLab.withIp(folder.path(), spec, IpNodes.PREFIX)) {
            return measure(lab);
        }
    }

    private Map<String, Double> measure(final ProcessLab lab) throws Exception {
        final int last = lab.nodes() - 1;
        final TcpHosts hosts =
                new TcpHosts(
                        LabNames.namespace(lab.name(), 0), LabNames.namespace(lab.name(), last));
        final TcpHosts.Route route = new TcpHosts.Route(false, IpNodes.PREFIX.address(last));
        if (warmUpSeconds > 0) {
            hosts.bulk(route, warmUpSeconds);
        }
        final IpCounts before = counts(lab);
        final long resentBefore = IpContest.resentSegments(hosts.from());
        final Map<String, Double> figures = hosts.bulk(route, seconds);
        figures.put("resent", (double) (IpContest.resentSegments(hosts.from()) - resentBefore));
        figures.putAll(counts(lab).since(before));
        return figures;
    }

    private static IpCounts counts(final ProcessLab lab) throws IOException {
        final List<Path> files = new ArrayList<>();
        for (int node = 0; node < lab.nodes(); node++) {
            files.add(lab.config().countersPath(node));
        }
        return IpCounts.of(files);
    }
}
