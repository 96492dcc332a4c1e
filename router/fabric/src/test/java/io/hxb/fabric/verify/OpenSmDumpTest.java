package io.hxb.fabric.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SampleGraphs;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.Collectors;

/** Dumps of OpenSM 3.3.23 on ibsim, the graph irr16_0 with one host a switch. */
@Tag("unit")
class OpenSmDumpTest {
    private static String text(final String file) {
        return SampleGraphs.openSm(file);
    }

    private static ForwardingTables parse(final String lfts) {
        return OpenSmDump.parse("lfts", lfts, "subnet", text("irr16-subnet.lst"));
    }

    @Test
    void shouldAcceptTablesThatCannotDeadlock() {
        // when
        final ForwardingTables tables = parse(text("irr16-updn-lfts.dump"));
        // then
        assertEquals("16 switches, 32 links, 16 hosts", tables.graph().toString());
        assertTrue(tables.verify().isOk(), () -> tables.verify().toString());
        assertEquals(510, tables.links()[0]);
    }

    @Test
    void shouldFindTheCycleOfLayersTakenAsOne() {
        // when
        final Verification found = parse(text("irr16-lash-lfts.dump")).verify();
        // then
        assertTrue(found.isConnected());
        assertFalse(found.isAcyclic());
        assertTrue(found.problem().startsWith("cycle of "), found.problem());
    }

    @Test
    void shouldFollowAWayIntoALoop() {
        // given that s11 sends what is for h0 back to s0
        final String lfts =
                text("irr16-updn-lfts.dump")
                        .replaceFirst("(switch Lid 2 [^\n]*\n0x0001 )005", "$1001")
                        .replaceFirst("(\\('s11'\\):\n0x0001 )\\d+", "$1001");
        // when
        final Verification found = parse(lfts).verify();
        // then
        assertFalse(found.isConnected());
        assertTrue(found.problem().contains("goes round in a loop"), found.problem());
    }

    @Test
    void shouldNameTheWrongHostThatGetsWhatIsForAnother() {
        // given that s0 hands to its own host h0 (port 5) what is for h1, which is at s1
        final String lfts =
                text("irr16-updn-lfts.dump")
                        .replaceFirst("(switch Lid 2 [^\n]*\n(?:[^\n]*\n)*?0x0005 )003", "$1005");
        // when
        final Verification found = parse(lfts).verify();
        // then
        assertFalse(found.isConnected());
        assertFalse(found.isOk());
        assertTrue(
                found.problem()
                        .contains(
                                "to h1 (LID 0x0005), at switch s1 port 5, ends at switch s0 port"
                                        + " 5, where the host h0@100000 is: delivered to the wrong"
                                        + " host"),
                found.problem());
    }

    @Test
    void shouldRefuseTablesThatSendEverythingToOnePort() {
        for (final String port : List.of("001", "005", "009")) {
            // given
            final String lfts =
                    text("irr16-updn-lfts.dump")
                            .replaceAll("(?m)^(0x[0-9a-f]{4}) \\d{3}", "$1 " + port);
            // when
            final Verification found = parse(lfts).verify();
            // then
            assertFalse(found.isConnected(), port);
            assertEquals(
                    port.equals("009"),
                    found.problem().contains("where the cabling has nothing"),
                    found.problem());
        }
    }

    @Test
    void shouldMissHostsThatAreInOneFileOnly() {
        // given the cabling without the cable of h3, and tables without h2
        final String cabling =
                text("irr16-subnet.lst")
                        .lines()
                        .filter(line -> !line.contains("{h3}"))
                        .collect(Collectors.joining("\n"));
        final String tables =
                text("irr16-updn-lfts.dump")
                        .lines()
                        .filter(line -> !line.contains("'h2'"))
                        .collect(Collectors.joining("\n"));
        // when
        final Verification unknown =
                OpenSmDump.parse("l", text("irr16-updn-lfts.dump"), "t", cabling).verify();
        final Verification unreached = parse(tables).verify();
        // then
        assertTrue(
                unknown.problem().contains("h3 (LID 0x000b), which is not in the cabling"),
                unknown.problem());
        assertTrue(
                unreached.problem().startsWith("no table has an entry for the host h2@"),
                unreached.problem());
    }

    @Test
    void shouldReadTheOtherTools() {
        // given
        final String lfts =
                """
                Unicast lids [0x0-0x4] of switch Lid 2 guid 0x0000000000200000 (a):
                  Lid  Out   Destination
                       Port     Info
                0x0001 002 : (Channel Adapter portguid 0x1: 'x')
                0x0003 001 : (Channel Adapter portguid 0x2: 'y')
                Unicast lids [0x0-0x4] of switch Lid 4 guid 0x0000000000200001 (b):
                0x0001 001 : (Channel Adapter portguid 0x1: 'x')
                0x0003 002 : (Channel Adapter portguid 0x2: 'y')
                """;
        final String topology =
                """
                Switch\t4 "S-0000000000200000"\t\t# "a" base port 0 lid 2 lmc 0
                [1]\t"S-0000000000200001"[1]\t\t# "b" lid 4 4xSDR
                [2]\t"H-0000000000100000"[1](100001) \t\t# "x" lid 1 4xSDR

                Switch\t4 "S-0000000000200001"\t\t# "b" base port 0 lid 4 lmc 0
                [1]\t"S-0000000000200000"[1]\t\t# "a" lid 2 4xSDR
                [2]\t"H-0000000000100002"[1](100003) \t\t# "y" lid 3 4xSDR

                Ca\t1 "H-0000000000100000"\t\t# "x"
                [1](100001) \t"S-0000000000200000"[2]\t\t# lid 1 lmc 0 "a" lid 2 4xSDR
                """;
        // when
        final ForwardingTables tables = OpenSmDump.parse("l", lfts, "t", topology);
        // then
        assertEquals("2 switches, 1 links, 2 hosts", tables.graph().toString());
        assertTrue(tables.verify().isOk(), () -> tables.verify().toString());
        // and when both switches keep what is for x
        final ForwardingTables wrong =
                OpenSmDump.parse("l", lfts.replace("0x0001 001", "0x0001 002"), "t", topology);
        assertTrue(
                wrong.verify().problem().contains("ends at switch b port 2, where the host y@"),
                wrong.verify().problem());
    }

    @Test
    void shouldFollowTheFurtherAddressesOfAPortToo() {
        // given: dump_fts of ports with two addresses (LMC 1), of which the second go in a loop
        final String topology =
                """
                switchguid=0x200000(200000)
                Switch\t2 "S-0000000000200000"\t\t# "west" base port 0 lid 6 lmc 0
                [1]\t"S-0000000000200001"[1]\t\t# "east" lid 7 4xSDR
                [2]\t"H-0000000000100000"[1](100001) \t\t# "n0" lid 2 4xSDR

                switchguid=0x200001(200001)
                Switch\t2 "S-0000000000200001"\t\t# "east" base port 0 lid 7 lmc 0
                [1]\t"S-0000000000200000"[1]\t\t# "west" lid 6 4xSDR
                [2]\t"H-0000000000100002"[1](100003) \t\t# "n1" lid 4 4xSDR

                caguid=0x100000
                Ca\t1 "H-0000000000100000"\t\t# "n0"
                [1](100001) \t"S-0000000000200000"[2]\t\t# lid 2 lmc 1 "west" lid 6 4xSDR

                caguid=0x100002
                Ca\t1 "H-0000000000100002"\t\t# "n1"
                [1](100003) \t"S-0000000000200001"[2]\t\t# lid 4 lmc 1 "east" lid 7 4xSDR
                """;
        final String lfts =
                """
                Unicast lids [0x0-0x7] of switch DR path slid 0; dlid 0; 0 guid 0x0000000000200000 (west):
                  Lid  Out   Destination
                       Port     Info
                0x0002 002 : (Channel Adapter portguid 0x0000000000100001: 'n0')
                0x0003 001 : (path #2 out of 2: portguid 0x0000000000100001)
                0x0004 001 : (Channel Adapter portguid 0x0000000000100003: 'n1')
                0x0005 001 : (path #2 out of 2: portguid 0x0000000000100003)
                0x0006 000 : (Switch portguid 0x0000000000200000: 'west')
                0x0007 001 : (Switch portguid 0x0000000000200001: 'east')
                6 valid lids dumped
                Unicast lids [0x0-0x7] of switch DR path slid 0; dlid 0; 0,1 guid 0x0000000000200001 (east):
                  Lid  Out   Destination
                       Port     Info
                0x0002 001 : (Channel Adapter portguid 0x0000000000100001: 'n0')
                0x0003 001 : (path #2 out of 2: portguid 0x0000000000100001)
                0x0004 002 : (Channel Adapter portguid 0x0000000000100003: 'n1')
                0x0005 001 : (path #2 out of 2: portguid 0x0000000000100003)
                0x0006 001 : (Switch portguid 0x0000000000200000: 'west')
                0x0007 000 : (Switch portguid 0x0000000000200001: 'east')
                6 valid lids dumped
                """;
        // when
        final ForwardingTables tables = OpenSmDump.parse("l", lfts, "t", topology);
        // then
        assertFalse(tables.verify().isConnected());
        assertTrue(
                tables.verify().problem().contains("goes round in a loop"),
                tables.verify().problem());
    }

    @Test
    void shouldReportWhatFilesAreWanted() {
        // when
        final GraphException noTables =
                assertThrows(GraphException.class, () -> parse("something else"));
        final GraphException noCables =
                assertThrows(
                        GraphException.class, () -> OpenSmDump.parse("lfts", "", "subnet", "x"));
        // then
        assertTrue(noTables.getMessage().contains("lfts has no tables"), noTables.getMessage());
        assertTrue(noCables.getMessage().contains("subnet has no cables"), noCables.getMessage());
    }
}
