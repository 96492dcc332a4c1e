package io.hxb.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.frame.DropReason;
import io.hxb.frame.FrameCrc;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.FrameValidator;
import io.hxb.frame.MisconfigurationFlyweight;
import io.hxb.frame.UnreachableFlyweight;
import io.hxb.link.pcap.PcapName;
import io.hxb.link.pcap.PcapWriter;
import io.hxb.linux.Memory;
import io.hxb.routing.DimensionOrder;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** deploy/wireshark/hxb.lua against the layouts of frames, by tshark. */
@Tag("property")
class DissectorTest {
    private static final int ETHERNET_LENGTH = 14;
    private static final int MUTATIONS = 1_500;
    private static final int RANDOM_FRAMES = 500;
    private static final String LUA_ERROR = "_ws.lua.error";
    private static final String REFUSED = "hxb.refused";

    /** What accessors give that is no field: where things lie, how many, or another view. */
    private static final Set<String> NO_FIELDS =
            Set.of(
                    "FrameHeader.address",
                    "FrameHeader.bodyAddress",
                    "Hello.length",
                    "LinkState.length",
                    "LinkState.find",
                    "LinkState.isOfNone",
                    "LinkStatus.length",
                    "MessageRecord.payloadAddress",
                    "RemoteRecord.dataAddress",
                    "Ended.runs",
                    "Missing.ranges",
                    "Summary.length",
                    "Unreachable.isOfRelay");

    private final DissectorSamples samples = new DissectorSamples();
    private final List<DissectorRows.Row> rows = new ArrayList<>();
    private final List<String> expectedRefusals = new ArrayList<>();
    private final FrameCrc crc = new FrameCrc();
    private PcapWriter writer;
    @TempDir private Path folder;

    @Test
    void shouldShowEachFieldAndRefuseWhatNodesRefuseAndNeverFail() throws Exception {
        // given
        assumeTrue(hasTshark(), "skipped: tshark is not installed");
        rows.addAll(DissectorRows.all());
        final long seed = Long.getLong("hxb.sim.firstSeed", System.nanoTime());
        final Path file = folder.resolve("frames.pcapng");
        final List<DissectorSamples.Sample> all = samples.all();
        try (FileChannel channel = create(file)) {
            writer = new PcapWriter(channel);
            writer.addInterface(new PcapName("lab-0/x.0", ""), 0);
            for (final DissectorSamples.Sample sample : all) {
                write(sample.address(), sample.lengthBytes(), sample.lengthBytes(), "");
            }
            writeCutFrames(all);
            writeMutations(all, new Random(seed));
            writeRandomBytes(new Random(seed));
            writer.flush();
        }

        // when
        final List<Map<String, String>> shown = tshark(file);

        // then
        final String what = "replay with -Dhxb.sim.firstSeed=" + seed;
        assertEquals(expectedRefusals.size(), shown.size(), what);
        for (int frame = 0; frame < shown.size(); frame++) {
            final String place = "frame " + (frame + 1) + ", " + what;
            assertEquals("", shown.get(frame).get(LUA_ERROR), place);
            if (expectedRefusals.get(frame) != null) {
                final Map<String, String> fields = shown.get(frame);
                assertEquals(expectedRefusals.get(frame), fields.get(REFUSED), place);
            }
        }
        final Set<String> compared = new TreeSet<>();
        for (int i = 0; i < all.size(); i++) {
            compare(all.get(i), shown.get(i), compared);
        }
        rows.stream()
                .filter(row -> !row.layout().isEmpty())
                .forEach(row -> assertTrue(compared.contains(row.name()), "not compared: " + row));
    }

    private void compare(
            final DissectorSamples.Sample sample,
            final Map<String, String> shown,
            final Set<String> compared)
            throws Exception {
        assertTrue(
                shown.get("_ws.col.Info").startsWith(typeNames().get(sample.type()) + " "),
                () -> sample.type() + ": " + shown);
        for (final DissectorRows.Row row : rows) {
            final List<String> expected = DissectorRows.values(row, sample);
            final String text = shown.get(row.name());
            if (expected != null && !text.isEmpty()) {
                final List<String> printed =
                        Arrays.stream(text.split(";", -1)).map(DissectorRows::plain).toList();
                assertEquals(expected, printed, () -> row + " of " + shown);
                compared.add(row.name());
            }
        }
    }

    // Each type cut at each length, on the wire and by the capture.
    private void writeCutFrames(final List<DissectorSamples.Sample> all) throws IOException {
        for (final DissectorSamples.Sample sample : all) {
            final int length = sample.lengthBytes();
            for (int cut = 1; cut < length; cut++) {
                write(sample.address(), cut, cut, verdict(sample.address(), cut));
                write(sample.address(), cut, length, "");
            }
        }
    }

    // The dissector cannot know the node's cluster, does not check hops, and opens no seals.
    private void writeMutations(final List<DissectorSamples.Sample> all, final Random random)
            throws IOException {
        final long copy = samples.arena().allocate(4_096, 8).address() + DissectorSamples.HEADROOM;
        final FrameHeaderFlyweight header = new FrameHeaderFlyweight().wrap(copy);
        for (int i = 0; i < MUTATIONS; i++) {
            final DissectorSamples.Sample sample = all.get(random.nextInt(all.size()));
            final int length = sample.lengthBytes();
            Memory.copy(sample.address(), copy, length);
            final int changes = 1 + random.nextInt(3);
            for (int change = 0; change < changes; change++) {
                final int at = random.nextInt(length);
                final boolean isBit = random.nextBoolean();
                final int value = Memory.getUnsignedByte(copy + at) ^ 1 << random.nextInt(8);
                Memory.putByte(copy + at, isBit ? value : random.nextInt());
            }
            header.clusterId(DissectorSamples.CLUSTER);
            final boolean isDetour = header.order() < 0;
            final boolean isSealed = header.hasFlag(FrameHeaderFlyweight.FLAG_SEALED);
            write(copy, length, length, isDetour || isSealed ? null : verdict(copy, length));
        }
    }

    private void writeRandomBytes(final Random random) throws IOException {
        final long bytes = samples.arena().allocate(1_024, 8).address() + DissectorSamples.HEADROOM;
        for (int i = 0; i < RANDOM_FRAMES; i++) {
            final int length = random.nextInt(300);
            for (int at = 0; at < length; at++) {
                Memory.putByte(bytes + at, random.nextInt());
            }
            if (length >= FrameHeaderFlyweight.LENGTH && random.nextInt(4) > 0) {
                final FrameHeaderFlyweight header = new FrameHeaderFlyweight().wrap(bytes);
                header.version(FrameHeaderFlyweight.VERSION)
                        .type(random.nextInt(FrameType.COUNT + 1));
                header.bodyLength(random.nextInt(260));
            }
            write(bytes, length, length, null);
        }
    }

    private String verdict(final long address, final int lengthBytes) {
        final int header =
                FrameValidator.checkHeader(address, lengthBytes, DissectorSamples.CLUSTER);
        final int reason =
                header != DropReason.NONE
                        ? header
                        : FrameValidator.checkEndToEnd(address, DissectorSamples.SHAPE, crc);
        if (reason == DropReason.ORDER && isFirstHop(address)) {
            return null;
        }
        return reason == DropReason.NONE ? "" : DropReason.name(reason);
    }

    // A dissector cannot know the cabling, and with any one this would be right.
    private static boolean isFirstHop(final long address) {
        final int order = Memory.getInt(address + FrameHeaderFlyweight.ORDER_OFFSET);
        return order >>> Byte.SIZE == DimensionOrder.DEFAULT >>> Byte.SIZE;
    }

    private void write(
            final long address, final int captured, final int original, final String refused)
            throws IOException {
        expectedRefusals.add(refused);
        Memory.putLong(address - 16, 0x0248_0000_0001L << 16);
        Memory.putLong(address - 8, Long.reverseBytes(0x0248_0000_0002L << 16 | 0x88B5));
        writer.writeFrame(
                0,
                expectedRefusals.size(),
                true,
                expectedRefusals.size() % 2 == 0 ? 5 : PcapWriter.UNTAGGED,
                address - ETHERNET_LENGTH,
                captured + ETHERNET_LENGTH,
                original + ETHERNET_LENGTH);
    }

    @Test
    void shouldShowFramesThatLeaveAsUdpOrTcp() throws Exception {
        // given
        assumeTrue(hasTshark(), "skipped: tshark is not installed");
        rows.addAll(DissectorRows.all());
        final DissectorSamples.Sample data = samples.all().get(1);
        final Path file = folder.resolve("ip.pcapng");
        try (FileChannel channel = create(file)) {
            writer = new PcapWriter(channel);
            writer.addInterface(new PcapName("lab-0/x.0", ""), 0);
            writeDatagram(0x88B5, data, 3);
            writeDatagram(4_711, data, 1);
            writeSegment(data, 0, data.lengthBytes(), data.lengthBytes());
            writeSegment(data, 0, data.lengthBytes() - 2, data.lengthBytes());
            writeSegment(data, 4_096, 60, 65_537);
            writer.flush();
        }

        // when
        final List<Map<String, String>> shown = tshark(file);

        // then
        final String sequence =
                Integer.toUnsignedString(
                        ((FrameHeaderFlyweight) data.parts().get("FrameHeader")).sequence());
        assertEquals(
                String.join(";", sequence, sequence, sequence), shown.get(0).get("hxb.sequence"));
        assertTrue(shown.get(0).get("_ws.col.Info").startsWith("[train of 3] DATA "));
        assertEquals(sequence, shown.get(1).get("hxb.sequence"));
        assertEquals(sequence, shown.get(2).get("hxb.sequence"));
        assertEquals(sequence, shown.get(3).get("hxb.sequence"));
        assertTrue(shown.get(3).get("_ws.col.Info").endsWith(" bytes)"), shown::toString);
        assertEquals("4096", shown.get(4).get("hxb.segment.offset"));
        assertEquals("65537", shown.get(4).get("hxb.segment.frame_length"));
        for (final Map<String, String> fields : shown) {
            assertEquals("", fields.get(REFUSED), fields::toString);
            assertEquals("", fields.get(LUA_ERROR), fields::toString);
        }
    }

    private void writeDatagram(
            final int port, final DissectorSamples.Sample sample, final int frames)
            throws IOException {
        final long prefix = samples.arena().allocate(4_096, 8).address() + 2;
        final int payload = frames * sample.lengthBytes();
        IpHeaders.write(
                prefix,
                0,
                Long.reverseBytes(0x0248_0000_0002L << 16 | IpHeaders.ETHER_TYPE),
                IpHeaders.address(0x01_0203),
                IpHeaders.address(0x03_0201),
                IpHeaders.ports(port, DimensionOrder.of(2, 0, 1)),
                9,
                payload,
                sample.lengthBytes());
        for (int i = 0; i < frames; i++) {
            final long to = prefix + IpHeaders.LENGTH + (long) i * sample.lengthBytes();
            Memory.copy(sample.address(), to, sample.lengthBytes());
        }
        writePacket(prefix, IpHeaders.LENGTH + payload);
    }

    private void writeSegment(
            final DissectorSamples.Sample sample,
            final int offset,
            final int bytes,
            final int frame)
            throws IOException {
        final long prefix = samples.arena().allocate(4_096, 8).address() + 2;
        SegmentHeaders.writeAddresses(
                prefix,
                0,
                Long.reverseBytes(0x0248_0000_0002L << 16 | IpHeaders.ETHER_TYPE),
                IpHeaders.address(0x01_0203),
                IpHeaders.address(0x03_0201),
                IpHeaders.ports(0x88B5, DimensionOrder.DEFAULT),
                9);
        SegmentHeaders.writeRange(prefix, 12, frame, SegmentHeaders.ASKING, offset, bytes, 8_000);
        Memory.copy(sample.address(), prefix + SegmentHeaders.LENGTH, bytes);
        writePacket(prefix, SegmentHeaders.LENGTH + bytes);
    }

    // Without the header that only the kernel sees.
    private void writePacket(final long prefix, final int bytes) throws IOException {
        final int length = bytes - 10;
        writer.writeFrame(0, 1, true, PcapWriter.UNTAGGED, prefix + 10, length, length);
    }

    @Test
    void shouldHaveAPlaceForEachFieldOfEachLayout() throws Exception {
        final Set<String> named =
                DissectorRows.all().stream()
                        .map(row -> row.layout() + "." + row.accessor())
                        .collect(Collectors.toCollection(TreeSet::new));
        final Set<String> wanted = new TreeSet<>();
        for (final Class<?> type : layouts()) {
            final String layout = type.getSimpleName().replace("Flyweight", "");
            for (final Method method : type.getMethods()) {
                if (method.getDeclaringClass() == type && isAccessor(method)) {
                    wanted.add(layout + "." + method.getName());
                }
            }
        }
        wanted.removeAll(NO_FIELDS);
        assertTrue(wanted.size() > 70, wanted::toString);
        wanted.removeAll(named);
        assertEquals(Set.of(), wanted);
    }

    private static List<Class<?>> layouts() throws Exception {
        final Path sources =
                Path.of(System.getProperty("hxb.root"), "router/node/src/main/java/io/hxb/frame");
        final List<Class<?>> layouts = new ArrayList<>();
        try (Stream<Path> files = Files.list(sources)) {
            for (final Path file : files.toList()) {
                final String name = file.getFileName().toString().replace(".java", "");
                if (name.endsWith("Flyweight")) {
                    layouts.add(Class.forName("io.hxb.frame." + name));
                }
            }
        }
        assertFalse(layouts.isEmpty());
        return layouts;
    }

    // Reads a field of the wrapped frame: no setter, and nothing about an address given.
    private static boolean isAccessor(final Method method) {
        final boolean isIndexed =
                method.getParameterCount() == 1 && method.getParameterTypes()[0] == int.class;
        return !Modifier.isStatic(method.getModifiers())
                && (method.getParameterCount() == 0 || isIndexed)
                && method.getReturnType() != method.getDeclaringClass()
                && method.getReturnType() != void.class
                && !method.getName().equals("hasFlag");
    }

    @Test
    void shouldNameWhatFramesHaveAsNumbers() throws Exception {
        final String script = Files.readString(DissectorRows.SCRIPT);
        final Map<Integer, String> types = typeNames();
        assertEquals(FrameType.COUNT - 1, types.size());
        final String numbers =
                IntStream.range(1, FrameType.COUNT)
                        .mapToObj(Integer::toString)
                        .collect(Collectors.joining(", "));
        final String names = String.join(", ", types.values());
        assertTrue(script.contains("local " + names + " =\n  " + numbers + "\n"), names);
        for (int kind = 1; kind <= MisconfigurationFlyweight.KIND_COUNT; kind++) {
            final String entry = "[" + kind + "] = \"" + MisconfigurationFlyweight.name(kind);
            assertTrue(script.contains(entry + "\""), entry);
        }
        for (final var field : UnreachableFlyweight.class.getFields()) {
            final String entry = "[" + field.getInt(null) + "] = \"" + field.getName() + "\"";
            assertTrue(script.contains(entry), entry);
        }
    }

    private static Map<Integer, String> typeNames() throws IllegalAccessException {
        final Map<Integer, String> names = new HashMap<>();
        for (final var field : FrameType.class.getFields()) {
            if (!field.getName().equals("COUNT")) {
                names.put(field.getInt(null), field.getName());
            }
        }
        return names;
    }

    private static FileChannel create(final Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    private static boolean hasTshark() {
        return Arrays.stream(System.getenv("PATH").split(":", -1))
                .anyMatch(path -> Files.isExecutable(Path.of(path, "tshark")));
    }

    /** The fields of each frame by name, with ";" between the values of one. */
    private List<Map<String, String>> tshark(final Path file) throws Exception {
        final List<String> names =
                new ArrayList<>(rows.stream().map(DissectorRows.Row::name).distinct().toList());
        names.addAll(List.of(LUA_ERROR, "_ws.col.Info"));
        final List<String> command = new ArrayList<>(List.of("tshark", "-n", "-r"));
        command.add(file.toString());
        command.addAll(List.of("-X", "lua_script:" + DissectorRows.SCRIPT, "-T", "fields"));
        command.addAll(List.of("-E", "separator=/t", "-E", "aggregator=;"));
        names.forEach(name -> command.addAll(List.of("-e", name)));
        final Path errors = folder.resolve("errors");
        final Process tshark = new ProcessBuilder(command).redirectError(errors.toFile()).start();
        final List<Map<String, String>> shown = new ArrayList<>();
        final String output =
                new String(tshark.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        for (final String line : output.lines().toList()) {
            final String[] values = line.split("\t", -1);
            assertEquals(names.size(), values.length, line);
            shown.add(
                    IntStream.range(0, values.length)
                            .boxed()
                            .collect(Collectors.toMap(names::get, i -> values[i])));
        }
        final String complaints = Files.readString(errors);
        assertEquals(0, tshark.waitFor(), complaints);
        assertFalse(complaints.contains("Lua"), complaints);
        return shown;
    }
}
