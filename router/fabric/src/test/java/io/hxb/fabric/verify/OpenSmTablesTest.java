package io.hxb.fabric.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SampleGraphs;
import io.hxb.fabric.plan.RoutingAlgorithm;
import io.hxb.fabric.plan.RoutingOptions;
import io.hxb.fabric.route.PathSelection;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Set;
import java.util.stream.Collectors;

/** Forwarding tables for {@code opensm -R file}, which loads and dumps them unchanged. */
@Tag("unit")
class OpenSmTablesTest {
    private static final String TWO_ADDRESSES =
            """
            Switch\t2 "S-0000000000200000"\t\t# "west" base port 0 lid 6 lmc 0
            [1]\t"S-0000000000200001"[1]\t\t# "east" lid 7 4xSDR
            [2]\t"H-0000000000100000"[1](100001) \t\t# "n0" lid 2 4xSDR

            Switch\t2 "S-0000000000200001"\t\t# "east" base port 0 lid 7 lmc 0
            [1]\t"S-0000000000200000"[1]\t\t# "west" lid 6 4xSDR
            [2]\t"H-0000000000100002"[1](100003) \t\t# "n1" lid 4 4xSDR

            Ca\t1 "H-0000000000100000"\t\t# "n0"
            [1](100001) \t"S-0000000000200000"[2]\t\t# lid 2 lmc 1 "west" lid 6 4xSDR

            Ca\t1 "H-0000000000100002"\t\t# "n1"
            [1](100003) \t"S-0000000000200001"[2]\t\t# lid 4 lmc 1 "east" lid 7 4xSDR
            """;

    private static RouteSet routes(final OpenSmCabling cabling, final RoutingAlgorithm algorithm) {
        return algorithm
                .routing(cabling.graph(), RoutingOptions.DEFAULTS)
                .staticRoutes(PathSelection.LOW_PORT, 1);
    }

    @Test
    void shouldWriteTablesThatCarryTheRoutes() {
        // given
        final String topology = SampleGraphs.openSm("torus4x4-subnet.lst");
        final OpenSmCabling cabling = OpenSmCabling.parse("t", topology);
        final RouteSet routes = routes(cabling, RoutingAlgorithm.UPDOWN_BFS);
        // when
        final String text = OpenSmTables.format(cabling, routes);
        final ForwardingTables tables = OpenSmDump.parse("l", text, "t", topology);
        // then
        assertTrue(tables.verify().isOk(), () -> tables.verify().toString());
        assertEquals(16, tables.destinationCount());
        assertEquals(routes.sumLinks(), tables.links()[0]);
        assertEquals(16, text.lines().filter(line -> line.startsWith("Unicast")).count());
    }

    @Test
    void shouldHaveALineForEachAddress() {
        // given
        final OpenSmCabling cabling = OpenSmCabling.parse("t", TWO_ADDRESSES);
        // when
        final String text =
                OpenSmTables.format(cabling, routes(cabling, RoutingAlgorithm.UPDOWN_BFS));
        // then
        final Set<String> first =
                text.lines()
                        .skip(1)
                        .takeWhile(line -> line.startsWith("0x"))
                        .map(line -> line.replaceFirst(" #.*", ""))
                        .collect(Collectors.toSet());
        assertEquals(
                Set.of(
                        "0x0006 000",
                        "0x0007 001",
                        "0x0002 002",
                        "0x0003 002",
                        "0x0004 001",
                        "0x0005 001"),
                first);
        assertTrue(
                text.contains("0x0003 002 # Channel Adapter portguid 0x0000000000100001: 'n0"),
                text);
    }

    @Test
    void shouldRefuseWhatTablesCannotHold() {
        // given
        final OpenSmCabling torus =
                OpenSmCabling.parse("t", SampleGraphs.openSm("torus4x4-subnet.lst"));
        final OpenSmCabling fresh =
                OpenSmCabling.parse("t", TWO_ADDRESSES.replaceAll("lid \\d", "lid 0"));
        // when, then
        final GraphException lanes =
                assertThrows(
                        GraphException.class,
                        () ->
                                OpenSmTables.format(
                                        torus, routes(torus, RoutingAlgorithm.DL_MUTUAL)));
        assertTrue(lanes.getMessage().startsWith("the routes need "), lanes.getMessage());
        final GraphException addresses =
                assertThrows(
                        GraphException.class,
                        () ->
                                OpenSmTables.format(
                                        fresh, routes(fresh, RoutingAlgorithm.UPDOWN_BFS)));
        assertEquals(
                "'west' has no LID in the cabling; start opensm once and read it again",
                addresses.getMessage());
    }
}
