package io.hxb.bench.vlan;

import io.hxb.tool.lab.switches.SwitchLab;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The 16 ranks of a solver on the hosts of a lab, a thread each, and their connections. */
final class Solver implements AutoCloseable {
    private final List<HostConnection> ends = new ArrayList<>();
    private final HostConnection[][] connections = new HostConnection[CgRank.RANKS][CgRank.RANKS];
    private final ExecutorService threads = Executors.newFixedThreadPool(CgRank.RANKS);
    private final Routes routes;
    private final int length;

    /**
     * Connects the ranks.
     *
     * @param length of a rank's part of a vector.
     */
    Solver(final SwitchLab lab, final Routes routes, final int length) throws IOException {
        this.routes = routes;
        this.length = length;
        try {
            for (int rank = 0; rank < CgRank.RANKS; rank++) {
                for (final int peer : List.of(rank ^ 1, rank ^ 2, CgRank.transposeOf(rank))) {
                    if (peer > rank && connections[rank][peer] == null) {
                        connect(lab, rank, peer);
                    }
                }
            }
        } catch (final IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private void connect(final SwitchLab lab, final int rank, final int peer) throws IOException {
        final HostConnection[] pair = HostConnection.join(lab, rank, peer);
        ends.addAll(Arrays.asList(pair));
        connections[rank][peer] = pair[0];
        connections[peer][rank] = pair[1];
    }

    /**
     * One iteration of all ranks, in seconds.
     *
     * @param innerCount iterations of the solver in it.
     * @param each VID that each rank sets first for its transposed one, {@code [ranks]}; null for
     *     none.
     * @throws IOException if what is computed is wrong.
     */
    double iterate(final int innerCount, final int[] each)
            throws IOException, InterruptedException, ExecutionException {
        final double expected = CgRank.alone(length, innerCount);
        final List<CgRank> ranks = new ArrayList<>();
        for (int rank = 0; rank < CgRank.RANKS; rank++) {
            ranks.add(
                    new CgRank(
                            rank,
                            length,
                            innerCount,
                            new HostConnection[] {
                                connections[rank][rank ^ 1], connections[rank][rank ^ 2]
                            },
                            connections[rank][CgRank.transposeOf(rank)]));
        }
        final long startNs = System.nanoTime();
        final List<Future<Double>> results = new ArrayList<>();
        for (int rank = 0; rank < ranks.size(); rank++) {
            final int own = rank;
            results.add(
                    threads.submit(
                            () -> {
                                final int peer = CgRank.transposeOf(own);
                                if (each != null && peer != own) {
                                    routes.set(own, peer, each[own]);
                                }
                                return ranks.get(own).call();
                            }));
        }
        for (final Future<Double> result : results) {
            if (!(Math.abs(result.get() - expected) <= 1e-9 * Math.abs(expected))) {
                throw new IOException("computed " + result.get() + " instead of " + expected);
            }
        }
        KernelCg.reset(routes, each);
        return (System.nanoTime() - startNs) / 1e9;
    }

    @Override
    public void close() throws IOException {
        threads.shutdownNow();
        for (final HostConnection end : ends) {
            end.close();
        }
    }
}
