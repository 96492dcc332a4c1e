package io.hxb.sim.ethernet;

import io.hxb.fabric.SwitchGraph;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Switches, links and hosts, event by event. Frames wait in the queue of their output and count as
 * stored for the input by which they came. Used by one thread.
 */
public final class EthernetNetwork {
    private static final int NONE = -1;
    private static final long SENT = 0;
    private static final long ARRIVED = 1;
    private static final long PAUSED = 2;
    private static final long RESUMED = 3;
    private static final long WOKEN = 4;
    private static final int TYPE_SHIFT = 60;
    private static final int CHANNEL_SHIFT = 32;
    private static final long CHANNEL_MASK = (1L << (TYPE_SHIFT - CHANNEL_SHIFT)) - 1;

    private final SwitchGraph graph;
    private final EthernetConfig config;
    private final Forwarding forwarding;
    private final SimulatedApplication application;
    private final SimulatedApplication.Draft draft = new SimulatedApplication.Draft();
    private final EventHeap events = new EventHeap();
    private final Frames frames = new Frames();
    private final int firstInjection;
    private final int firstEjection;
    private final int[] head;
    private final int[] tail;
    private final int[] sending;
    private final boolean[] isPaused;
    private final boolean[] hasSentPause;
    private final int[] storedBytes;
    private final int[] queuedBytes;
    private final double[] nsPerByte;
    private final int[] outputs;
    private final long[] lastArrivalNs;
    private final SplittableRandom random = new SplittableRandom(1);
    private long nowNs;
    private long sentFrames;
    private long deliveredFrames;
    private long discardedFrames;
    private long droppedFrames;
    private long copiedFrames;
    private long moves;

    /** Prepares a run from an empty network; {@link #wake} starts hosts. */
    public EthernetNetwork(
            final SwitchGraph graph,
            final EthernetConfig config,
            final Forwarding forwarding,
            final SimulatedApplication application) {
        this.graph = graph;
        this.config = config;
        this.forwarding = forwarding;
        this.application = application;
        this.firstInjection = graph.channelCount();
        this.firstEjection = firstInjection + graph.hostCount();
        final int channels = firstEjection + graph.hostCount();
        this.head = new int[channels];
        this.tail = new int[channels];
        this.sending = new int[channels];
        Arrays.fill(head, NONE);
        Arrays.fill(tail, NONE);
        Arrays.fill(sending, NONE);
        this.isPaused = new boolean[channels];
        this.hasSentPause = new boolean[channels];
        this.storedBytes = new int[channels];
        this.queuedBytes = new int[channels];
        this.nsPerByte = new double[channels];
        for (int channel = 0; channel < channels; channel++) {
            nsPerByte[channel] = 8e9 / rateBps(channel);
        }
        this.lastArrivalNs = new long[channels];
        this.outputs = new int[graph.maxDegree() + graph.hostCount()];
    }

    private double rateBps(final int channel) {
        final long own =
                channel < firstInjection
                        ? graph.linkRateBps(SwitchGraph.link(channel))
                        : graph.hostRateBps((channel - firstInjection) % graph.hostCount());
        return own == 0 ? config.rateBps() : own;
    }

    /** The graph. */
    public SwitchGraph graph() {
        return graph;
    }

    /** Asks a host for frames, now or later. */
    public void wake(final int host, final long atNs) {
        events.add(Math.max(nowNs, atNs), event(WOKEN, firstInjection + host, 0));
    }

    private static long event(final long type, final int channel, final int frame) {
        return type << TYPE_SHIFT | (long) channel << CHANNEL_SHIFT | frame;
    }

    /** Runs all events up to a time; returns whether any are left. */
    public boolean runUntil(final long endNs) {
        while (!events.isEmpty() && events.time() <= endNs) {
            nowNs = events.time();
            final long event = events.remove();
            final int channel = (int) (event >>> CHANNEL_SHIFT & CHANNEL_MASK);
            final long type = event >>> TYPE_SHIFT;
            if (type == SENT) {
                onSent(channel);
            } else if (type == ARRIVED) {
                onArrived(channel, (int) event);
            } else if (type == WOKEN) {
                sendFromHost(channel);
            } else {
                isPaused[channel] = type == PAUSED;
                start(channel);
            }
        }
        nowNs = events.isEmpty() ? nowNs : endNs;
        return !events.isEmpty();
    }

    private void sendFromHost(final int channel) {
        if (sending[channel] != NONE || isPaused[channel] || head[channel] != NONE) {
            return;
        }
        final int host = channel - firstInjection;
        if (application.next(host, nowNs, draft)) {
            sentFrames++;
            enqueue(
                    channel,
                    frames.add(
                            host, draft.destination(), draft.vlan(), draft.bytes(), draft.tag()));
            start(channel);
        }
    }

    private void enqueue(final int channel, final int frame) {
        frames.next[frame] = NONE;
        if (head[channel] == NONE) {
            head[channel] = frame;
        } else {
            frames.next[tail[channel]] = frame;
        }
        tail[channel] = frame;
        queuedBytes[channel] += frames.bytes[frame];
    }

    /** Sends the first frame of a channel's queue, if it may. */
    private void start(final int channel) {
        if (sending[channel] != NONE || isPaused[channel]) {
            return;
        }
        if (head[channel] == NONE) {
            if (channel >= firstInjection && channel < firstEjection) {
                sendFromHost(channel);
            }
            return;
        }
        final int frame = head[channel];
        head[channel] = frames.next[frame];
        queuedBytes[channel] -= frames.bytes[frame];
        sending[channel] = frame;
        moves++;
        final long durationNs =
                (long)
                        Math.ceil(
                                nsPerByte[channel]
                                        * (frames.bytes[frame] + EthernetConfig.OVERHEAD_BYTES));
        events.add(nowNs + durationNs, event(SENT, channel, 0));
    }

    private void onSent(final int channel) {
        final int frame = sending[channel];
        sending[channel] = NONE;
        leave(frame);
        events.add(arrivalNs(channel), event(ARRIVED, channel, frame));
        start(channel);
    }

    /** When a frame sent now is in the next queue; frames do not overtake each other. */
    private long arrivalNs(final int channel) {
        long atNs = nowNs + config.linkNs();
        if (channel < firstEjection) {
            atNs += config.switchNs();
            atNs += config.jitterNs() == 0 ? 0 : random.nextLong(config.jitterNs() + 1);
        }
        lastArrivalNs[channel] = Math.max(atNs, lastArrivalNs[channel]);
        return lastArrivalNs[channel];
    }

    /** A frame has left a switch: the port by which it came has room again. */
    private void leave(final int frame) {
        final int input = frames.input[frame];
        if (input == NONE) {
            return;
        }
        storedBytes[input] -= frames.bytes[frame];
        if (hasSentPause[input] && storedBytes[input] <= config.pauseBytes() / 2) {
            hasSentPause[input] = false;
            events.add(nowNs + config.linkNs(), event(RESUMED, input, 0));
        }
    }

    private void onArrived(final int channel, final int frame) {
        if (channel >= firstEjection) {
            final int host = channel - firstEjection;
            if (frames.destination[frame] == host) {
                deliveredFrames++;
                application.onFrame(
                        this,
                        host,
                        frames.source[frame],
                        frames.vlan[frame],
                        frames.bytes[frame],
                        frames.tag[frame],
                        nowNs);
            } else {
                // Flooded: the NIC drops what is for somebody else.
                discardedFrames++;
            }
            frames.remove(frame);
            return;
        }
        forward(channel, frame);
    }

    private void forward(final int input, final int frame) {
        final int node =
                input < firstInjection
                        ? graph.target(input)
                        : graph.hostSwitch(input - firstInjection);
        final int count =
                forwarding.outputs(
                        node,
                        input,
                        frames.vlan[frame],
                        frames.source[frame],
                        frames.destination[frame],
                        outputs);
        copiedFrames += Math.max(0, count - 1);
        for (int i = 0; i < count; i++) {
            final int copy = i == count - 1 ? frame : frames.copy(frame);
            store(input, outputs[i], copy);
        }
        if (count == 0) {
            droppedFrames++;
            frames.remove(frame);
        }
    }

    private void store(final int input, final int output, final int frame) {
        final int bytes = frames.bytes[frame];
        // With PAUSE the memory belongs to the input, which can be stopped; else to the output.
        final int taken = usesPause(input) ? storedBytes[input] : queuedBytes[output];
        if (taken + bytes > config.portBytes()) {
            droppedFrames++;
            frames.remove(frame);
            return;
        }
        frames.input[frame] = input;
        storedBytes[input] += bytes;
        enqueue(output, frame);
        if (storedBytes[input] > config.pauseBytes() && !hasSentPause[input] && usesPause(input)) {
            hasSentPause[input] = true;
            events.add(nowNs + config.linkNs(), event(PAUSED, input, 0));
        }
        start(output);
    }

    private boolean usesPause(final int channel) {
        return switch (config.pause()) {
            case NONE -> false;
            case ALL -> true;
            case HOSTS -> channel >= firstInjection;
            case SWITCHES -> channel < firstInjection;
        };
    }

    /**
     * Looks for channels that are paused forever.
     *
     * @return describes a channel of a cycle and those it waits for, or null.
     */
    public String findDeadlock() {
        final boolean[] isDead = isPaused.clone();
        final int[] stuckBytes = new int[isDead.length];
        boolean isChanged = true;
        while (isChanged) {
            isChanged = false;
            Arrays.fill(stuckBytes, 0);
            for (int output = 0; output < isDead.length; output++) {
                for (int frame = isDead[output] ? head[output] : NONE;
                        frame != NONE;
                        frame = frames.next[frame]) {
                    if (frames.input[frame] != NONE) {
                        stuckBytes[frames.input[frame]] += frames.bytes[frame];
                    }
                }
            }
            for (int channel = 0; channel < isDead.length; channel++) {
                if (isDead[channel] && stuckBytes[channel] <= config.pauseBytes() / 2) {
                    isDead[channel] = false;
                    isChanged = true;
                }
            }
        }
        for (int channel = 0; channel < firstInjection; channel++) {
            if (isDead[channel]) {
                return describe(isDead);
            }
        }
        return null;
    }

    private String describe(final boolean[] isDead) {
        final StringBuilder text = new StringBuilder();
        for (int channel = 0; channel < firstInjection; channel++) {
            if (isDead[channel]) {
                text.append(text.isEmpty() ? "paused forever: [" : "], [")
                        .append(graph.channelName(channel));
            }
        }
        return text.append(']').toString();
    }

    /** Checks that no frame was lost without being counted, and that stored bytes add up. */
    public void check() {
        long inside = 0;
        final int[] stored = new int[storedBytes.length];
        for (int channel = 0; channel < head.length; channel++) {
            for (int frame = head[channel]; frame != NONE; frame = frames.next[frame]) {
                inside++;
                if (frames.input[frame] != NONE) {
                    stored[frames.input[frame]] += frames.bytes[frame];
                }
            }
            if (sending[channel] != NONE) {
                inside++;
                if (frames.input[sending[channel]] != NONE) {
                    stored[frames.input[sending[channel]]] += frames.bytes[sending[channel]];
                }
            }
        }
        final long ended = deliveredFrames + discardedFrames + droppedFrames;
        final long onLinks = sentFrames + copiedFrames - ended - inside;
        if (onLinks < 0 || frames.count() != inside + onLinks) {
            throw new IllegalStateException(
                    sentFrames
                            + " frames sent and "
                            + copiedFrames
                            + " copied, but "
                            + ended
                            + " ended and "
                            + frames.count()
                            + " are inside");
        }
        if (!Arrays.equals(stored, storedBytes)) {
            throw new IllegalStateException("stored bytes do not add up");
        }
    }

    /** Frames sent by hosts. */
    public long sentFrames() {
        return sentFrames;
    }

    /** Frames that reached the host they were for. */
    public long deliveredFrames() {
        return deliveredFrames;
    }

    /** Frames dropped because a buffer was full, or because no output was known for them. */
    public long droppedFrames() {
        return droppedFrames;
    }

    /** Frames that reached hosts they were not for. */
    public long discardedFrames() {
        return discardedFrames;
    }

    /** Links crossed by frames. */
    public long moves() {
        return moves;
    }

    /** The current time. */
    public long nowNs() {
        return nowNs;
    }
}
