package io.hxb.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.frame.FragmentFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.MessageRecordFlyweight;
import io.hxb.link.pcap.PcapName;
import io.hxb.link.pcap.PcapWriter;
import io.hxb.linux.Memory;
import io.hxb.routing.DimensionOrder;
import io.hxb.topology.Shape;

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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** deploy/wireshark/hxb.lua joins the pieces of long frames. */
@Tag("property")
class LongFrameDissectorTest {
    private static final int ETHERNET_LENGTH = 14;
    private static final int PAYLOAD_BYTES = 5_000;
    private static final int FRAME_BYTES =
            FrameHeaderFlyweight.LENGTH + MessageRecordFlyweight.LENGTH + PAYLOAD_BYTES;
    private static final int RANGE_BYTES = 1_440;
    private static final int SEQUENCE = 4_711;
    private static final long SECOND_NS = 1_000_000_000L;

    private final Arena arena = Arena.ofAuto();
    private final long frame = arena.allocate(8_192, 8).address();
    private final List<String> expectedOnce = new ArrayList<>();
    private final List<String> expectedTwice = new ArrayList<>();
    private PcapWriter writer;
    private long timeNs = SECOND_NS;
    @TempDir private Path folder;

    @Test
    void shouldJoinPiecesInAnyOrderAndTellWhatIsMissingOrDoubled() throws Exception {
        // given
        assumeTrue(hasTshark(), "skipped: tshark is not installed");
        writeFrame();
        final Path file = folder.resolve("long.pcapng");
        try (FileChannel channel = create(file)) {
            writer = new PcapWriter(channel);
            writer.addInterface(new PcapName("lab-0/x.0", ""), 0);
            inOrder();
            reordered();
            lost();
            doubled();
            cut();
            segments();
            atRelay();
            again();
            writer.flush();
        }

        // when
        final List<String[]> once = tshark(file);
        final List<String[]> twice = tshark(file, "-2");

        // then
        assertEquals(expectedOnce.size(), once.size());
        for (int i = 0; i < once.size(); i++) {
            final String place = "frame " + (i + 1) + ": " + Arrays.toString(once.get(i));
            assertEquals("", once.get(i)[0], place);
            assertTrue(once.get(i)[6].contains(expectedOnce.get(i)), place + expectedOnce.get(i));
            final String again = "frame " + (i + 1) + ": " + Arrays.toString(twice.get(i));
            assertEquals("", twice.get(i)[0], again);
            assertTrue(twice.get(i)[6].contains(expectedTwice.get(i)), again);
            assertEquals(once.get(i)[1], twice.get(i)[1], again);
        }
        assertJoined(once);
        assertJoined(twice);
        // Which frame has the rest is known in the second pass only.
        assertEquals("4", twice.get(0)[5]);
        assertEquals("", once.get(0)[5]);
    }

    private static void assertJoined(final List<String[]> shown) {
        final List<String[]> joined =
                shown.stream().filter(fields -> !fields[2].isEmpty()).toList();
        assertFalse(joined.isEmpty());
        for (final String[] fields : joined) {
            final String place = Arrays.toString(fields);
            assertEquals(Integer.toString(FRAME_BYTES), fields[3], place);
            assertTrue(fields[4].endsWith(Integer.toString(PAYLOAD_BYTES)), place);
            assertTrue(fields[6].contains("seq " + SEQUENCE + ", 1 message"), place);
        }
    }

    private void inOrder() throws IOException {
        final int[] order = {0, 1, 2, 3};
        fragments(1, 0, order, "bytes 0 to 1439 of 5072", "", "", reassembled(4));
    }

    private void reordered() throws IOException {
        final String[] once = {
            "[2880 bytes before it missing]",
            "[2880 bytes before it missing]",
            "bytes 1440",
            reassembled(4)
        };
        write(2, 0, new int[] {2, 3, 1, 0}, once, new String[] {"", "", "", reassembled(4)});
    }

    private void lost() throws IOException {
        final String never = "[never complete: 3632 of 5072 bytes]";
        write(
                3,
                0,
                new int[] {0, 2, 3},
                new String[] {"", "[1440 bytes before it missing]", "[1440 bytes before it"},
                new String[] {never, never, never});
    }

    private void doubled() throws IOException {
        final String[] texts = {"", "[doubled]", "", "", reassembled(5), "[doubled]"};
        write(4, 0, new int[] {0, 0, 1, 2, 3, 3}, texts, texts);
    }

    // Of a capture that keeps the first bytes only, nothing can be joined.
    private void cut() throws IOException {
        final String never = "cut by the capture]";
        for (int i = 0; i < 4; i++) {
            fragment(5, 0, i, 36);
            expect(i == 0 ? "bytes 0" : "missing]", never);
        }
    }

    private void segments() throws IOException {
        segment(6, 0, 2_000);
        expect("(first 2000 of 5072 bytes)", "");
        segment(6, 4_000, FRAME_BYTES - 4_000);
        expect("[2000 bytes before it missing]", "");
        segment(6, 2_000, 2_000);
        expect(reassembled(3), reassembled(3));
    }

    // A relay sends fragments on from another address; they are captured as they arrive and leave.
    private void atRelay() throws IOException {
        for (int i = 0; i < 4; i++) {
            for (int hop = 0; hop < 2; hop++) {
                fragment(7, hop, i, Integer.MAX_VALUE);
                expect(i == 3 ? reassembled(4) : "", i == 3 ? reassembled(4) : "");
            }
        }
    }

    // The number of a frame comes again after a restart.
    private void again() throws IOException {
        timeNs += 60 * SECOND_NS;
        final int[] order = {0, 1, 2, 3};
        fragments(1, 0, order, "bytes 0", "", "", reassembled(4));
    }

    private static String reassembled(final int pieces) {
        return "[HXB reassembled: " + pieces + " fragments, " + FRAME_BYTES + " bytes]";
    }

    private void fragments(
            final int number, final int hop, final int[] order, final String... texts)
            throws IOException {
        write(number, hop, order, texts, texts);
    }

    private void write(
            final int number,
            final int hop,
            final int[] order,
            final String[] once,
            final String[] twice)
            throws IOException {
        for (int i = 0; i < order.length; i++) {
            fragment(number, hop, order[i], Integer.MAX_VALUE);
            expect(once[i], twice[i]);
        }
    }

    private void expect(final String once, final String twice) {
        expectedOnce.add(once);
        expectedTwice.add(twice);
    }

    private void writeFrame() {
        final FrameHeaderFlyweight header =
                new FrameHeaderFlyweight()
                        .wrap(frame)
                        .clear()
                        .type(FrameType.DATA)
                        .hopLimit(9)
                        .order(DimensionOrder.DEFAULT)
                        .clusterId(7)
                        .source(Shape.withCoordinate(2, 1, 3))
                        .destination(Shape.withCoordinate(1, 2, 3))
                        .sequence(SEQUENCE)
                        .body(MessageRecordFlyweight.LENGTH + PAYLOAD_BYTES, 1);
        new MessageRecordFlyweight().wrap(header.bodyAddress()).payloadLength(PAYLOAD_BYTES).tag(5);
        for (int i = 0; i < PAYLOAD_BYTES; i++) {
            Memory.putByte(header.bodyAddress() + MessageRecordFlyweight.LENGTH + i, 3 * i);
        }
    }

    private void fragment(final int number, final int hop, final int index, final int capturedRange)
            throws IOException {
        final int offset = index * RANGE_BYTES;
        final int range = Math.min(RANGE_BYTES, FRAME_BYTES - offset);
        final long address = arena.allocate(2_048, 8).address() + ETHERNET_LENGTH + 2;
        new FragmentFlyweight().write(address, frame, number, FRAME_BYTES, offset, range);
        Memory.copy(frame + offset, address + FrameHeaderFlyweight.LENGTH, range);
        Memory.putLong(address - 16, (0x0248_0000_0001L + hop) << 16);
        Memory.putLong(address - 8, Long.reverseBytes(0x0248_0000_0002L << 16 | 0x88B5));
        final int headers = ETHERNET_LENGTH + FrameHeaderFlyweight.LENGTH;
        timeNs += 1_000;
        writer.writeFrame(
                0,
                timeNs,
                true,
                PcapWriter.UNTAGGED,
                address - ETHERNET_LENGTH,
                headers + Math.min(range, capturedRange),
                headers + range);
    }

    private void segment(final int number, final int offset, final int bytes) throws IOException {
        final long prefix = arena.allocate(8_192, 8).address() + 2;
        SegmentHeaders.writeAddresses(
                prefix,
                0,
                Long.reverseBytes(0x0248_0000_0002L << 16 | IpHeaders.ETHER_TYPE),
                IpHeaders.address(0x03_0102),
                IpHeaders.address(0x03_0201),
                IpHeaders.ports(0x88B5, DimensionOrder.DEFAULT),
                9);
        SegmentHeaders.writeRange(prefix, number, FRAME_BYTES, 0, offset, bytes, 8_000);
        Memory.copy(frame + offset, prefix + SegmentHeaders.LENGTH, bytes);
        final int length = SegmentHeaders.LENGTH + bytes - 10;
        timeNs += 1_000;
        writer.writeFrame(0, timeNs, true, PcapWriter.UNTAGGED, prefix + 10, length, length);
    }

    private static FileChannel create(final Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    private static boolean hasTshark() {
        return Arrays.stream(System.getenv("PATH").split(":", -1))
                .anyMatch(path -> Files.isExecutable(Path.of(path, "tshark")));
    }

    /**
     * Of each frame: errors, doubled, pieces, bytes, lengths of messages, joined in, information.
     */
    private List<String[]> tshark(final Path file, final String... options) throws Exception {
        final List<String> command =
                new ArrayList<>(List.of("tshark", "-n", "-r", file.toString(), "-T", "fields"));
        command.addAll(List.of("-X", "lua_script:" + DissectorRows.SCRIPT));
        command.addAll(List.of("-E", "separator=/t", "-E", "aggregator=;"));
        command.addAll(List.of(options));
        for (final String field :
                List.of(
                        "_ws.lua.error",
                        "hxb.long.doubled",
                        "hxb.long.fragments",
                        "hxb.long.bytes",
                        "hxb.record.length",
                        "hxb.long.joined_in",
                        "_ws.col.Info")) {
            command.addAll(List.of("-e", field));
        }
        final Path errors = folder.resolve("errors");
        final Process tshark = new ProcessBuilder(command).redirectError(errors.toFile()).start();
        final String output =
                new String(tshark.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        final String complaints = Files.readString(errors);
        assertEquals(0, tshark.waitFor(), complaints);
        assertFalse(complaints.contains("Lua"), complaints);
        return output.lines().map(line -> line.split("\t", -1)).toList();
    }
}
