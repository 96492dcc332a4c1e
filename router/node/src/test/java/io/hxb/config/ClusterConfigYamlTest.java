package io.hxb.config;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.routing.DimensionOrder;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

@Tag("unit")
class ClusterConfigYamlTest {
    @Test
    void shouldReadNicsOfEachDimension() {
        // given
        final String text =
                """
                name: lab
                shape: 2x2x2
                backend: raw
                netns: "lab-{node}"
                links:
                  x: [eth0, eth1]
                  y: [eth2]
                  z: [eth3]
                nodes:
                  1,0,0:
                    links: {x: [enp1s0, enp2s0], y: [enp3s0], z: [enp4s0]}
                    netns: special
                """;
        // when
        final ClusterConfig config = ClusterConfigYaml.parse(text, "c.yaml");
        // then
        assertEquals(4, config.links().linkCount());
        assertEquals(new LinkConfig(1, 0, 1, "eth1", "", 0), config.links(0).get(1));
        assertEquals(new LinkConfig(3, 2, 0, "enp4s0", "", 0), config.links(1).get(3));
        assertEquals("lab-6", config.netns(6));
        assertEquals("special", config.netns(1));
        assertEquals("z.0", config.links(1).get(3).label());
    }

    @Test
    void shouldReadAndWriteNodesThatAreCabledInAnyWay() {
        // given
        final String text =
                """
                name: room
                cabling: any
                maxNodes: 5
                nics: [eth1, eth2]
                nodes:
                  2: {nics: [enp3s0, {mac: '02:00:00:00:00:0a'}, enp5s0]}
                hosts: {pc0: 0, pc2: 2}
                """;
        // when
        final ClusterConfig config = ClusterConfigYaml.parse(text, "c.yaml");
        // then
        assertTrue(config.shape().isAnyCabling());
        assertEquals(5, config.shape().nodeCount());
        assertEquals(Backend.RAW, config.backend());
        assertEquals(5, config.frame().hopLimit());
        assertEquals(2, config.links(0).size());
        assertEquals("enp5s0", config.links(2).get(2).nic());
        assertEquals(3, config.links().linkCount(), "of the node with the most");
        final String written = ClusterConfigYaml.write(config);
        assertEquals(config, ClusterConfigYaml.parse(written, "written.yaml"), written);
        assertEquals(
                config.fingerprint(),
                ClusterConfigYaml.parse(text.replace("eth2", "eth2, eth3"), "c").fingerprint(),
                "each node may have other NICs");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cabling: ring\\nnics: [a] | cabling must be hyper-crossbar or any, not 'ring'",
                "cabling: any | nics is missing; write NIC names such as nics: [eth1, eth2]",
                "cabling: any\\nnics: [a]\\nshape: 2 | shape is of cabling: hyper-crossbar",
                "cabling: any\\nnics: [a]\\nlinks: [a] | links is of cabling: hyper-crossbar",
                "cabling: any\\nnics: [a]\\nmaxNodes: 1 | there may be 2 to 255 nodes, not 1",
                "cabling: any\\nnics: [a]\\nmaxNodes: 256 | there may be 2 to 255 nodes, not 256",
                "cabling: any\\nnics: [a]\\nmaxNodes: x | must be a number of nodes, not 'x'",
                "cabling: any\\nnics: [a]\\nbackend: udp | backend must be raw with cabling: any",
                "cabling: any\\nnics: [a, b, c, d, e, f, g, h, i] | must be 1..8 NICs: 9",
                "cabling: any\\nnics: [a]\\nnodes: {99: {nics: [b]}} | is not a node",
                "shape: 2\\nlinks: 1\\nnics: [a] | nics is of cabling: any",
                "shape: 2\\nlinks: 1\\nmaxNodes: 3 | maxNodes is of cabling: any",
            })
    void shouldExplainWhatIsWrongWithACabling(final String text, final String problem) {
        final String message = problems(text.replace("\\n", "\n")).getMessage();
        assertTrue(message.contains(problem), message);
    }

    @Test
    void shouldEscapeControlCharactersOfTheFileInItsProblems() {
        // given
        final String text =
                """
                name: n
                shape: 2
                backend: udp
                links: 1
                "\\e[31mred\\e[0m\\n": 1
                hosts: {"\\e]0;title\\a": 9}
                """;
        // when
        final ConfigException problems =
                assertThrows(
                        ConfigException.class, () -> ClusterConfigYaml.parse(text, "\u001bc.yaml"));
        // then
        for (final String problem : problems.problems()) {
            assertTrue(problem.chars().noneMatch(Character::isISOControl), problem);
        }
        assertTrue(problems.getMessage().contains("\\u001b[31mred"), problems.getMessage());
    }

    @Test
    void shouldKnowNicsByTheirMacAddress() {
        // given
        final String text =
                """
                shape: 2
                backend: raw
                links: {x: [{mac: "02:00:00:00:00:0A"}, eth1]}
                nodes:
                  "1": {links: [{mac: 02:00:00:00:00:10}, eth1]}
                """;
        // when
        final ClusterConfig config = ClusterConfigYaml.parse(text, "c.yaml");
        // then
        assertEquals("mac:02:00:00:00:00:0a", config.links(0).get(0).nic());
        assertEquals("mac:02:00:00:00:00:10", config.links(1).get(0).nic());
        assertEquals("eth1", config.links(1).get(1).nic());
        assertEquals(
                config.links(),
                ClusterConfigYaml.parse(ClusterConfigYaml.write(config), "again").links());
    }

    @Test
    void shouldKnowNicsByTheirPath() {
        // given
        final String text =
                """
                shape: 2
                backend: raw
                links: {x: [{path: pci-0000:00:14.0-usb-0:2:1.0}, eth1]}
                nodes:
                  "1": {links: [{path: "/sys/devices/pci0000:00/0000:00:03.0"}, eth1]}
                """;
        // when
        final ClusterConfig config = ClusterConfigYaml.parse(text, "c.yaml");
        // then
        assertEquals("path:pci-0000:00:14.0-usb-0:2:1.0", config.links(0).get(0).nic());
        assertEquals("path:/sys/devices/pci0000:00/0000:00:03.0", config.links(1).get(0).nic());
        assertEquals(
                config.links(),
                ClusterConfigYaml.parse(ClusterConfigYaml.write(config), "again").links());
    }

    @Test
    void shouldReportPathsThatAreNone() {
        final String message =
                problems(
                                """
                                shape: 2
                                backend: raw
                                links: [{path: 03}, {path: pci-0000:03:00.0, mac: 02:00:00:00:00:0a}]
                                """)
                        .getMessage();

        assertTrue(message.contains("must be a path such as pci-0000:03:00.0"), message);
        assertTrue(message.contains("links.mac belongs to another NIC than path"), message);
        assertTrue(
                problems("shape: 2\nlinks: [{path: pci-0000:03:00.0}]\n")
                        .getMessage()
                        .contains("links.path is for the NICs of raw links"));
    }

    private static ConfigException problems(final String text) {
        return assertThrows(ConfigException.class, () -> ClusterConfigYaml.parse(text, "c.yaml"));
    }

    @Test
    void shouldReportMacAddressesThatAreNone() {
        final String message =
                problems(
                                """
                                shape: 2
                                backend: raw
                                links: [{mac: 02:00}, {port: 1}]
                                """)
                        .getMessage();

        assertTrue(message.contains("must be a MAC address such as 02:00:00:00:00:0a"), message);
        assertTrue(message.contains("links.port is not known"), message);
        assertTrue(
                problems(
                                """
                                shape: 2
                                links: [{mac: 02:00:00:00:00:0a}]
                                """)
                        .getMessage()
                        .contains("is for the NICs of raw links"));
    }

    @Test
    void shouldNameTheSectionOfAKeyInAnyNotation() {
        assertEquals(
                List.of(
                        "c.yaml:3: udp.basePort is not known here; write udp: {basePort: ...}",
                        "c.yaml:4: base_port is not known here; write udp: {basePort: ...}",
                        "c.yaml:5: udp.base-port is not known; the nearest known: basePort"),
                problems(
                                """
                                shape: 2
                                links: 1
                                udp.basePort: 7
                                base_port: 8
                                udp: {base-port: 9}
                                """)
                        .problems());
    }

    @Test
    void shouldGiveEachUdpLinkAPortOfItsOwn() {
        // given
        final String text =
                "shape: 2x2\nbackend: udp\nlinks: {x: 2, y: 1}\nudp: {basePort: 7000}\n";
        // when
        final ClusterConfig config = ClusterConfigYaml.parse(text, "c.yaml");
        // then
        assertEquals(new LinkConfig(0, 0, 0, "", "127.0.0.1", 7000), config.links(0).get(0));
        assertEquals(new LinkConfig(2, 1, 0, "", "127.0.0.1", 7011), config.links(3).get(2));
    }

    @Test
    void shouldTakeUdpAddressesFromHostPatternsAndExplicitEndpoints() {
        // given
        final String text =
                """
                shape: "4"
                links: 2
                udp: {host: "10.0.{node}.{link}", basePort: 9000}
                nodes:
                  "1": {links: ["pc1:5000", "pc2:5001"]}
                  "2": {host: pc3}
                """;
        // when
        final ClusterConfig config = ClusterConfigYaml.parse(text, "c.yaml");
        // then
        assertEquals(new LinkConfig(1, 0, 1, "", "10.0.3.1", 9001), config.links(3).get(1));
        assertEquals(new LinkConfig(1, 0, 1, "", "pc2", 5001), config.links(1).get(1));
        assertEquals(new LinkConfig(0, 0, 0, "", "pc3", 9000), config.links(2).get(0));
    }

    @Test
    void shouldReadQuantitiesChoicesAndLists() {
        // given
        final String text =
                """
                shape: 3x3x3
                links: 1
                orders: [x-y-z, zyx]
                flow: {windowFrames: 512, ackDelay: 200us}
                pool: {bufferBytes: 12KiB, buffers: 1024}
                loop: {wait: spin, cpus: [1, 2], spinFor: 1ms}
                frame: {crc: true, etherType: 0x88b6}
                attach: {directory: /run/x, allowedUids: [1000], allowedGids: 5}
                """;
        // when
        final ClusterConfig config = ClusterConfigYaml.parse(text, "c.yaml");
        // then
        assertAll(
                () -> assertEquals(200_000, config.flow().ackDelayNs()),
                () -> assertEquals(12_288, config.pool().bufferBytes()),
                () -> assertEquals(LoopConfig.Waiting.SPIN, config.loop().waiting()),
                () -> assertEquals(List.of(1, 2), config.loop().cpus()),
                () -> assertTrue(config.frame().crc()),
                () -> assertEquals(0x88B6, config.frame().etherType()),
                () -> assertEquals(0x88B5, config.frame().relayEtherType()),
                () -> assertEquals(Path.of("/run/x"), config.attach().directory()),
                () -> assertEquals(List.of(5), config.attach().allowedGids()),
                () ->
                        assertEquals(
                                List.of(DimensionOrder.DEFAULT, DimensionOrder.of(2, 1, 0)),
                                config.orders().orders()));
    }

    @Test
    void shouldUseEveryMinimalOrderWhenAskedForAll() {
        // given
        final String text = "shape: 2x2x2\nlinks: 1\norders: all\n";
        // when
        final ClusterConfig config = ClusterConfigYaml.parse(text, "c.yaml");
        // then
        assertEquals(6, config.orders().orders().stream().distinct().count());
    }

    @Test
    void shouldReportAllProblemsAtOnceInTheOrderOfTheFile() {
        // given
        final String text =
                """
                shape: 2x2
                backend: rwa
                links: {x: 9, y: [a:1, b]}
                flow:
                  windowFrame: 8
                  ackDelay: 5
                pool: {buffers: 1, bufferBytes: 100}
                """;
        // when
        final ConfigException thrown =
                assertThrows(ConfigException.class, () -> ClusterConfigYaml.parse(text, "c.yaml"));
        // then
        assertEquals(
                List.of(
                        "c.yaml:2: backend must be raw or udp, not 'rwa'",
                        "c.yaml:3: links.x must be 1..8 links in a dimension: 9",
                        "c.yaml:3: links.y must be addresses such as 10.0.0.1:20000, not 'b'",
                        "c.yaml:5: flow.windowFrame is not known; the nearest known: windowFrames",
                        "c.yaml:6: flow.ackDelay must be a duration such as 50us, 20ms or 5s, not"
                                + " '5'",
                        "c.yaml:7: pool.buffers must be 64..1048576: 1",
                        "c.yaml:7: pool.bufferBytes must be 512B..72KiB, or 0 for what the longest"
                                + " frame needs: 100B",
                        "c.yaml:7: pool.bufferBytes must be a multiple of 64: 100"),
                thrown.problems());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    ''                                                 | is empty
                    '[1, 2'                                            | is not YAML here
                    'a: b: c'                                          | is not YAML here
                    'just words'                                       | the file must be a mapping
                    'shape: 2x'                                        | written like 3x3x3
                    'shape: 300'                                       | 1 to 256 coordinates, not 300
                    'shape: 256x256x256'                               | at most 2^20 nodes
                    'shape: 2x2x2x2x2x2x2x2x2'                         | 1 to 8 dimensions, not 9
                    'links: 1'                                         | shape is missing
                    'shape: 2x2'                                       | links is missing
                    'shape: 2x2~links: {x: 1}'                         | links.y is missing
                    'shape: 2x2~links: {x: 1, y: 1, z: 1}'             | links.z is not known
                    'shape: 2x2~backend: raw~links: 2'                 | must name the NICs
                    'shape: 2x2~backend: raw~links: {x: [a], y: [a]}'  | twice, to x.0 of node 0,0 and to y.0
                    'shape: 2x2~backend: raw~links: {x: [abcdefghijklmnop], y: [a]}' | longer than 15
                    'shape: 2x2~links: 1~udp: {basePort: 65530}'       | lower basePort
                    'shape: 2~links: ["a:1"]'                          | give a:1 twice
                    'shape: 2x2~links: 1~links: 2'                     | given twice, first in line 2
                    'shape: 2~links: 1~frame: {encapsulation: tpc}'    | must be ethernet, udp, tcp or auto
                    'shape: 2~links: 1~frame: {encapsulation: ip}'     | what it stood for is called udp
                    'shape: 2~links: 1~frame: {encapsulation: udp, vlanTags: true}' | vlanTags is true, not udp
                    'shape: 2~links: 1~frame: {encapsulation: tcp, vlanTags: true}' | vlanTags is true, not tcp
                    'shape: 2x2~links: 1~orders: [x-x]'                | must be default, all or a list
                    'shape: 2x2~links: 1~orders: [x-y-z]'              | must be default, all or a list
                    'shape: 2x2~links: 1~frame: {hopLimit: 0}'         | frame.hopLimit must be 1..255: 0
                    'shape: 2x2~links: 1~frame: {crc: perhaps}'        | must be true or false
                    'shape: 2x2~links: 1~flow: 7'                      | flow must be a mapping
                    'shape: 2x2~links: 1~flow: {windowFrames: 100}'    | must be a power of two, 4..4096: 100
                    'shape: 2x2~links: 1~flow: {windowFrames: 99999999999}' | must be a whole number
                    'shape: 2x2~links: 1~pool: {bufferBytes: 9EiB}'    | must be a size such as
                    'shape: 2x2~links: 1~backend: udp~socket: {kernelRelay: on}' | kernelRelay: on with UDP
                    'shape: 2x2~links: 1~frame: {vlanTags: on}~socket: {kernelRelay: on}' | kernelRelay: on with UDP
                    'shape: 2x2~links: 1~socket: {mtu: 12280}~pool: {bufferBytes: 12KiB}' | buffers 64 bytes larger
                    'shape: 2~links: 64'                               | must be 1..8 links in a dimension: 64
                    'shape: 2x2x2x2x2x2x2x2~links: 8~pool: {buffers: 4096}' | pool needs buffers: 8256 or more for 64
                    'shape: 2x2~links: 1~hosts: {a: "2,0"}'            | must be below 2 in the shape
                    'shape: 2x2~links: 1~hosts: {a: "1,0", b: "1,0"}'  | coordinates of another host
                    'shape: 2x2~links: 1~nodes: {"0,5": {host: a}}'    | nodes.0,5 is not a node
                    'shape: 2x2~links: 1~nodes: {"0,0": {links: 2}}'   | all other nodes have [1, 1]
                    'shape: 2x2~links: 1~name: "a b"'                  | 1 to 63 letters
                    'shape: 2x2~links: 1~id: 0'                        | id must not be 0
                    'shape: 2x2~links: 1~id: 99999999999'              | must be a number of 32 bits
                    'shape: 2x2~links: 1~color: red'                   | color is not known; known are
                    """)
    void shouldReportInWordsWhatIsWrong(final String text, final String part) {
        // given
        final String file = text.replace('~', '\n');
        // when
        final ConfigException thrown =
                assertThrows(ConfigException.class, () -> ClusterConfigYaml.parse(file, "c.yaml"));
        // then
        assertTrue(thrown.getMessage().contains(part), thrown.getMessage());
        assertTrue(thrown.getMessage().matches("(?s)c\\.yaml:\\d+: .*"), thrown.getMessage());
    }

    @Test
    void shouldSurviveTextThatIsNestedWithoutEnd() {
        // given
        final String text = "shape: " + "[".repeat(200_000);
        // when
        final ConfigException thrown =
                assertThrows(ConfigException.class, () -> ClusterConfigYaml.parse(text, "c.yaml"));
        // then
        assertEquals(1, thrown.problems().size());
    }

    @Test
    void shouldReportWhyAFileCannotBeRead(@TempDir final Path folder) throws IOException {
        // given
        final Path binary = Files.write(folder.resolve("b"), new byte[] {(byte) 0xFF, 0, 1});
        // when
        final ConfigException missing =
                assertThrows(
                        ConfigException.class,
                        () -> ClusterConfigYaml.read(folder.resolve("none.yaml")));
        final ConfigException wrong =
                assertThrows(ConfigException.class, () -> ClusterConfigYaml.read(binary));
        assertThrows(
                UncheckedIOException.class,
                () -> ClusterConfigYaml.read(Path.of("/proc/self/mem")),
                "what may pass is not a mistake in the file");
        final ConfigException directory =
                assertThrows(ConfigException.class, () -> ClusterConfigYaml.read(folder));
        // then
        assertTrue(missing.getMessage().contains("is not there"), missing.getMessage());
        assertTrue(wrong.getMessage().contains("is not UTF-8"), wrong.getMessage());
        assertTrue(directory.getMessage().contains("cannot be read"), directory.getMessage());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    ''                                                       | 65672 | 65856
                    'frame: {maxBytes: 65672}'                               | 65672 | 65856
                    'frame: {maxBytes: 256}'                                 |   256 | 65856
                    'pool: {bufferBytes: 12KiB}'                             | 12224 | 12288
                    'pool: {bufferBytes: 12KiB}~frame: {maxBytes: 12224}'    | 12224 | 12288
                    'pool: {bufferBytes: 72KiB}'                             | 65672 | 73728
                    'socket: {mtu: 65507}'                                   | 65672 | 65856
                    """)
    void shouldMakeBuffersAsLongAsFramesNeedAndFramesAsLongAsBuffersHold(
            final String lines, final int frameBytes, final int bufferBytes) {
        final ClusterConfig config =
                ClusterConfigYaml.parse(
                        "shape: 2x2\nlinks: 1\n" + lines.replace('~', '\n') + "\n", "c.yaml");
        assertEquals(frameBytes, config.maxFrameBytes());
        assertEquals(bufferBytes, config.bufferBytes());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    'frame: {maxBytes: 255}'                              | frame.maxBytes must be \
                    256..65672, or 0 for as much as links and receive buffers take: 255
                    'frame: {maxBytes: 65673}'                            | frame.maxBytes must be \
                    256..65672, or 0 for as much as links and receive buffers take: 65673
                    'pool: {bufferBytes: 12KiB}~frame: {maxBytes: 12225}' | pool needs buffers of \
                    12289 bytes for frames of frame.maxBytes (12225), or 0 for what frames need, \
                    not 12288
                    'pool: {bufferBytes: 12KiB}~socket: {mtu: 12225}'     | pool needs buffers 64 \
                    bytes larger than the MTU of 12225 bytes: 12288
                    """)
    void shouldRefuseFramesThatReceiveBuffersDoNotHold(final String lines, final String problem) {
        final ConfigException thrown =
                assertThrows(
                        ConfigException.class,
                        () ->
                                ClusterConfigYaml.parse(
                                        "shape: 2x2\nlinks: 1\n" + lines.replace('~', '\n') + "\n",
                                        "c.yaml"));
        assertTrue(thrown.getMessage().contains(problem), thrown.getMessage());
    }

    @Test
    void shouldHaveOneFingerprintForWhatHasToBeEqualOnly() {
        // given
        final ClusterConfig config = ClusterConfigYaml.parse("shape: 2x2\nlinks: 1\n", "c.yaml");
        // when
        final ClusterConfig otherPool =
                config.withPool(new PoolConfig(512, 0, PoolConfig.HugePages.OFF));
        final ClusterConfig otherBuffers =
                config.withPool(new PoolConfig(512, 9_984, PoolConfig.HugePages.OFF));
        final ClusterConfig otherFrames = config.withFrame(config.frame().withMaxBytes(9_000));
        final ClusterConfig otherCrc =
                config.withFrame(
                        new FrameConfig(
                                true,
                                32,
                                0x88B5,
                                0x88B6,
                                1_000_000,
                                true,
                                FrameConfig.Encapsulation.ETHERNET));
        // then
        assertEquals(config.fingerprint(), otherPool.fingerprint());
        assertNotEquals(config.fingerprint(), otherCrc.fingerprint());
        // A node would send frames that the other cannot take.
        assertNotEquals(config.fingerprint(), otherBuffers.fingerprint());
        assertNotEquals(config.fingerprint(), otherFrames.fingerprint());
    }
}
