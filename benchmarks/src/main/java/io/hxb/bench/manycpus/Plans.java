package io.hxb.bench.manycpus;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The experiments, in the order of what is missed most, with the seconds that each needs. Every one
 * has the defaults and, where there are CPUs for loops that spin, what is fastest. Stateless.
 */
final class Plans {
    private static final String ROUNDS = "--rounds";
    private static final String SECONDS = "--seconds";
    private static final String WARMUP = "--warmup";
    private static final String ONLY = "--only";
    private static final String LOOP = "--loop";
    private static final String SPIN = "wait: spin";
    private static final String SPIN_TWO = "loops: 2, wait: spin";
    private static final String FAST = "HXB, spin, nodes " + SPIN;
    private static final String FAST_IN_C = "HXB, spin, in C, nodes " + SPIN;
    private static final String RAW = "=HXB, raw, IP trains";
    private static final String ATTACHED = ", attached";

    private Plans() {}

    /** Where hosts are namespaces. */
    static List<Stage> namespaces(final boolean canSpin, final boolean hasShapers) {
        final List<Stage> stages = new ArrayList<>();
        stages.add(
                Stage.of(
                        "relay-rate",
                        75,
                        "relay-rate",
                        ROUNDS,
                        "3",
                        SECONDS,
                        "1",
                        WARMUP,
                        "5",
                        "--sizes",
                        "64,1500"));
        addAttached(stages, canSpin);
        stages.add(relayScaling(canSpin));
        stages.add(
                bulk(canSpin, "cut", List.of("=MPTCP", "=C, raw, IP trains", RAW, RAW + ATTACHED)));
        addMpi(stages, canSpin, "six links, 1 MB");
        return hasShapers ? stages : stages.stream().map(Plans::unshaped).toList();
    }

    private static Stage unshaped(final Stage stage) {
        final String experiment = stage.arguments().getFirst();
        if (!experiment.equals("bulk-cost") && !experiment.equals("mpi")) {
            return stage;
        }
        final List<String> arguments = new ArrayList<>(stage.arguments());
        arguments.addAll(List.of("--mbit", "0"));
        return new Stage(stage.name() + ", links not shaped", stage.weight(), arguments);
    }

    /** Where they are addresses of the loopback. */
    static List<Stage> loopback(final boolean canSpin) {
        final List<Stage> stages = new ArrayList<>();
        addAttached(stages, canSpin);
        stages.add(
                bulk(
                        canSpin,
                        "whole",
                        List.of(
                                "=C, UDP trains",
                                "=HXB, UDP trains",
                                "=HXB, UDP trains" + ATTACHED)));
        stages.add(Stage.of("udp-relay", 75, "udp-relay", ROUNDS, "3", SECONDS, "1", WARMUP, "2"));
        addMpi(stages, canSpin, "two links, 1 MB");
        return stages;
    }

    private static void addAttached(final List<Stage> stages, final boolean canSpin) {
        final List<String> trips =
                new ArrayList<>(
                        List.of(
                                "attached-rtt",
                                ROUNDS,
                                "3",
                                SECONDS,
                                "1",
                                WARMUP,
                                "1.2",
                                ONLY,
                                "=C, UDP sockets, blocking",
                                ONLY,
                                "=C, UDP sockets, spinning",
                                ONLY,
                                "=Aeron, driver in a process of its own",
                                ONLY,
                                "=HXB, hybrid",
                                ONLY,
                                "=HXB, hybrid, in C",
                                ONLY,
                                "=HXB, spin, in C"));
        if (canSpin) {
            trips.addAll(List.of(LOOP, SPIN, ONLY, "=" + FAST, ONLY, "=" + FAST_IN_C));
        }
        stages.add(new Stage("attached-rtt", 70, trips));
        for (final int size : new int[] {32, 8192}) {
            final List<String> rates =
                    new ArrayList<>(
                            List.of(
                                    "attached-rate",
                                    ROUNDS,
                                    "3",
                                    SECONDS,
                                    "1",
                                    WARMUP,
                                    "1.5",
                                    "--sizes",
                                    Integer.toString(size),
                                    ONLY,
                                    "=Aeron, driver in a process of its own",
                                    ONLY,
                                    "=HXB, hybrid",
                                    ONLY,
                                    "=HXB, in C"));
            if (canSpin) {
                rates.addAll(List.of(LOOP, SPIN, ONLY, "=" + FAST));
            }
            stages.add(new Stage("attached-rate " + size, 48, rates));
        }
    }

    private static Stage relayScaling(final boolean canSpin) {
        final List<String> scaling =
                new ArrayList<>(
                        List.of(
                                "relay-scaling",
                                ROUNDS,
                                "3",
                                SECONDS,
                                "0.8",
                                WARMUP,
                                "2",
                                "--sizes",
                                "64,1500",
                                LOOP,
                                "loops: 1",
                                LOOP,
                                "loops: 2",
                                LOOP,
                                "loops: 4"));
        if (canSpin) {
            scaling.addAll(List.of(LOOP, "loops: 4, wait: spin"));
        }
        return new Stage("relay-scaling", 77, scaling);
    }

    private static Stage bulk(
            final boolean canSpin, final String wiring, final List<String> contestants) {
        final List<String> bulk =
                new ArrayList<>(
                        List.of(
                                "bulk-cost",
                                ROUNDS,
                                "3",
                                SECONDS,
                                "1.5",
                                WARMUP,
                                "2",
                                "--wiring",
                                wiring,
                                "--mtu",
                                "9000"));
        contestants.forEach(name -> bulk.addAll(List.of(ONLY, name)));
        bulk.addAll(List.of(LOOP, "loops: 2"));
        bulk.addAll(List.of(ONLY, contestants.getLast() + ", nodes loops: 2"));
        if (canSpin) {
            bulk.addAll(List.of(LOOP, SPIN_TWO));
            bulk.addAll(List.of(ONLY, contestants.getLast() + ", nodes " + SPIN_TWO));
        }
        return new Stage("bulk-cost", 92, bulk);
    }

    private static void addMpi(
            final List<Stage> stages, final boolean canSpin, final String bandwidth) {
        final List<String> plans =
                List.of("two links, 8 B round trip", "eight ranks, allreduce of 8 B", bandwidth);
        for (final String plan : plans) {
            final boolean isOfEight = plan.startsWith("eight");
            final List<String> mpi =
                    new ArrayList<>(
                            List.of("mpi", ROUNDS, "3", SECONDS, "1", WARMUP, "1", ONLY, plan));
            if (isOfEight) {
                mpi.add("--collectives");
            } else if (canSpin) {
                mpi.addAll(List.of(LOOP, SPIN));
            }
            stages.add(new Stage(String.format(Locale.ROOT, "mpi, %s", plan), 44, mpi));
        }
    }
}
