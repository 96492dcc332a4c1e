package io.hxb.bench.lab;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One link is pulled under load, and put back, many times. Stateless. */
final class IpPulls {
    private static final int SAMPLE_MS = 1;
    private static final int LINK = 0;
    private static final double FIRST_S = 1;
    private static final double OUT_S = 1;
    private static final double BACK_S = 2;

    private IpPulls() {}

    /** How a link fails. */
    enum Kind {
        /** Its frames are lost, and nothing tells the hosts. */
        SILENTLY("silently"),

        /** The NICs at its ends lose their carrier, as when a cable is pulled. */
        CARRIER("carrier lost");

        private final String label;

        Kind(final String label) {
            this.label = label;
        }

        /** For tables. */
        String label() {
            return label;
        }

        private AutoCloseable fail(final BulkNetwork network) throws Exception {
            return this == SILENTLY ? network.pull(LINK) : network.unplug(LINK);
        }
    }

    /**
     * Measures once.
     *
     * @param network with switches.
     * @param count of pulls, 1 or more.
     * @return the figures of {@link Standstills}, and the rate over the whole time.
     */
    static Map<String, Double> measure(
            final BulkNetwork network,
            final Kind kind,
            final int count,
            final TcpHosts hosts,
            final TcpHosts.Route route)
            throws Exception {
        final double seconds = FIRST_S + count * (OUT_S + BACK_S);
        final List<Standstills.Event> events = new ArrayList<>();
        final long[] samples =
                hosts.samples(
                        route,
                        seconds,
                        SAMPLE_MS,
                        startNs -> play(network, kind, count, startNs, events));
        final Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("MBps", TcpHosts.megabytesPerSecond(samples, seconds));
        figures.putAll(Standstills.figures(samples, SAMPLE_MS, events));
        return figures;
    }

    private static void play(
            final BulkNetwork network,
            final Kind kind,
            final int count,
            final long startNs,
            final List<Standstills.Event> events)
            throws Exception {
        for (int i = 0; i < count; i++) {
            final double outS = FIRST_S + i * (OUT_S + BACK_S);
            BulkFigures.sleepUntil(startNs + (long) (outS * 1e9));
            final double outMs = (System.nanoTime() - startNs) / 1e6;
            final AutoCloseable failure = kind.fail(network);
            events.add(new Standstills.Event(Standstills.PULLED + " " + (i + 1), outMs));
            BulkFigures.sleepUntil(startNs + (long) ((outS + OUT_S) * 1e9));
            final double backMs = (System.nanoTime() - startNs) / 1e6;
            failure.close();
            events.add(new Standstills.Event(Standstills.BACK + " " + (i + 1), backMs));
        }
        final double endS = FIRST_S + count * (OUT_S + BACK_S);
        BulkFigures.sleepUntil(startNs + (long) (endS * 1e9));
    }
}
