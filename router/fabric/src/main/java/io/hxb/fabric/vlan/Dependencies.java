package io.hxb.fabric.vlan;

import io.hxb.fabric.SwitchGraph;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Which channel waits for which when switches hold frames back (IEEE 802.3x PAUSE). A cycle among
 * them can stop the network permanently. Owned by one thread. Source: Otsuka et al. 2006, section
 * 4.
 */
public final class Dependencies {
    private final SwitchGraph graph;

    /** For each channel, the indexes at its target of the outgoing channels that it waits for. */
    private final BitSet[] waitsFor;

    /** Starts without dependencies. */
    public Dependencies(final SwitchGraph graph) {
        this.graph = graph;
        this.waitsFor = new BitSet[graph.channelCount()];
    }

    /** Adds those of a path. */
    public void add(final int[] channels) {
        for (int i = 0; i + 1 < channels.length; i++) {
            if (waitsFor[channels[i]] == null) {
                waitsFor[channels[i]] = new BitSet();
            }
            waitsFor[channels[i]].set(graph.outgoingIndex(channels[i + 1]));
        }
    }

    /**
     * Adds those of a path and of the way back, if that closes no cycle; changes nothing otherwise.
     *
     * @return whether they were added. There must be no cycle before.
     */
    public boolean addIfAcyclic(final int[] channels) {
        return addIfAcyclicOneWay(channels) && addIfAcyclicOneWay(reversed(channels));
    }

    private static int[] reversed(final int[] channels) {
        final int[] back = new int[channels.length];
        for (int i = 0; i < back.length; i++) {
            back[i] = SwitchGraph.opposite(channels[channels.length - 1 - i]);
        }
        return back;
    }

    private boolean addIfAcyclicOneWay(final int[] channels) {
        final List<Integer> added = new ArrayList<>();
        for (int i = 0; i + 1 < channels.length; i++) {
            if (!has(channels[i], channels[i + 1])) {
                add(new int[] {channels[i], channels[i + 1]});
                added.add(i);
                if (leadsTo(channels[i + 1], channels[i])) {
                    for (final int index : added) {
                        waitsFor[channels[index]].clear(graph.outgoingIndex(channels[index + 1]));
                    }
                    return false;
                }
            }
        }
        return true;
    }

    private boolean has(final int channel, final int next) {
        return waitsFor[channel] != null && waitsFor[channel].get(graph.outgoingIndex(next));
    }

    private boolean leadsTo(final int from, final int to) {
        final BitSet seen = new BitSet();
        final int[] stack = new int[graph.channelCount()];
        int size = 0;
        stack[size++] = from;
        seen.set(from);
        while (size > 0) {
            final int channel = stack[--size];
            if (channel == to) {
                return true;
            }
            final BitSet next = waitsFor[channel];
            for (int i = next == null ? -1 : next.nextSetBit(0);
                    i >= 0;
                    i = next.nextSetBit(i + 1)) {
                final int following = graph.outgoing(graph.target(channel), i);
                if (!seen.get(following)) {
                    seen.set(following);
                    stack[size++] = following;
                }
            }
        }
        return false;
    }

    /**
     * Looks for a cycle.
     *
     * @return its channels in order, none if there is no cycle.
     */
    public List<Integer> cycle() {
        final byte[] states = new byte[graph.channelCount()];
        final int[] stack = new int[graph.channelCount()];
        final int[] position = new int[graph.channelCount()];
        for (int start = 0; start < states.length; start++) {
            int size = 0;
            if (states[start] == 0) {
                stack[size++] = start;
                states[start] = 1;
            }
            while (size > 0) {
                final int channel = stack[size - 1];
                final int index =
                        waitsFor[channel] == null
                                ? -1
                                : waitsFor[channel].nextSetBit(position[channel]);
                if (index < 0) {
                    states[channel] = 2;
                    size--;
                    continue;
                }
                position[channel] = index + 1;
                final int next = graph.outgoing(graph.target(channel), index);
                if (states[next] == 1) {
                    return cycle(stack, size, next);
                }
                if (states[next] == 0) {
                    states[next] = 1;
                    stack[size++] = next;
                }
            }
        }
        return List.of();
    }

    private static List<Integer> cycle(final int[] stack, final int size, final int first) {
        final List<Integer> channels = new ArrayList<>();
        for (int i = size - 1; i >= 0; i--) {
            channels.addFirst(stack[i]);
            if (stack[i] == first) {
                break;
            }
        }
        return channels;
    }

    /** A cycle as text: the switches that it passes. */
    public static String describe(final SwitchGraph graph, final List<Integer> cycle) {
        final StringBuilder text = new StringBuilder();
        for (final int channel : cycle) {
            text.append(graph.switchName(graph.source(channel))).append(" -> ");
        }
        return cycle.isEmpty()
                ? ""
                : text.append(graph.switchName(graph.source(cycle.getFirst()))).toString();
    }
}
