package io.hxb.bench.lab;

import io.hxb.tool.lab.LabWire;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The scenarios of {@code lab ip} between two hosts. Immutable.
 *
 * @param wire what becomes of trains.
 * @param links numbers of links; the first is that of scenarios with one bad link.
 * @param mbit rate of each link; 0 if they are not shaped.
 * @param slowMbit rate of a slow link.
 * @param delayMs what a long link adds in each direction.
 * @param losses on a bad link, in %.
 * @param pulls of one link.
 * @param warmUpSeconds of round trips.
 * @param seconds of a measurement.
 */
record IpScenarios(
        LabWire wire,
        List<Integer> links,
        int mbit,
        int slowMbit,
        double delayMs,
        List<Double> losses,
        int pulls,
        double warmUpSeconds,
        double seconds) {
    private static final int BAD_LINK = 0;
    private static final int TWO = 2;

    /** Fills the links for this long before round trips beside a load count. */
    private static final double SETTLE_SECONDS = 0.3;

    /**
     * The scenarios of a row.
     *
     * @param row any but {@link IpRow#RELAYS}.
     * @param mtu of the links.
     */
    List<IpScenario> of(final IpRow row, final int mtu) {
        return switch (row) {
            case BULK ->
                    links.stream()
                            .map(count -> scenario(row.toString(), count, mtu, this::bulk))
                            .toList();
            case LOSS -> losses.stream().map(percent -> loss(percent, mtu)).toList();
            case SLOW -> List.of(slow(mtu));
            case DELAYED -> List.of(delayed(mtu));
            case PULLED -> Stream.of(IpPulls.Kind.values()).map(kind -> pulled(kind, mtu)).toList();
            case RR ->
                    List.of(
                            scenario(
                                    row.toString(),
                                    TWO,
                                    mtu,
                                    (network, contest) ->
                                            contest.tcp(this::roundTrips)
                                                    .hxb(BulkWay.RAW_TCP, this::roundTrips)));
            case UNSHAPED ->
                    List.of(
                            new IpScenario(
                                    row.toString(),
                                    wire,
                                    BulkNetwork.Between.CABLES,
                                    1,
                                    mtu,
                                    0,
                                    this::all));
            case BUSY_RTT ->
                    List.of(
                            scenario(
                                    row.toString(),
                                    links.getFirst(),
                                    mtu,
                                    (network, contest) -> all(contest, this::busyRoundTrips)));
            case RELAYS -> throw new IllegalArgumentException("not between two hosts: " + row);
        };
    }

    private IpScenario scenario(
            final String name, final int count, final int mtu, final IpScenario.Cast cast) {
        return new IpScenario(name, wire, BulkNetwork.Between.CABLES, count, mtu, mbit, cast);
    }

    // Losses are of single frames.
    private IpScenario loss(final double percent, final int mtu) {
        return new IpScenario(
                String.format(Locale.ROOT, "%s %s %%", IpRow.LOSS, text(percent)),
                wire == LabWire.WHOLE ? LabWire.CUT : wire,
                BulkNetwork.Between.SWITCHES,
                links.getFirst(),
                mtu,
                mbit,
                (network, contest) -> {
                    network.lose(BAD_LINK, percent / 100);
                    all(contest, (hosts, route) -> lossy(network, hosts, route));
                });
    }

    private static String text(final double number) {
        return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
    }

    private IpScenario slow(final int mtu) {
        return scenario(
                IpRow.SLOW + " " + slowMbit + " Mbit/s",
                links.getFirst(),
                mtu,
                (network, contest) -> {
                    network.slow(BAD_LINK, slowMbit);
                    all(network, contest);
                });
    }

    private IpScenario delayed(final int mtu) {
        return new IpScenario(
                String.format(Locale.ROOT, "%s %s ms", IpRow.DELAYED, text(delayMs)),
                wire,
                BulkNetwork.Between.LONG_CABLE,
                links.getFirst(),
                mtu,
                mbit,
                (network, contest) -> {
                    final DelayBox box = network.delay(BAD_LINK, delayMs, 0);
                    all(contest, (hosts, route) -> box.measured(() -> bulk(hosts, route)));
                });
    }

    private IpScenario pulled(final IpPulls.Kind kind, final int mtu) {
        return new IpScenario(
                IpRow.PULLED + ", " + kind.label(),
                wire,
                BulkNetwork.Between.SWITCHES,
                TWO,
                mtu,
                mbit,
                (network, contest) -> {
                    final IpContest.Measurement measurement =
                            (hosts, route) -> IpPulls.measure(network, kind, pulls, hosts, route);
                    contest.mptcp(measurement).hxb(BulkWay.RAW_TCP, measurement);
                });
    }

    private void bulk(final BulkNetwork network, final IpContest contest) throws Exception {
        all(network, contest);
        contest.hxb(BulkWay.RAW_IP, this::bulk);
    }

    private void all(final BulkNetwork network, final IpContest contest) throws Exception {
        all(contest, this::bulk);
    }

    private static void all(final IpContest contest, final IpContest.Measurement measurement)
            throws Exception {
        contest.mptcp(measurement).tcp(measurement).hxb(BulkWay.RAW_TCP, measurement);
    }

    private Map<String, Double> bulk(final TcpHosts hosts, final TcpHosts.Route route)
            throws Exception {
        return hosts.bulk(route, seconds);
    }

    private Map<String, Double> lossy(
            final BulkNetwork network, final TcpHosts hosts, final TcpHosts.Route route)
            throws Exception {
        final long before = network.lost();
        final Map<String, Double> figures = bulk(hosts, route);
        figures.put("lost", (double) (network.lost() - before));
        return figures;
    }

    private Map<String, Double> roundTrips(final TcpHosts hosts, final TcpHosts.Route route)
            throws Exception {
        return hosts.roundTrips(route, warmUpSeconds, seconds);
    }

    private Map<String, Double> busyRoundTrips(final TcpHosts hosts, final TcpHosts.Route route)
            throws Exception {
        final Map<String, Double> figures = new LinkedHashMap<>();
        hosts.roundTrips(route, warmUpSeconds, seconds)
                .forEach((name, value) -> figures.put("idle " + name, value));
        final Map<String, Double> busy = new LinkedHashMap<>();
        figures.putAll(
                hosts.bulk(
                        route,
                        SETTLE_SECONDS + seconds,
                        startNs -> busy.putAll(hosts.roundTrips(route, SETTLE_SECONDS, seconds))));
        figures.putAll(busy);
        return figures;
    }
}
