package io.hxb.tool.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.linux.Memory;
import io.hxb.tool.report.UsageException;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.Map;

@Tag("unit")
class FilterWordsTest {
    private static final Shape SHAPE = Shape.of(2, 3);
    private static final ClusterConfig CONFIG =
            ClusterConfig.of("lab", SHAPE, Backend.UDP, LinkPlan.udp(2, 1, 20_000))
                    .withHosts(Map.of("pc-a", 0x0001L, "pc-b", 0x0200L));
    private static final int ETHERNET_LENGTH = 14;

    private final Arena arena = Arena.ofAuto();
    private final FrameView view = new FrameView(false);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "src 1",
                "src 1,0",
                "src PC-A and dst pc-b.lab.hxb",
                "node node4",
                "src 1-0",
                "dst 4",
                "DST 4 AND TYPE DATA",
                "node 4 and node 1",
                "flow 7",
                "flow 9",
                "not src 4",
                "src 4 or type data and dst 4",
                "not (src 4 or type ack)",
                "not not ((dst 4))",
            })
    void shouldTakeFramesThatTheWordsDescribe(final String text) {
        final long frame = frame(0x88B5, ETHERNET_LENGTH);
        assertTrue(view.wrap(frame, 150));
        assertTrue(FilterWords.parse(text, CONFIG).test(view), text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "src 4",
                "dst 1",
                "type ack",
                "flow 8",
                "not dst 4",
                "(src 4 or type data) and dst 1",
                "src 1 and not dst 4 or type hello",
            })
    void shouldLeaveOtherFrames(final String text) {
        assertTrue(view.wrap(frame(0x88B5, ETHERNET_LENGTH), 150));
        assertFalse(FilterWords.parse(text, CONFIG).test(view), text);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "source 1  | word 1 is 'source', expected: src, dst",
                "src       | word 2 is the end, expected: after src a node: a host name",
                "src 6     | after src: no node of this cluster is called '6'",
                "dst pc-c  | after dst: no node of this cluster is called 'pc-c'",
                "src 2,0   | after src: ",
                "flow x.0  | word 2 is 'x.0', expected: after flow the number of a context",
                "type dta  | word 2 is 'dta', expected: a type: accept, ack, ",
                "src 1 dst 2 | word 3 is 'dst', expected: and, or or the end",
                "(src 1    | word 4 is the end, expected: and, or or )",
                "src 1 and | word 4 is the end",
                "''        | word 1 is the end",
            })
    void shouldNameTheWordThatIsWrong(final String text, final String message) {
        final UsageException thrown =
                assertThrows(UsageException.class, () -> FilterWords.parse(text, CONFIG));
        assertTrue(
                thrown.getMessage().startsWith("--filter:")
                        && thrown.getMessage().contains(message),
                thrown::getMessage);
    }

    @Test
    void shouldRefuseBracketsWithoutEnd() {
        final String text = "(".repeat(100_000);
        final UsageException thrown =
                assertThrows(UsageException.class, () -> FilterWords.parse(text, CONFIG));
        assertTrue(thrown.getMessage().contains("more than 50"), thrown::getMessage);
    }

    @Test
    void shouldReadFramesWithTagsAndThoseInPackets() {
        // a tag
        final long tagged = frame(0x8100, ETHERNET_LENGTH + 4);
        assertTrue(view.wrap(tagged, 150));
        assertEquals(1, view.source());
        // a datagram
        final long datagram = frame(0x0800, ETHERNET_LENGTH + 28);
        Memory.putByte(datagram + 23, 17);
        assertTrue(view.wrap(datagram, 150));
        assertEquals(0x0200, view.destination());
        // the first segment of a long frame, and a later one, which has only the nodes
        final long segment = frame(0x0800, ETHERNET_LENGTH + 40);
        Memory.putByte(segment + 23, 6);
        Memory.putIntBigEndian(segment + 26, 10 << 24 | 0x0001);
        Memory.putIntBigEndian(segment + 30, 10 << 24 | 0x0200);
        assertTrue(view.wrap(segment, 150) && view.isOfContext(7));
        Memory.putIntBigEndian(segment + 38, 1_024);
        assertTrue(view.wrap(segment, 150) && !view.isOfContext(7));
        assertTrue(FilterWords.parse("src 1 and dst 4 and type data", CONFIG).test(view));
        // too short
        assertFalse(view.wrap(tagged, 60));
    }

    /** A data frame from (1,0) to (0,2), contexts 7 and 9. */
    private long frame(final int etherType, final int headerOffset) {
        final long address = arena.allocate(256, 8).address();
        Memory.putShortBigEndian(address + 12, etherType);
        new FrameHeaderFlyweight()
                .wrap(address + headerOffset)
                .version(FrameHeaderFlyweight.VERSION)
                .type(FrameType.DATA)
                .source(0x0001)
                .destination(0x0200)
                .sourceContext(7)
                .destinationContext(9);
        return address;
    }
}
