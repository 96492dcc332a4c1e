package io.hxb.fabric.vlan.config;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.vlan.VlanPlan;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * IEEE 802.1Q switches set up by {@link SwitchSetup}s: tagging by PVID, membership at both ends,
 * static MAC tables, flooding of what is not in them. Owned by the test's thread.
 */
final class SwitchSimulation {
    static final int NO_TAG = 0;
    private static final long BROADCAST = 0xFFFF_FFFF_FFFFL;
    private static final int MAX_STEPS = 100_000;

    private final SwitchGraph graph;
    private final List<SwitchSetup> setups;
    private final List<Map<String, Integer>> channels = new ArrayList<>();
    private final List<Map<String, Integer>> hosts = new ArrayList<>();
    private final List<Map<Long, String>> macs = new ArrayList<>();
    private final List<Map<String, SwitchSetup.Port>> ports = new ArrayList<>();

    /** What became of one frame: channels in order, hosts reached with the VID of the tag there. */
    record Outcome(List<Integer> channels, Map<Integer, Integer> arrivals, int floods) {}

    private record Frame(int node, String inPort, int vid) {}

    SwitchSimulation(final VlanPlan plan) {
        this(plan.graph(), SetupMaker.of(plan));
    }

    SwitchSimulation(final SwitchGraph graph, final List<SwitchSetup> setups) {
        this.graph = graph;
        this.setups = setups;
        for (int node = 0; node < graph.switchCount(); node++) {
            final Map<String, Integer> ofPort = new HashMap<>();
            for (int i = 0; i < graph.degree(node); i++) {
                ofPort.put(graph.sourcePort(graph.outgoing(node, i)), graph.outgoing(node, i));
            }
            channels.add(ofPort);
            hosts.add(new HashMap<>());
            final Map<Long, String> table = new HashMap<>();
            setups.get(node)
                    .macs()
                    .forEach(entry -> table.put(key(entry.vid(), entry.mac()), entry.port()));
            macs.add(table);
            final Map<String, SwitchSetup.Port> names = new HashMap<>();
            setups.get(node).ports().forEach(port -> names.put(port.name(), port));
            ports.add(names);
        }
        for (int host = 0; host < graph.hostCount(); host++) {
            hosts.get(graph.hostSwitch(host)).put(graph.hostPort(host), host);
        }
    }

    private static long key(final int vid, final long mac) {
        return (long) vid << 48 | mac;
    }

    Outcome send(final int from, final int to, final int tag) {
        return carry(from, SetupMaker.mac(graph, to), tag);
    }

    Outcome broadcast(final int from, final int tag) {
        return carry(from, BROADCAST, tag);
    }

    private Outcome carry(final int from, final long mac, final int tag) {
        final List<Integer> crossed = new ArrayList<>();
        final Map<Integer, Integer> arrivals = new HashMap<>();
        int floods = 0;
        final ArrayDeque<Frame> frames = new ArrayDeque<>();
        frames.add(new Frame(graph.hostSwitch(from), graph.hostPort(from), tag));
        for (int step = 0; !frames.isEmpty(); step++) {
            if (step == MAX_STEPS) {
                throw new AssertionError("a frame of host " + from + " goes round and round");
            }
            final Frame frame = frames.poll();
            final SwitchSetup.Port in = ports.get(frame.node).get(frame.inPort);
            final int vid = frame.vid == NO_TAG ? in.pvid() : frame.vid;
            if (vid == 0 || !in.vids().get(vid)) {
                continue;
            }
            final String known = macs.get(frame.node).get(key(vid, mac));
            floods += known == null && mac != BROADCAST ? 1 : 0;
            for (final SwitchSetup.Port out : setups.get(frame.node).ports()) {
                if (out.name().equals(in.name())
                        || !out.vids().get(vid)
                        || (known != null && !known.equals(out.name()))) {
                    continue;
                }
                final int outTag = out.tagged().get(vid) ? vid : NO_TAG;
                final Integer host = hosts.get(frame.node).get(out.name());
                if (host != null) {
                    if (arrivals.put(host, outTag) != null) {
                        throw new AssertionError("a frame arrives twice at host " + host);
                    }
                } else {
                    final int channel = channels.get(frame.node).get(out.name());
                    crossed.add(channel);
                    frames.add(new Frame(graph.target(channel), graph.targetPort(channel), outTag));
                }
            }
        }
        return new Outcome(crossed, arrivals, floods);
    }
}
