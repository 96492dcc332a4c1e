package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.testing.FrameTap;
import io.hxb.testing.OvsLab;
import io.hxb.testing.TestNamespaces;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.Json;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * Three bridges of Open vSwitch in a ring pass the frames that the table of docs/howto/switches.md
 * has where switches tag, whatever they were set to before.
 */
@Tag("system")
class SwitchFramesSystemTest {
    private static final int NONE = FrameTap.NO_TAG;
    private static final int DROPPED = -2;
    private static final int UNKNOWN_VID = 999;
    private static final int INNER_VID = 77;
    private static final int SENTINEL = 9_000;
    private static final int TRIES = 5;
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(20);
    private static final long ALL = 0xFFFF_FFFF_FFFFL;
    private static final long GROUP = 0x01_00_5E_00_00_01L;
    private static final long RESERVED = 0x01_80_C2_00_00_00L;
    private static final long NOBODY = 0x02_00_00_00_99_99L;

    @TempDir private Path folder;
    private int run;
    private boolean isLost;

    /** A frame of the first host. */
    private record Form(long target, int vid, int innerVid) {}

    @Test
    void shouldPassTheFramesOfTheTable() throws IOException {
        OvsLab.assumePossible();
        final Cabling cabling = Cabling.ring(3);
        try (SwitchChangesLab lab =
                new SwitchChangesLab(Files.createDirectory(folder.resolve("o")))) {
            lab.plugIn(cabling);
            for (final String name : cabling.switches()) {
                lab.run(name, SPOILED.replace("BRIDGE", name));
            }
            final List<Integer> vids = setUp(lab, cabling, "switch-tagged");
            expect(lab, cabling, NONE, whereSwitchesTag(vids.getFirst(), vids.getLast()));
        }
    }

    // What a full text has to put right: a spanning tree, and ports and addresses of others.
    private static final String SPOILED =
            """
            set -e
            ip link add strange type veth peer name stranger
            ovs-vsctl add-br BRIDGE -- set bridge BRIDGE datapath_type=netdev rstp_enable=true \
              mcast_snooping_enable=true protocols=OpenFlow13 other_config:mac-aging-time=77 \
              -- add-port BRIDGE strange -- set port strange tag=2
            ovs-appctl fdb/add BRIDGE strange 2 02:00:00:00:00:77
            """;

    private static Map<Form, Integer> whereSwitchesTag(final int pvid, final int other) {
        final Map<Form, Integer> expected = new LinkedHashMap<>();
        expected.put(new Form(ALL, NONE, NONE), NONE);
        expected.put(new Form(ALL, 0, NONE), NONE);
        expected.put(new Form(ALL, pvid, NONE), NONE);
        expected.put(new Form(ALL, other, NONE), NONE);
        expected.put(new Form(ALL, UNKNOWN_VID, NONE), DROPPED);
        expected.put(new Form(ALL, pvid, INNER_VID), INNER_VID);
        expected.put(new Form(GROUP, NONE, NONE), NONE);
        expected.put(new Form(NOBODY, NONE, NONE), DROPPED);
        for (int i = 0; i < 16; i++) {
            expected.put(new Form(RESERVED + i, NONE, NONE), DROPPED);
        }
        expected.put(new Form(RESERVED + 14, pvid, NONE), DROPPED);
        return expected;
    }

    /** Runs the whole texts; returns the VIDs, that of the first host first. */
    private List<Integer> setUp(
            final SwitchChangesLab lab, final Cabling cabling, final String kind)
            throws IOException {
        final Path graph = Files.writeString(folder.resolve("net.yaml"), cabling.yaml());
        final Path saved = folder.resolve("plan.json");
        final PlanOutput output =
                PlanOutput.of(
                        "vlan",
                        "--graph=" + graph,
                        "--kind=" + kind,
                        "--dialect=ovs",
                        "--save=" + saved,
                        "--out=" + folder.resolve(kind));
        assertEquals(ExitStatus.OK, output.status(), output.errors());
        for (final String name : cabling.switches()) {
            lab.run(name, text(kind, name));
        }
        final Map<?, ?> plan = Json.parse(Files.readString(saved), Map.class, "the plan");
        final List<Integer> vids = new ArrayList<>();
        for (final Object host : (List<?>) plan.get("hosts")) {
            vids.add((Integer) ((Map<?, ?>) host).get("vid"));
        }
        assertTrue(new TreeSet<>(vids).size() > 1, vids::toString);
        final int first = vids.getFirst();
        return List.of(first, vids.stream().filter(vid -> vid != first).findAny().orElseThrow());
    }

    private String text(final String kind, final String name) throws IOException {
        return Files.readString(folder.resolve(kind).resolve(name + ".sh"));
    }

    /** Sends each frame and a broadcast after it, until that has arrived everywhere. */
    private void expect(
            final SwitchChangesLab lab,
            final Cabling cabling,
            final int usual,
            final Map<Form, Integer> expected) {
        for (final Map.Entry<Form, Integer> entry : expected.entrySet()) {
            boolean isDone = false;
            for (int tries = 0; tries < TRIES && !isDone; tries++) {
                run++;
                final List<Integer> seen = exchange(lab, cabling, entry.getKey(), usual);
                isDone = seen.size() >= (entry.getValue() == DROPPED ? 0 : 2) && !isLost;
                final List<Integer> wanted =
                        entry.getValue() == DROPPED
                                ? List.of()
                                : List.of(entry.getValue(), entry.getValue());
                assertTrue(
                        !isDone || seen.equals(wanted),
                        () -> "%s: %s instead of %s".formatted(entry.getKey(), seen, wanted));
            }
            assertTrue(isDone, () -> entry.getKey() + " did not arrive in " + TRIES + " tries");
        }
    }

    /** VIDs with which the frame arrived at the other hosts. */
    private List<Integer> exchange(
            final SwitchChangesLab lab, final Cabling cabling, final Form form, final int usual) {
        final List<Integer> hosts = List.copyOf(cabling.hosts().keySet());
        final int from = hosts.getFirst();
        final long mac = Cabling.mac(from);
        lab.tap(from).send(mac, form.target, form.vid, form.innerVid, from, run);
        lab.tap(from).send(mac, ALL, usual, from, SENTINEL + run);
        final List<Integer> seen = new ArrayList<>();
        final TreeSet<Integer> ended = new TreeSet<>();
        isLost =
                !TestNamespaces.holdsWithin(
                        PATIENCE_NS,
                        () -> {
                            for (final int host : hosts) {
                                for (final FrameTap.Seen frame : lab.tap(host).receive()) {
                                    if (frame.to() == SENTINEL + run) {
                                        ended.add(host);
                                    } else if (frame.to() == run) {
                                        seen.add(frame.vid());
                                    }
                                }
                            }
                            return ended.size() == hosts.size() - 1;
                        });
        return seen;
    }
}
