package io.hxb.tool.doctor;

import io.hxb.linux.Descriptors;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.PacketSocket;
import io.hxb.os.Sockets;
import io.hxb.os.nic.NicInfo;
import io.hxb.tool.machine.Programs;
import io.hxb.tool.machine.Shell;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Compares what a NIC receives with what reaches the sockets of its raw link, all or some of it,
 * and finds programs of tc in between. In the network namespace of the calling thread. Stateless.
 *
 * <p>The kernel passes a frame on in this order: XDP programs, sockets that want all EtherTypes,
 * programs of tc at ingress, nftables at ingress, the bridge or bond of which the NIC is a port,
 * and then the sockets of the frame's EtherType, as a raw link has them. So a socket for all
 * EtherTypes sees what tc and nftables drop.
 */
final class IngressCheck {
    /** A node sends hello frames five times a second. */
    private static final long WINDOW_NS = 1_000_000_000L;

    private static final int ENOUGH_FRAMES = 3;
    private static final int SNAP_BYTES = 64;
    private static final int ETHER_TYPE_OFFSET = 12;
    private static final Path COUNTS = Path.of("/proc/thread-self/net/dev");
    private static final Pattern REDIRECT =
            Pattern.compile("mirred \\(\\w+ Redirect to device (\\S+?)\\)");
    private static final Pattern DROP = Pattern.compile("action drop|shot|police .* drop");

    private IngressCheck() {}

    /** How a node hears others on a link. */
    enum Hearing {
        /** It does not run. */
        ABSENT,
        /** It hears nobody. */
        DEAF,
        /** The link loses frames, or is left out. */
        DOUBTFUL,
        /** It hears them. */
        GOOD
    }

    /**
     * What was received within a second or less. Immutable.
     *
     * @param nicFrames frames of any kind that the NIC counted.
     * @param hxbFrames frames of HXB that a socket for all EtherTypes saw.
     */
    record Received(long nicFrames, int hxbFrames) {}

    /**
     * What a program of tc does to frames that a NIC receives; empty if there is none that takes
     * any.
     */
    static Optional<String> program(final String nic) {
        final String disciplines = tc("qdisc", "show", "dev", nic);
        return disciplines.contains("qdisc clsact") || disciplines.contains("qdisc ingress")
                ? program(tc("filter", "show", "dev", nic, "ingress"), nic)
                : Optional.empty();
    }

    /** The same of what {@code tc filter show} printed. */
    static Optional<String> program(final String filters, final String nic) {
        final Matcher redirect = REDIRECT.matcher(filters);
        if (redirect.find()) {
            return Optional.of("tc redirects frames that it receives to " + redirect.group(1));
        }
        if (DROP.matcher(filters).find()) {
            return Optional.of("tc drops frames that it receives");
        }
        return filters.contains(" bpf ")
                ? Optional.of("a BPF program of tc may drop frames that it receives")
                : Optional.empty();
    }

    private static String tc(final String... arguments) {
        final List<String> command = new ArrayList<>(List.of("tc"));
        command.addAll(List.of(arguments));
        return Programs.find("tc").isEmpty() ? "" : Shell.run("", command).output();
    }

    /**
     * What is wrong between a NIC and its sockets.
     *
     * @param hearing how the node, if it runs, hears others on the link.
     * @param wanted frames of HXB that are for the node.
     * @param rules the chain of nftables that drops what the NIC receives; empty if there is none.
     */
    static List<Finding> run(
            final String subject,
            final String nic,
            final Hearing hearing,
            final IngressSample.Wanted wanted,
            final String rules)
            throws IOException {
        final Optional<String> program = program(nic);
        if (hearing == Hearing.DOUBTFUL
                || (hearing == Hearing.GOOD && (program.isPresent() || !rules.isEmpty()))) {
            final Optional<IngressSample> sample =
                    IngressSample.take(nic, wanted, WINDOW_NS, IngressSample.ENOUGH_FRAMES);
            final List<Finding> partial =
                    sample.map(taken -> judge(subject, nic, program, rules, taken))
                            .orElse(List.of());
            if (!partial.isEmpty()) {
                return partial;
            }
        }
        final Optional<Received> received =
                hearing == Hearing.DEAF
                        ? Optional.of(receive(nic, wanted.etherTypes(), WINDOW_NS))
                        : Optional.empty();
        return judge(subject, nic, program, received);
    }

    /**
     * The finding about frames of which only some are taken on the way; none if all pass.
     *
     * @param rules as above.
     */
    static List<Finding> judge(
            final String subject,
            final String nic,
            final Optional<String> program,
            final String rules,
            final IngressSample sample) {
        final String who =
                program.or(
                                () ->
                                        rules.isEmpty()
                                                ? Optional.empty()
                                                : Optional.of("nftables drops frames by " + rules))
                        .orElse("something in between takes them");
        return sample.text()
                .map(text -> Finding.fail(subject, text + ": " + who, fix(nic, program)))
                .map(List::of)
                .orElse(List.of());
    }

    private static String fix(final String nic, final Optional<String> program) {
        return program.isPresent()
                ? "tc filter show dev "
                        + nic
                        + " ingress; let EtherTypes 0x88B5 and 0x88B6 pass, or remove it:"
                        + " tc filter del dev "
                        + nic
                        + " ingress"
                : "look for what takes them: nft list ruleset (hook ingress), ip -d link"
                        + " show "
                        + nic
                        + " (master, xdp), tc filter show dev "
                        + nic
                        + " ingress";
    }

    /**
     * The finding.
     *
     * @param received what was received though the node hears nobody; empty if it hears somebody,
     *     or does not run.
     */
    static List<Finding> judge(
            final String subject,
            final String nic,
            final Optional<String> program,
            final Optional<Received> received) {
        final String fix = fix(nic, program);
        if (received.filter(counts -> counts.hxbFrames() > 0).isPresent()) {
            return List.of(
                    Finding.fail(
                            subject,
                            "frames of HXB arrive at the NIC, "
                                    + received.get().hxbFrames()
                                    + " within a second, and none at the sockets of the node: "
                                    + program.orElse("something in between takes them"),
                            fix));
        }
        if (program.isPresent()) {
            return List.of(
                    received.isPresent()
                            ? Finding.fail(subject, program.get() + "; nobody is heard there", fix)
                            : Finding.warn(subject, program.get(), fix));
        }
        return received.map(counts -> silence(subject, nic, counts)).orElse(List.of());
    }

    private static List<Finding> silence(
            final String subject, final String nic, final Received counts) {
        return List.of(
                counts.nicFrames() == 0
                        ? Finding.warn(
                                subject,
                                "receives no frame of any kind",
                                "check that the other node runs, and the cable and switch port of "
                                        + nic)
                        : Finding.warn(
                                subject,
                                "receives "
                                        + counts.nicFrames()
                                        + " frames within a second, and none of HXB",
                                "check that the other node runs and is on this switch, and that the"
                                        + " switch passes EtherTypes 0x88B5 and 0x88B6"));
    }

    /** Counts what a NIC receives, until that is enough or the time is over. */
    static Received receive(final String nic, final Set<Integer> etherTypes, final long windowNs)
            throws IOException {
        final NicInfo info = NicInfo.read(nic);
        final long before = frames(nic);
        int found = 0;
        final int socket = PacketSocket.open();
        try (Arena arena = Arena.ofConfined()) {
            PacketSocket.bind(socket, PacketSocket.ALL_ETHER_TYPES, info.ifindex(), nic);
            final long buffer = arena.allocate(SNAP_BYTES, 8).address();
            final long endNs = System.nanoTime() + windowNs;
            for (long nowNs = System.nanoTime();
                    endNs - nowNs > 0 && found < ENOUGH_FRAMES;
                    nowNs = System.nanoTime()) {
                final int length = Sockets.receive(socket, buffer, SNAP_BYTES);
                if (length < 0) {
                    await(socket, endNs - nowNs);
                } else if (isOfHxb(buffer, length, etherTypes)) {
                    found++;
                }
            }
        } finally {
            Descriptors.close(socket);
        }
        return new Received(Math.max(frames(nic) - before, found), found);
    }

    private static void await(final int socket, final long forNs) throws LinuxException {
        Descriptors.poll(socket, Descriptors.POLLIN, (int) (forNs / 1_000_000) + 1);
    }

    private static boolean isOfHxb(
            final long frame, final int length, final Set<Integer> etherTypes) {
        return length >= ETHER_TYPE_OFFSET + 2
                && etherTypes.contains(Memory.getUnsignedShortBigEndian(frame + ETHER_TYPE_OFFSET));
    }

    // Source: proc(5), /proc/net/dev: bytes and frames received come first.
    private static long frames(final String nic) throws IOException {
        return Files.readAllLines(COUNTS).stream()
                .map(String::strip)
                .filter(line -> line.startsWith(nic + ":"))
                .map(line -> line.substring(nic.length() + 1).strip().split("\\s+", -1))
                .mapToLong(fields -> Long.parseLong(fields[1]))
                .findFirst()
                .orElse(0);
    }
}
