package io.hxb.fabric.vlan.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.SwitchGraphBuilder;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.VlanIds;
import io.hxb.fabric.vlan.VlanPlanner;
import io.hxb.fabric.vlan.tree.DoubleStarTrees;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.stream.Stream;

/**
 * Texts for SONiC, run by a shell on commands that refuse what those of SONiC refuse: VLANs that
 * are there already, members that are or are not, ports with addresses or in routed mode. The
 * database is a folder, with a file for each key. Source: sonic-utilities, config/vlan.py.
 */
@Tag("system")
class SonicScriptSystemTest {
    private static final String CONFIG =
            """
            #!/bin/sh
            fail() { echo "Error: $*" >&2; exit 2; }
            case "$1 $2" in
              "vlan add") [ ! -e "VLAN|Vlan$3" ] || fail "Vlan$3 already exists"; : >"VLAN|Vlan$3" ;;
              "vlan del") [ -e "VLAN|Vlan$3" ] || fail "no Vlan$3"
                ! ls | grep -q "^VLAN_MEMBER|Vlan$3|" || fail "members"; rm "VLAN|Vlan$3" ;;
              "vlan member") key="VLAN_MEMBER|Vlan$4|$5"
                [ -e "VLAN|Vlan$4" ] || fail "no Vlan$4"
                case $3 in
                  add) [ ! -e "$key" ] || fail "$5 is already a member of Vlan$4"
                    ! ls | grep -q "^INTERFACE|$5" || fail "$5 is a router interface!"
                    ! grep -qs routed "PORT|$5" || fail "$5 is in routed mode!"
                    echo "tagging_mode tagged" >"$key" ;;
                  del) rm "$key" 2>/dev/null || fail "$5 is not a member of Vlan$4" ;;
                esac ;;
              "interface ip") rm "INTERFACE|$4|$(echo "$5" | tr / _)" || fail "no address" ;;
              "switchport mode") echo "mode $3" >"PORT|$4" ;;
              "spanning_tree disable") echo "mode none" >"STP|GLOBAL" ;;
              "save -y") mkdir -p ../saved; rm -f ../saved/*; cp * ../saved/ ;;
              *) fail "unknown: $*" ;;
            esac
            """;

    private static final String DATABASE =
            """
            #!/bin/sh
            case "$1 $2" in
              "CONFIG_DB keys") ls | while read -r key; do
                  case "$key" in $(echo "$3" | sed 's/|/\\\\|/g')) echo "$key" | tr _ / | sed 's#VLAN/#VLAN_#' ;; esac
                done ;;
              "CONFIG_DB hget") sed -n "s/^$4 //p" "$3" 2>/dev/null || : ;;
              "CONFIG_DB del") rm "$3" ;;
              "APPL_DB keys") cat ../fdb 2>/dev/null || : ;;
            esac
            """;

    // swssconfig: one entry a line, SET or DEL.
    private static final String DOCKER =
            """
            #!/bin/sh
            [ ! -e ../broken ] || exit 1
            sed -n 's/.*{"\\(FDB_TABLE[^"]*\\)".*"OP": "\\([A-Z]*\\)".*/\\2 \\1/p' | while read -r op key; do
              touch ../fdb; grep -vxF "$key" ../fdb >../fdb.new || :
              mv ../fdb.new ../fdb
              [ $op = DEL ] || echo "$key" >>../fdb
            done
            """;

    @TempDir private Path folder;
    private Path database;

    @BeforeEach
    void makeCommands() throws IOException {
        database = Files.createDirectories(folder.resolve("db"));
        final Path programs = Files.createDirectories(folder.resolve("bin"));
        for (final List<String> program :
                List.of(
                        List.of("config", CONFIG),
                        List.of("sonic-db-cli", DATABASE),
                        List.of("docker", DOCKER))) {
            final Path file = Files.writeString(programs.resolve(program.get(0)), program.get(1));
            assertTrue(file.toFile().setExecutable(true));
        }
    }

    private static SwitchSetup setup(final String vids) {
        final var graph =
                new SwitchGraphBuilder()
                        .addSwitches(4)
                        .addLink(0, 2)
                        .addLink(0, 3)
                        .addLink(1, 2)
                        .addLink(1, 3)
                        .addHosts(1)
                        .build();
        final var plan =
                new VlanPlanner(PlanKind.HOST_TAGGED, 4, VlanIds.parse(vids), new BitSet(), "none")
                        .plan(graph, new DoubleStarTrees(1), "double-star");
        return SetupMaker.of(plan).getFirst();
    }

    private int run(final String text) throws IOException {
        final ProcessBuilder shell = new ProcessBuilder("sh", "-s").directory(database.toFile());
        shell.environment().merge("PATH", folder.resolve("bin") + ":", (old, own) -> own + old);
        shell.redirectErrorStream(true).redirectOutput(folder.resolve("output").toFile());
        final Process process = shell.start();
        try (var stdin = process.getOutputStream()) {
            stdin.write(text.getBytes(StandardCharsets.UTF_8));
        }
        try {
            return process.waitFor();
        } catch (final InterruptedException e) {
            throw new IOException(e);
        }
    }

    private void assertRuns(final String text) throws IOException {
        assertEquals(0, run(text), () -> output() + text);
    }

    private String output() {
        try {
            return Files.readString(folder.resolve("output"));
        } catch (final IOException e) {
            return e.toString();
        }
    }

    private String state(final String name) throws IOException {
        final StringBuilder state = new StringBuilder();
        try (Stream<Path> files = Files.list(folder.resolve(name))) {
            for (final Path file : files.sorted().toList()) {
                state.append(file.getFileName() + " " + Files.readString(file).strip() + "\n");
            }
        }
        final Path fdb = folder.resolve("fdb");
        if (Files.exists(fdb)) {
            Files.readAllLines(fdb).stream().sorted().forEach(line -> state.append(line + "\n"));
        }
        return state.toString();
    }

    @Test
    void shouldRunAgainAndStateTheWholeSetup() throws IOException {
        // given: what the plan leads to on a new switch
        final Dialect sonic = Dialect.parse("sonic");
        assertRuns(sonic.full(setup("2-3")));
        final String expected = state("db");
        assertTrue(expected.contains("VLAN_MEMBER|Vlan3|Ethernet8 tagging_mode tagged"), expected);
        assertTrue(expected.contains("FDB_TABLE:Vlan2:02-48-58-42-00-01"), expected);
        // when, then: again
        assertRuns(sonic.full(setup("2-3")));
        assertEquals(expected, state("db"));
        // when, then: another plan and back, by changes and by whole texts
        assertRuns(sonic.changes(setup("2-3"), setup("2,7")));
        assertRuns(sonic.changes(setup("2,7"), setup("2-3")));
        assertEquals(expected, state("db"));
        assertRuns(sonic.full(setup("2,7")));
        assertRuns(sonic.full(setup("2-3")));
        assertEquals(expected + "\n", state("db").replace("VLAN|Vlan7 \n", "") + "\n");
        assertEquals(state("db"), state("saved"));
    }

    @Test
    void shouldSwitchPortsThatWereRouted() throws IOException {
        Files.createFile(database.resolve("INTERFACE|Ethernet0"));
        Files.createFile(database.resolve("INTERFACE|Ethernet0|10.0.0.0_31"));
        Files.writeString(database.resolve("PORT|Ethernet4"), "mode routed\n");
        Files.writeString(database.resolve("STP|GLOBAL"), "mode pvst\n");
        assertRuns(Dialect.parse("sonic").full(setup("2-3")));
        final String state = state("db");
        assertTrue(!state.contains("INTERFACE"), state);
        assertTrue(state.contains("PORT|Ethernet4 mode trunk"), state);
        assertTrue(state.contains("STP|GLOBAL mode none"), state);
    }

    @Test
    void shouldSaveNothingUnlessAllOfItHasWorked() throws IOException {
        Files.createFile(folder.resolve("broken"));
        assertTrue(run(Dialect.parse("sonic").full(setup("2-3"))) != 0, output());
        assertTrue(output().contains("nothing is saved"), output());
        assertTrue(Files.notExists(folder.resolve("saved")));
    }
}
