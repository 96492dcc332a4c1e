package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.config.SecurityConfig;
import io.hxb.frame.FragmentFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.MessageRecordFlyweight;
import io.hxb.link.pcap.PcapName;
import io.hxb.link.pcap.PcapWriter;
import io.hxb.linux.Memory;
import io.hxb.routing.DimensionOrder;
import io.hxb.session.CaptureKeys;
import io.hxb.session.ClusterKey;
import io.hxb.session.FrameSeals;
import io.hxb.session.KeyRing;
import io.hxb.session.Sessions;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.Json;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** {@code hxb capture --open}: what is opened of captured frames, as tshark shows it. */
@Tag("system")
class OpenCaptureCliTest {
    private static final Shape SHAPE = Shape.of(2, 2);
    private static final int CLUSTER = 77;
    private static final int ETHERNET_LENGTH = 14;
    private static final int HEADROOM = 64;
    private static final int PAYLOAD_BYTES = 100;
    private static final int LONG_BYTES = 5_000;
    private static final int RANGE_BYTES = 1_440;
    private static final int TAG = 0x1267;
    private static final String SHOWN_TAG = "0x00001267";

    private final Arena arena = Arena.ofAuto();
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final KeyRing ring = KeyRing.of(key(1));
    private final List<String> expected = new ArrayList<>();
    private Sessions near;
    private Sessions far;
    private FrameSeals seals;
    private PcapWriter writer;
    @TempDir private Path folder;

    @BeforeEach
    void setUp() {
        near = sessions(0, 11);
        far = sessions(1, 12);
        seals = exchange(near, far);
    }

    @Test
    void shouldOpenFramesOfTheSessionsThatThereAreKeysOf() throws Exception {
        // given
        assumeTrue(hasTshark(), "skipped: tshark is not installed");
        final Path file = write();
        final Path keys = keys("keys", near);

        // when
        final Path opened = folder.resolve("opened.pcapng");
        final HxbOutput output = open(file, keys, opened);

        // then
        assertEquals(ExitStatus.OK, output.status(), output::errors);
        final Map<?, ?> report = Json.parse(output.text().strip(), Map.class, "capture");
        assertEquals(3, report.get("opened_frames"), report::toString);
        assertEquals(1, report.get("frames_without_keys"), report::toString);
        assertEquals(1, report.get("frames_with_other_seal"), report::toString);
        assertEquals(1, report.get("cut_frames"), report::toString);
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(opened)));
        final List<String[]> shown = tshark(opened);
        assertEquals(expected.size(), shown.size());
        for (int i = 0; i < shown.size(); i++) {
            final String place = "frame " + (i + 1) + ": " + String.join(" | ", shown.get(i));
            assertEquals(expected.get(i), shown.get(i)[0] + " " + shown.get(i)[1], place);
            assertEquals("", shown.get(i)[3], place);
            assertTrue(shown.get(i)[4].endsWith("plain text"), place);
        }
        assertTrue(shown.get(0)[2].startsWith("HXB: opened by the keys of session "));
        assertTrue(shown.getLast()[2].startsWith("HXB: long frame of 4 pieces, opened by"));
    }

    @Test
    void shouldLeaveEachByteAsItWasWithoutTheKeys() throws Exception {
        // given
        final Path file = write();
        final Sessions other = sessions(0, 21);
        exchange(other, sessions(1, 22));
        final Path ofOther = keys("other", other);
        final Path wrong = folder.resolve("wrong");
        Files.writeString(
                wrong, Files.readString(keys("keys", near)).replaceAll("[0-9a-f]{32}", ZEROS));
        Files.setPosixFilePermissions(wrong, PosixFilePermissions.fromString("rw-------"));

        for (final Path keys : List.of(ofOther, wrong)) {
            // when
            final Path opened = folder.resolve(keys.getFileName() + ".pcapng");
            final HxbOutput output = open(file, keys, opened);

            // then
            assertEquals(ExitStatus.OK, output.status(), output::errors);
            final Map<?, ?> report = Json.parse(output.text().strip(), Map.class, "capture");
            assertEquals(0, report.get("opened_frames"), report::toString);
            assertArrayEquals(frames(file), frames(opened));
        }
    }

    private static final String ZEROS = "0".repeat(32);

    @Test
    void shouldRefuseWhatIsNoCaptureOrNoSecret() throws Exception {
        final Path keys = keys("keys", near);
        final Path text = Files.writeString(folder.resolve("text"), "no capture at all");
        final HxbOutput noCapture = open(text, keys, folder.resolve("a"));
        assertEquals(ExitStatus.FAILED, noCapture.status());
        assertTrue(noCapture.errors().contains("it is not a pcapng file"), noCapture::errors);
        final byte[] whole = Files.readAllBytes(write());
        final Path half = folder.resolve("half");
        Files.write(half, java.util.Arrays.copyOf(whole, whole.length - 30));
        final HxbOutput cut = open(half, keys, folder.resolve("b"));
        assertTrue(cut.errors().contains("it ends within a block"), cut::errors);
        assertTrue(cut.errors().contains(" frames are in "), cut::errors);
        Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rw-r--r--"));
        final HxbOutput readable = open(half, keys, folder.resolve("c"));
        assertTrue(readable.errors().contains("run chmod 600"), readable::errors);
        assertFalse(Files.exists(folder.resolve("c")));
    }

    private static HxbOutput open(final Path file, final Path keys, final Path to) {
        return HxbOutput.of(
                "capture",
                "--open",
                file.toString(),
                "--keys",
                keys.toString(),
                "--write",
                to.toString(),
                "--json");
    }

    private Path keys(final String name, final Sessions sessions) throws IOException {
        final Path file = folder.resolve(name);
        CaptureKeys.derive(ring, CLUSTER, SHAPE, new HashSet<>(sessions.origins())).write(file);
        return file;
    }

    private static ClusterKey key(final int seed) {
        final byte[] secret = new byte[ClusterKey.LENGTH];
        new Random(seed).nextBytes(secret);
        return new ClusterKey(secret);
    }

    private Sessions sessions(final int node, final long seed) {
        final Random random = new Random(seed);
        return new Sessions(
                new Sessions.Identity(SHAPE, SHAPE.coordinates(node), CLUSTER, random.nextInt()),
                SecurityConfig.Mode.ENCRYPT,
                ring,
                random);
    }

    // The handshake of two nodes; the seals of the first one.
    private FrameSeals exchange(final Sessions asking, final Sessions asked) {
        final FrameSeals own = asking.newLoop();
        final FrameSeals others = asked.newLoop();
        final long address = arena.allocate(512, 8).address();
        asking.want(1, Sessions.ROUTED);
        for (int round = 0; round < 8; round++) {
            pass(asking, asked, others, address, round);
            pass(asked, asking, own, address, round);
        }
        assertTrue(asking.hasSession(1));
        return own;
    }

    private static void pass(
            final Sessions from,
            final Sessions to,
            final FrameSeals seals,
            final long address,
            final long nowNs) {
        if (from.pollDue(nowNs) >= 0) {
            from.write(from.pollDue(nowNs), address, nowNs);
            assertEquals(0, seals.open(address));
            to.onFrame(address, Sessions.ROUTED, nowNs);
        }
    }

    // One of each kind: whatever is encrypted has a message with the tag when it is opened.
    private Path write() throws IOException {
        expected.clear();
        final Path file = Files.createTempFile(folder, "sealed", ".pcapng");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            writer = new PcapWriter(channel);
            writer.addInterface(new PcapName("lab-0/x.0", "link x.0"), 0);
            final long data = encrypted(PAYLOAD_BYTES, seals);
            write(data, FrameHeaderFlyweight.frameLength(data), "1 " + SHOWN_TAG);
            for (final int type : new int[] {FrameType.ACK, FrameType.OPEN, FrameType.PROBE}) {
                final long control = frame(type, 0);
                assertEquals(0, seals.seal(control, FrameHeaderFlyweight.LENGTH, 0, 0));
                write(control, FrameHeaderFlyweight.frameLength(control), type + " ");
            }
            final long again = copy(data);
            Memory.putByte(again + FrameHeaderFlyweight.HOP_LIMIT_OFFSET, 3);
            write(again, FrameHeaderFlyweight.frameLength(again), "1 " + SHOWN_TAG);
            final long damaged = copy(data);
            final long at = damaged + FrameHeaderFlyweight.LENGTH + 20;
            Memory.putByte(at, Memory.getUnsignedByte(at) ^ 1);
            write(damaged, FrameHeaderFlyweight.frameLength(damaged), "1 ");
            write(data, FrameHeaderFlyweight.frameLength(data) - 1, "1 ");
            final Sessions other = sessions(0, 31);
            final FrameSeals othersSeals = exchange(other, sessions(1, 32));
            final long ofOther = encrypted(PAYLOAD_BYTES, othersSeals);
            write(ofOther, FrameHeaderFlyweight.frameLength(ofOther), "1 ");
            writeFragments(encrypted(LONG_BYTES, seals));
            expected.add("1 " + SHOWN_TAG);
            writer.flush();
        }
        return file;
    }

    private long frame(final int type, final int bodyBytes) {
        final long address = arena.allocate(8_192, 8).address() + HEADROOM;
        header.wrap(address)
                .clear()
                .type(type)
                .hopLimit(9)
                .order(DimensionOrder.DEFAULT)
                .clusterId(CLUSTER)
                .source(SHAPE.coordinates(0))
                .destination(SHAPE.coordinates(1))
                .sequence(5)
                .body(bodyBytes, type == FrameType.DATA ? 1 : 0);
        return address;
    }

    private long encrypted(final int payloadBytes, final FrameSeals by) {
        final int body = MessageRecordFlyweight.LENGTH + payloadBytes;
        final long plain = frame(FrameType.DATA, body);
        new MessageRecordFlyweight()
                .wrap(plain + FrameHeaderFlyweight.LENGTH)
                .payloadLength(payloadBytes)
                .tag(TAG);
        final long sealed = arena.allocate(8_192, 8).address() + HEADROOM;
        assertEquals(
                FrameSeals.SEALED,
                by.encrypt(plain, FrameHeaderFlyweight.LENGTH + body, 0, 0, sealed));
        return sealed;
    }

    private long copy(final long frame) {
        final long address = arena.allocate(8_192, 8).address() + HEADROOM;
        Memory.copy(frame, address, FrameHeaderFlyweight.frameLength(frame));
        return address;
    }

    // In another order than they were sent.
    private void writeFragments(final long frame) throws IOException {
        final int bytes = FrameHeaderFlyweight.frameLength(frame);
        for (final int index : new int[] {2, 0, 3, 1}) {
            final int offset = index * RANGE_BYTES;
            final int range = Math.min(RANGE_BYTES, bytes - offset);
            final long address = arena.allocate(2_048, 8).address() + HEADROOM;
            new FragmentFlyweight().write(address, frame, 8, bytes, offset, range);
            Memory.copy(frame + offset, address + FrameHeaderFlyweight.LENGTH, range);
            // Two of them show the frame, too: that with its header, and the last to come.
            final String shown = index < 2 ? "14,1 " : "14 ";
            write(address, FrameHeaderFlyweight.LENGTH + range, shown);
        }
    }

    private void write(final long address, final int captured, final String shown)
            throws IOException {
        Memory.putLong(address - 16, 0x0248_0000_0001L << 16);
        Memory.putLong(address - 8, Long.reverseBytes(0x0248_0000_0002L << 16 | 0x88B5));
        writer.writeFrame(
                0,
                1_000L * expected.size(),
                true,
                PcapWriter.UNTAGGED,
                address - ETHERNET_LENGTH,
                ETHERNET_LENGTH + captured,
                ETHERNET_LENGTH + captured);
        expected.add(shown);
    }

    // The data of all enhanced packet blocks.
    private static byte[] frames(final Path file) throws IOException {
        final var blocks =
                java.nio.ByteBuffer.wrap(Files.readAllBytes(file))
                        .order(java.nio.ByteOrder.LITTLE_ENDIAN);
        final var frames = new java.io.ByteArrayOutputStream();
        while (blocks.hasRemaining()) {
            final int at = blocks.position();
            if (blocks.getInt(at) == 6) {
                frames.write(blocks.array(), at + 28, blocks.getInt(at + 20));
            }
            blocks.position(at + blocks.getInt(at + 4));
        }
        assertTrue(frames.size() > 0);
        return frames.toByteArray();
    }

    private static boolean hasTshark() {
        return java.util.Arrays.stream(System.getenv("PATH").split(":", -1))
                .anyMatch(path -> Files.isExecutable(Path.of(path, "tshark")));
    }

    /** Of each frame: type, tag of the message, comment, errors, description of the interface. */
    private List<String[]> tshark(final Path file) throws Exception {
        final Path script = Path.of(System.getProperty("hxb.root"), "deploy/wireshark/hxb.lua");
        final List<String> command =
                new ArrayList<>(List.of("tshark", "-n", "-r", file.toString(), "-T", "fields"));
        command.addAll(List.of("-X", "lua_script:" + script, "-E", "separator=/t"));
        for (final String field :
                List.of(
                        "hxb.type",
                        "hxb.record.tag",
                        "frame.comment",
                        "_ws.lua.error",
                        "frame.interface_description")) {
            command.addAll(List.of("-e", field));
        }
        final Path errors = folder.resolve("errors");
        final Process tshark = new ProcessBuilder(command).redirectError(errors.toFile()).start();
        final String output =
                new String(tshark.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, tshark.waitFor(), Files.readString(errors));
        return output.lines().map(line -> line.split("\t", -1)).toList();
    }
}
