package io.hxb.tool.init;

import io.hxb.config.FrameConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.FrameValidator;
import io.hxb.frame.HelloFlyweight;
import io.hxb.linux.Descriptors;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.linux.PollSet;
import io.hxb.os.PacketSocket;
import io.hxb.os.Sockets;
import io.hxb.os.nic.NicInfo;
import io.hxb.tool.init.NeighbourSurvey.Nic;
import io.hxb.tool.init.NeighbourSurvey.State;

import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Asks on NICs who is there, and listens to those who ask and to nodes that run. Owned by one
 * thread.
 */
final class Survey implements AutoCloseable {
    private static final int ETHERNET_LENGTH = 14;
    private static final int FRAME_LENGTH = 65_536;
    private static final int MAX_FRAMES_PER_TURN = 256;
    private static final int MAX_TEXTS = 64;
    private static final int MAX_NODES = 4096;

    private final Arena arena = Arena.ofConfined();
    private final long buffer = arena.allocate(FRAME_LENGTH, 8).address();
    private final HelloFlyweight hello = new HelloFlyweight();
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final List<Door> doors = new ArrayList<>();
    private final PollSet waiting;
    private final String machine;
    private final NeighbourSurvey known = new NeighbourSurvey();
    private final Map<String, String> nodes = new LinkedHashMap<>();
    private long ignoredFrames;

    /** A NIC with the sockets that ask and listen there. */
    private record Door(DiscoveredPort port, long mac, int ask, int nodes) {}

    /**
     * Opens the sockets of all NICs.
     *
     * @param machine id of this machine.
     * @throws LinuxException if a NIC is gone or packet sockets are not allowed.
     */
    Survey(final String machine, final String name, final List<LocalNic> nics)
            throws LinuxException {
        waiting = new PollSet(2 * nics.size());
        this.machine = machine;
        known.addMachine(machine, name);
        try {
            for (final LocalNic nic : nics) {
                open(new DiscoveredPort(machine, nic.name()));
                known.addNic(
                        new DiscoveredPort(machine, nic.name()),
                        new Nic(nic.mtuBytes(), nic.speedMbps(), nic.mac()));
            }
        } catch (final LinuxException e) {
            close();
            throw e;
        }
    }

    private void open(final DiscoveredPort port) throws LinuxException {
        final NicInfo info = NicInfo.read(port.nic());
        final int ask = PacketSocket.open();
        doors.add(new Door(port, info.mac(), ask, -1));
        PacketSocket.bind(ask, Announcement.ETHER_TYPE, info.ifindex(), port.nic());
        final int nodeFrames = PacketSocket.open();
        doors.set(doors.size() - 1, new Door(port, info.mac(), ask, nodeFrames));
        PacketSocket.bind(nodeFrames, FrameConfig.DEFAULT.etherType(), info.ifindex(), port.nic());
    }

    /** What was found so far; grows with every {@link #listen}. */
    NeighbourSurvey known() {
        return known;
    }

    /** Descriptions of running nodes that were heard. */
    List<String> nodes() {
        return List.copyOf(nodes.values());
    }

    /** Frames that made no sense. */
    long ignoredFrames() {
        return ignoredFrames;
    }

    /**
     * Announces on every NIC all that is known. A NIC whose cable was pulled sends nothing.
     *
     * @param hasEnded whether it does so for the others alone.
     */
    void ask(final boolean hasEnded) {
        known.addState(machine, new State(System.currentTimeMillis(), known.digest(), hasEnded));
        for (final Door door : doors) {
            final List<String> texts = new ArrayList<>(Announcement.texts(door.port(), known));
            // With more than fit into one round, a random selection: all are sent after some
            // rounds.
            if (texts.size() > MAX_TEXTS) {
                Collections.shuffle(texts);
            }
            texts.stream().limit(MAX_TEXTS).forEach(text -> send(door, text));
        }
    }

    private void send(final Door door, final String text) {
        final byte[] octets = text.getBytes(StandardCharsets.UTF_8);
        Memory.fill(buffer, 6, 0xFF);
        for (int i = 0; i < 6; i++) {
            Memory.putByte(buffer + 6 + i, (int) (door.mac() >>> (40 - 8 * i)));
        }
        Memory.putShortBigEndian(buffer + 12, Announcement.ETHER_TYPE);
        Memory.putByte(buffer + 14, Announcement.OUI >>> 16);
        Memory.putShortBigEndian(buffer + 15, Announcement.OUI & 0xFFFF);
        Memory.putShortBigEndian(buffer + 17, Announcement.PROTOCOL);
        Memory.putShortBigEndian(buffer + 19, octets.length);
        for (int i = 0; i < octets.length; i++) {
            Memory.putByte(buffer + Announcement.HEADER_LENGTH + i, octets[i]);
        }
        // What cannot be sent now is sent again in the next round.
        Sockets.send(door.ask(), buffer, Announcement.HEADER_LENGTH + octets.length);
    }

    /**
     * Listens until something comes or the time is over.
     *
     * @return facts that were not known before.
     */
    int listen(final long timeoutNs) {
        waiting.clear();
        for (final Door door : doors) {
            waiting.add(door.ask());
            waiting.add(door.nodes());
        }
        if (waiting.await(timeoutNs) == 0) {
            return 0;
        }
        int fresh = 0;
        for (final Door door : doors) {
            for (int turn = 0; turn < MAX_FRAMES_PER_TURN; turn++) {
                final int length = Sockets.receive(door.ask(), buffer, FRAME_LENGTH);
                if (length <= 0) {
                    break;
                }
                fresh += takeAnnouncement(door, length);
            }
            for (int turn = 0; turn < MAX_FRAMES_PER_TURN; turn++) {
                final int length = Sockets.receive(door.nodes(), buffer, FRAME_LENGTH);
                if (length <= 0) {
                    break;
                }
                takeHello(door, length - ETHERNET_LENGTH);
            }
        }
        return fresh;
    }

    private int takeAnnouncement(final Door door, final int length) {
        if (length < Announcement.HEADER_LENGTH
                || Memory.getUnsignedByte(buffer + 14) != Announcement.OUI >>> 16
                || Memory.getUnsignedShortBigEndian(buffer + 15) != (Announcement.OUI & 0xFFFF)
                || Memory.getUnsignedShortBigEndian(buffer + 17) != Announcement.PROTOCOL) {
            ignoredFrames++;
            return 0;
        }
        final int textLength = Memory.getUnsignedShortBigEndian(buffer + 19);
        if (textLength > Announcement.MAX_TEXT_LENGTH
                || textLength > length - Announcement.HEADER_LENGTH) {
            ignoredFrames++;
            return 0;
        }
        final byte[] octets = new byte[textLength];
        for (int i = 0; i < textLength; i++) {
            octets[i] = Memory.getByte(buffer + Announcement.HEADER_LENGTH + i);
        }
        final String text = new String(octets, StandardCharsets.UTF_8);
        final int fresh = Announcement.take(text, door.port(), known);
        ignoredFrames += fresh < 0 ? 1 : 0;
        return Math.max(0, fresh);
    }

    /** A node of a running cluster greets; its file can be copied instead of writing a new one. */
    private void takeHello(final Door door, final int length) {
        final long frame = buffer + ETHERNET_LENGTH;
        if (length < FrameHeaderFlyweight.LENGTH) {
            return;
        }
        final int cluster = Memory.getInt(frame + FrameHeaderFlyweight.CLUSTER_OFFSET);
        header.wrap(frame);
        if (FrameValidator.checkHeader(frame, length, cluster) != 0
                || header.type() != FrameType.HELLO
                || !HelloFlyweight.isValid(header.bodyAddress(), header.bodyLength())) {
            return;
        }
        hello.wrap(header.bodyAddress());
        final String name = Announcement.isName(hello.name()) ? hello.name() : "an unnamed host";
        final String key = door.port().nic() + " " + cluster + " " + hello.node();
        if (nodes.size() < MAX_NODES) {
            nodes.putIfAbsent(
                    key,
                    "on %s: node %d of cluster id 0x%08x runs on %s"
                            .formatted(door.port().nic(), hello.node(), cluster, name));
        }
    }

    @Override
    public void close() {
        for (final Door door : doors) {
            Descriptors.close(door.ask());
            if (door.nodes() >= 0) {
                Descriptors.close(door.nodes());
            }
        }
        doors.clear();
        waiting.close();
        arena.close();
    }
}
