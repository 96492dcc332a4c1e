package io.hxb.bench.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.bench.harness.BusyTime;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.json.JsonMapper;

import java.util.List;
import java.util.Map;

/** What bulk-cost reads, and what it calls its contestants. */
@Tag("unit")
class BulkTest {
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    @Test
    void shouldNameMessagesThatAreNoFrameByTheirSize() {
        assertEquals("", BulkSize.parse("frame").label());
        assertEquals(", 64 KB messages", BulkSize.parse("65536").label());
        assertEquals(", 1 MB messages", BulkSize.parse("1048576").label());
        assertEquals(", 1000 B messages", BulkSize.parse("1000").label());
        assertEquals(1408, BulkSize.parse("frame").bytes(1408));
        assertEquals(65_536, BulkSize.parse("65536").bytes(1408));
    }

    @Test
    void shouldRefuseASizeThatNoMessageHas() {
        for (final String text : List.of("", "3", "64k", "-1", "134217729", "99999999999")) {
            final IllegalArgumentException thrown =
                    assertThrows(IllegalArgumentException.class, () -> BulkSize.parse(text));
            assertTrue(thrown.getMessage().endsWith(": " + text), thrown::getMessage);
        }
    }

    @Test
    void shouldLeaveRoomForTheHeadersOfEachDress() {
        assertEquals(1500, BulkPeers.RawDress.ETHERNET.sizeBelow(1500));
        assertEquals(1472, BulkPeers.RawDress.UDP_TRAINS.sizeBelow(1500));
        assertEquals(1460, BulkPeers.RawDress.TCP_SEGMENTS.sizeBelow(1500));
        assertEquals(List.of("-t"), BulkPeers.RawDress.TCP_SEGMENTS.options());
    }

    @Test
    void shouldHaveAWayForEachEncapsulationOfRawLinks() {
        assertEquals("udp", BulkWay.RAW_IP.encapsulation());
        assertEquals("tcp", BulkWay.RAW_TCP.encapsulation());
        assertEquals("ethernet", BulkWay.RAW.encapsulation());
        assertEquals(0, BulkWay.RAW_TCP.headerBytes(), "frames up to the MTU are not dressed");
    }

    @Test
    void shouldReportPiecesOnlyOfThoseWhoCountThem() throws Exception {
        // given
        final BusyTime start = BusyTime.now();
        final BusyTime end = BusyTime.now();

        // when
        final Map<String, Double> counted =
                BulkFigures.figures(
                        MAPPER.readTree("{\"MBps\":738.5,\"pieces\":2.01}"), start, end);
        final Map<String, Double> other =
                BulkFigures.figures(MAPPER.readTree("{\"MBps\":738.5}"), start, end);

        // then
        assertEquals(2.01, counted.get(BulkFigures.PIECES));
        assertEquals(738.5, counted.get("MBps"));
        assertFalse(other.containsKey(BulkFigures.PIECES), other::toString);
    }
}
