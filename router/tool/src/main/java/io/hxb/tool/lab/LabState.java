package io.hxb.tool.lab;

import com.fasterxml.jackson.annotation.JsonInclude;

import io.hxb.config.Backend;
import io.hxb.config.FrameConfig;
import io.hxb.config.SocketConfig;
import io.hxb.topology.Shape;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The contents of a lab's state file, so that it can be used and removed by other commands, even
 * after its owner has crashed. Immutable; the JSON fields are the components.
 *
 * @param name lab name.
 * @param shape such as {@code 3x3x3}.
 * @param links links per dimension.
 * @param backend {@code raw} or {@code udp}.
 * @param rateBps bits per second of a link, 0 for unshaped.
 * @param mtuBytes MTU.
 * @param wiring {@code bridge} or {@code direct}.
 * @param kernelRelay {@code auto}, {@code on} or {@code off}.
 * @param wire {@code whole}, {@code cut} or {@code paced}.
 * @param encapsulation {@code ethernet}, {@code udp}, {@code tcp} or {@code auto}.
 * @param cabling cables between single nodes; null for a hyper-crossbar.
 * @param network graph of the switches that join the nodes, which are plain hosts then; empty for a
 *     lab of HXB nodes.
 * @param ownerPid process without which the lab is stale; 0 while nobody has taken it over.
 * @param ownerStartMs when that process started, to distinguish it from a later one with the same
 *     pid.
 * @param nodePids processes of the nodes, empty when the owner carries them all.
 * @param isReady true once every node can be attached to and hears all its neighbours.
 */
public record LabState(
        String name,
        String shape,
        int links,
        String backend,
        long rateBps,
        int mtuBytes,
        String wiring,
        String kernelRelay,
        String wire,
        String encapsulation,
        @JsonInclude(JsonInclude.Include.NON_NULL) LabCabling cabling,
        String network,
        long ownerPid,
        long ownerStartMs,
        List<Long> nodePids,
        boolean isReady) {
    private static final Pattern OWNER_MARK = Pattern.compile("\\bhxb:(\\d{1,10}):(\\d{1,15})\\b");

    /**
     * State files of earlier releases do not contain wiring and what comes after it, or network.
     */
    public LabState {
        wiring = wiring == null ? "bridge" : wiring;
        kernelRelay = kernelRelay == null ? "auto" : kernelRelay;
        wire = wire == null ? "whole" : wire;
        encapsulation = encapsulation == null ? "ethernet" : encapsulation;
        network = network == null ? "" : network;
    }

    /** State of a new lab owned by this process. */
    static LabState of(final LabSpec spec) {
        return new LabState(
                        spec.name(),
                        spec.shape().toString(),
                        spec.linkCount(),
                        spec.backend().name().toLowerCase(Locale.ROOT),
                        spec.rateBps(),
                        spec.mtuBytes(),
                        spec.wiring().name().toLowerCase(Locale.ROOT),
                        spec.kernelRelay().name().toLowerCase(Locale.ROOT),
                        spec.wire().name().toLowerCase(Locale.ROOT),
                        spec.encapsulation().name().toLowerCase(Locale.ROOT),
                        spec.cabling().orElse(null),
                        "",
                        0,
                        0,
                        List.of(),
                        false)
                .withOwner(ProcessHandle.current());
    }

    /** The same lab owned by another process. */
    LabState withOwner(final ProcessHandle owner) {
        return new LabState(
                name,
                shape,
                links,
                backend,
                rateBps,
                mtuBytes,
                wiring,
                kernelRelay,
                wire,
                encapsulation,
                cabling,
                network,
                owner.pid(),
                startMs(owner),
                nodePids,
                isReady);
    }

    /** The same lab with the processes of its nodes. */
    LabState withNodes(final List<Long> pids, final boolean ready) {
        return new LabState(
                name,
                shape,
                links,
                backend,
                rateBps,
                mtuBytes,
                wiring,
                kernelRelay,
                wire,
                encapsulation,
                cabling,
                network,
                ownerPid,
                ownerStartMs,
                List.copyOf(pids),
                ready);
    }

    /** The same lab with hosts joined by switches instead of nodes. */
    LabState withNetwork(final String graph) {
        return new LabState(
                name,
                shape,
                links,
                backend,
                rateBps,
                mtuBytes,
                wiring,
                kernelRelay,
                wire,
                encapsulation,
                cabling,
                graph,
                ownerPid,
                ownerStartMs,
                nodePids,
                isReady);
    }

    /** True if it consists of hosts joined by switches, and no node of HXB runs in it. */
    public boolean hasSwitches() {
        return !network.isEmpty();
    }

    /** What was asked for; a line of nodes in a lab of hosts joined by switches. */
    public LabSpec spec() {
        return new LabSpec(
                name,
                cabling == null ? Shape.parse(shape) : cabling.shape(),
                links,
                Backend.valueOf(backend.toUpperCase(Locale.ROOT)),
                rateBps,
                mtuBytes,
                Wiring.valueOf(wiring.toUpperCase(Locale.ROOT)),
                SocketConfig.KernelRelay.valueOf(kernelRelay.toUpperCase(Locale.ROOT)),
                LabWire.valueOf(wire.toUpperCase(Locale.ROOT)),
                FrameConfig.Encapsulation.valueOf(encapsulation.toUpperCase(Locale.ROOT)),
                Optional.ofNullable(cabling));
    }

    /** True while the process to which the lab belongs is alive. */
    public boolean isOwnerAlive() {
        return isAlive(ownerPid, ownerStartMs);
    }

    private static boolean isAlive(final long pid, final long startMs) {
        return ProcessHandle.of(pid)
                .filter(owner -> !LabRegistry.commandLine(owner).isEmpty())
                .map(owner -> Math.abs(startMs(owner) - startMs) < 1000)
                .orElse(false);
    }

    /** The owner in a word, for places without a state file; see {@link #isAlive(String)}. */
    String ownerMark() {
        return "hxb:" + ownerPid + ":" + ownerStartMs;
    }

    /** True if {@code text} holds the {@link #ownerMark} of a process that lives. */
    static boolean isAlive(final String text) {
        final Matcher mark = OWNER_MARK.matcher(text);
        return mark.find() && isAlive(Long.parseLong(mark.group(1)), Long.parseLong(mark.group(2)));
    }

    /** Numbers of the nodes whose processes have ended, though the lab is up; in order. */
    public List<Integer> deadNodes() {
        return java.util.stream.IntStream.range(0, nodePids.size())
                .filter(
                        node ->
                                ProcessHandle.of(nodePids.get(node))
                                        .filter(LabRegistry::isOurs)
                                        .isEmpty())
                .boxed()
                .toList();
    }

    /** All namespaces of the lab, the switch first; none for UDP. */
    public List<String> namespaces() {
        final LabSpec spec = spec();
        final List<String> names = new ArrayList<>();
        if (spec.backend().usesNics()) {
            names.add(LabNames.switchNamespace(name));
            for (int node = 0; node < spec.shape().nodeCount(); node++) {
                names.add(LabNames.namespace(name, node));
            }
        }
        return names;
    }

    private static long startMs(final ProcessHandle process) {
        return process.info().startInstant().map(java.time.Instant::toEpochMilli).orElse(0L);
    }
}
