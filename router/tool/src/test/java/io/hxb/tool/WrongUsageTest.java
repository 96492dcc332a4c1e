package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.Json;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import picocli.CommandLine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Wrong values of the options of every command: three lines and status 2, before anything is done.
 */
@Tag("unit")
class WrongUsageTest {
    /** {@code C} stands for the file of a cluster of 2x2 whose nodes do not run. */
    private static final String COMMANDS =
            """
            capture --count -1
            capture --filter
            capture --ring 3
            capture --seconds 0
            capture --size 1kB
            capture --snap 60
            demo --shape 2x300
            demo --shape x
            demo --links 9
            demo --links x
            demo --backend tin
            demo --rate fast
            demo --mtu 12
            demo --wiring string
            demo --kernel-relay maybe
            demo --name Not_a/name
            demo --file-size 0
            demo --file-size -5
            demo --file-size x
            demo --seconds 0
            lab up --shape 1x1
            lab up --links 0
            lab up --backend raw --mtu 70000
            lab up --rate -1gbit
            lab up --name ../x
            lab up --shape 3 --wiring direct --backend raw
            lab up --backend udp --rate 1gbit
            lab up --graph ring:2
            lab up --graph full:10
            lab up --graph ring:300
            lab up --graph ring:4 --shape 2x2
            lab up --graph ring:4 --links 2
            lab up --graph ring:4 --parallel 5
            lab up --graph ring:4 --backend udp
            lab up --parallel 2
            lab up --graph ring:4 --network ring:4
            lab run ping --graph ring:4 --to 4
            lab run chaos --random --graph ring:4
            demo --graph chain:1
            lab down --name ../x
            lab down --name Not_a_name!
            lab down --all --stale
            lab down --all --name x
            lab down --stale --name x
            lab exec --name ../x 0,0 -- true
            lab exec --name Not_a_name! 0,0 -- true
            lab exec x
            lab up --network vbft:2,2 --rails 9
            lab up --rails 2
            lab ping
            lab ping 0,1 --count 0
            lab perf
            lab perf 0,1 --seconds 0
            lab run --shape 2x300 -- true
            lab run --links 9 -- true
            lab run --name ../x -- true
            lab run
            lab run --shape 2x2 perf
            lab run ping --shape 2x300
            lab run ping --all --to 1,1
            lab run ping --all-pairs --from 1,1
            lab run perf --all --to 1,1
            lab run perf --all --both
            lab run chaos --random --all --from 1,1
            lab run ping --size 3
            lab run ping --size x
            lab run ping --count -1
            lab run ping --count x
            lab run ping --interval -5
            lab run ping --interval often
            lab run ping --timeout 0
            lab run ping --timeout x
            lab run ping --from 9,9,9
            lab run ping --from x
            lab run ping --to 9,9,9
            lab run ping --to x
            lab run ping --to 1,1
            lab run ping --check 3
            lab run ping --warmup 1
            lab run ping --flood --interval 1s
            lab run ping --all --all-pairs
            lab run ping --count 0
            lab run ping --size 9000000
            lab run perf --size 0
            lab run perf --size 1073741825
            lab run perf --size 64,x
            lab run perf --size 8K..1K
            lab run perf --size 1..2G
            lab run perf --warmup -1
            lab run perf --warmup x
            lab run perf --seconds 0
            lab run perf --seconds 90000
            lab run perf --seconds NaN
            lab run perf --count 0
            lab run perf --check 0
            lab run perf --interval 1us
            lab run perf --interval x
            lab run perf --from 9,9,9
            lab run perf --to x
            lab run perf --from 0,0,0 --to 0,0,0
            lab run perf --random
            lab run chaos
            lab run chaos --random --script faults.yaml
            lab run chaos --random --faults 0
            lab run chaos --random --sample 1us
            lab run chaos --random --sample x
            lab run chaos --random --out picture.bmp
            lab run chaos --random --backend udp
            lab run chaos --random --seed x
            lab run chaos --random --size 3
            lab run chaos --random --seconds 0
            lab run chaos --random --seconds 1
            lab run chaos --random --warmup -1
            lab run chaos --random --from 9,9,9
            lab run chaos --random --to x
            lab run chaos --random --check 4
            lab run chaos --random --count 4
            node --config C --node 9,9,9
            node --config C --node x
            node --config C --node 4
            node --name ../x --node 0
            ping --config C
            ping --config C 9,9,9
            ping --config C --node 0 9,9
            ping --config C --node 0 x
            ping --config C --node 9,9 1,1
            ping --config C --node x 1,1
            ping --config C --node 0 1,1 --size 3
            ping --config C --node 0 1,1 --size 70000000
            ping --config C --node 0 1,1 --count -1
            ping --config C --node 0 1,1 --count x
            ping --config C --node 0 1,1 --interval -1
            ping --config C --node 0 1,1 --interval 5parsecs
            ping --config C --node 0 1,1 --timeout 0
            ping --config C --node 0 1,1 --timeout 1h
            ping --config C --node 0 1,1 --all
            ping --config C --node 0 --all --all-pairs
            ping --config C --node 0 1,1 --check 3
            ping --config C --node 0 1,1 --both
            ping --config C --node 0 1,1 --warmup 3
            ping --config C --node 0 1,1 --seconds 3
            ping --name ../x 1,1
            trace --config C
            trace --config C 9,9
            trace --config C --node 0 x
            trace --config C --node 0 0,0
            trace --config C 1,1 1,1
            trace --config C 0,0 1,1 0,1
            trace --config C --node 0 1,1 --count 0
            trace --config C --node 0 1,1 --interval 1us
            trace --config C --node 0 1,1 --size 79
            trace --config C --node 0 1,1 --timeout 0
            perf --config C
            perf --config C --node 0 9,9,9
            perf --config C --node 0 x
            perf --config C --node 0 0,0
            perf --config C --node 9,9 1,1
            perf --config C --node 0 1,1 --size 1..
            perf --config C --node 0 1,1 x
            perf --config C --node 0
            perf --config C --receive 9,9,9
            perf --config C --receive --size 100
            perf --config C --receive 1,1 --all
            perf --config C --node 0 --all --both
            perf --config C --node 0 --all 1,1
            perf --config C --name x 1,1
            stat --config C C
            stat --name x C
            stat --config C --per-link --zero
            map --config C --name x
            map --config C --node
            map --config C --svg nosuch/map.svg
            map --config C --export nosuch/map.edges
            map --config C --export map.json
            map --config C extra
            map --name ../x
            flows --config C --name x
            flows --config C --node nosuch
            flows --config C --node 9,9
            flows --config C --sort rate
            flows --config C --sort x
            flows --config C --interval x
            flows --config C --count -1
            flows --config C extra
            flows --name ../x
            top --config C C
            mpirun --order block true
            perf --config C --node 0 1,1 --seconds -1
            perf --config C --node 0 1,1 --seconds x
            perf --config C --node 0 1,1 --warmup 601
            perf --config C --node 0 1,1 --count 0
            perf --config C --node 0 1,1 --check 0
            perf --config C --node 0 1,1 --interval 1ms
            perf --config C --node 0 1,1 --flood
            perf --name ../x 1,1
            cat --config C
            cat --config C --node 9,9 1,1 5000
            cat --config C --node 0 --listen x
            cat --config C --node 0 --timeout x 1,1 5000
            cat --name ../x 1,1 5000
            cat --config C --node 0 9,9,9 5000
            cat --config C --node 0 x 5000
            cat --config C --node 0 1,1 70000
            cat --config C --node 0 1,1 0
            cat --config C --node 0 --listen 70000
            cat --config C --node 0 --listen -1
            cat --config C --node 0 --timeout -1 1,1 5000
            ip --config C --node 0 9,9,9
            ip --name ../x
            expose --config C --node 0
            expose --config C --node 0 0
            expose --config C --node 0 80=x:y:z
            expose --config C --node 0 9-3
            expose --config C --node 0 80 --connections 0
            forward --config C --node 0
            forward --config C --node 0 80
            forward --config C --node 0 8080:9,9:80
            forward --config C --node 0 70000:1,1:80
            forward --config C --node 0 8080:1,1:80 --memory x
            socks --config C --node 0 extra
            socks --config C --node 0 --listen x:y:z
            stat --config C --interval x
            stat --config C --count x
            stat --name ../x
            top --config C --interval 0
            top --config C --interval x
            top --config C --count -1
            top --name ../x
            web --config C --name x
            web --nonsense
            doctor --config C --node 9,9
            doctor --config C --node x
            doctor --name ../x
            doctor --config C --explain noon
            doctor --config C --explain -5parsecs
            doctor --config C --explain 12:00 --all
            doctor --config C --explain 12:00 --around x
            doctor --config C --around 5s
            doctor --config C --dry-run
            doctor --config C --explain 12:00 --fix
            events --config C C
            events --config C --count -1
            events --config C --since x
            events --config C --type nonsense
            events --config C --severity bad
            events --config C --node x
            events --name ../x
            report --name ../x
            report --out /nosuch/report.zip
            report --out /
            report extra
            plan routes
            plan routes --graph torus:8
            plan routes --graph nosuch:4x4
            plan routes --graph torus:4x4 --hosts-per-switch -1
            plan routes --graph torus:4x4 --root 16
            plan routes --graph torus:4x4 --vcs 0
            plan routes --graph torus:4x4 --selection zork
            plan routes --graph torus:4x4 --traffic zork
            plan routes --graph torus:4x4 --algorithm zork
            plan routes --graph torus:4x4 --out loads.bmp
            plan routes --graph torus:4x4 --path 0
            plan routes --graph torus:4x4 --path 0,99
            plan routes --graph torus:4x4 --seed x
            plan check
            key generate
            key show
            key export --for-capture
            plan compare --graph torus:4x4 --algorithms zork
            plan compare --graph torus:4x4 --hosts-per-switch -1
            plan vlan --graph torus:4x4 --kind zork
            plan vlan --graph torus:4x4 --ties zork
            plan vlan --graph torus:4x4 --spread 0
            plan vlan --graph torus:4x4 --spread 2
            plan vlan --graph torus:4x4 --root 99
            plan vlan --graph torus:4x4 --root 1
            plan vlan --graph torus:4x4 --order z
            plan vlan --graph torus:4x4 --traffic zork
            plan compare --graph torus:4x4 --root -2
            plan vlan --graph torus:4x4 --vlans 0
            plan vlan --graph torus:4x4 --vids 0-9999
            plan vlan --graph torus:4x4 --dialect zork
            plan vlan --graph torus:4x4 --routing zork
            chaos --name ../x --random
            chaos --random --faults x
            chaos --random --size x
            chaos --random --seconds x
            chaos --random --seed x
            help nonsense
            help lab nonsense
            nonsense
            lab
            lab nonsense
            plan
            --nonsense
            lab status --nonsense
            demo --count 3
            init --nonsense
            help plan nonsense
            manager
            manager --plan x --nic eth0 --listen 5
            manager --plan x --nic eth0 --listen [::1]
            manager --plan x --nic eth0 --spin long
            manager --plan x --nic eth0 --key a,b,c
            manager --plan x --nic eth0 --allow nobody
            optimise
            optimise --plan x --dry-run --keep
            mpirun
            mpirun -np 4
            mpirun --lab 2x hostname
            mpirun --lab 1x1 hostname
            mpirun --lab 2x2 --links 9 hostname
            mpirun --lab 2x2 --name Not_a_name! hostname
            mpirun --name ../x hostname
            mpirun --links 2 hostname
            mpirun --processes hostname
            mpirun --lab 2 --order chance hostname
            mpirun --nodes 1 hostname
            mpirun --lab 2 --nodes 2 hostname
            mpirun --lab 2 --nodes 1,1 hostname
            mpirun --lab 2 --host a,b hostname
            mpirun -np 2 --lab 2 hostname
            optimise status extra
            optimise explain extra
            optimise stop --nonsense
            optimise start --socket
            route
            route show --manager 10.0.0.1
            route show --manager 10.0.0.1:70000
            route set
            route set h0
            route set h0 0
            route set h0 4095
            route set h0 -1
            route set a,b,c 12
            route set a, 12
            route set h0 12 --hold --commit
            route set h0 12 --manager /nowhere,/nowhere
            route reset
            route reset h0 --all
            route reset --all --rollback
            route watch --count -1
            route apply
            sim run --graph torus:x
            sim run --graph torus:4x4 --load x
            sim sweep --graph torus:4x4 --loads 0.1:0.2
            sim slurm
            sim merge results.json
            sim paper nosuch
            sim ethernet --graph torus:x
            """;

    @TempDir private Path folder;
    private Path cluster;

    @BeforeEach
    void writesAClusterFile() throws IOException {
        cluster =
                Files.writeString(
                        folder.resolve("cluster.yaml"),
                        "name: wrong\nshape: 2x2\nbackend: udp\nlinks: {x: 1, y: 1}\nattach:"
                                + " {directory: "
                                + folder
                                + ", countersDirectory: "
                                + folder
                                + "}\n");
    }

    static Stream<String> commands() {
        return COMMANDS.lines();
    }

    private HxbOutput run(final String command) {
        return HxbOutput.of(
                Stream.of(command.split(" ", -1))
                        .map(word -> word.equals("C") ? cluster.toString() : word)
                        .toArray(String[]::new));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void shouldReportInThreeLinesWhatIsWrong(final String command) {
        final HxbOutput output = run(command);

        assertEquals(ExitStatus.USAGE, output.status(), output::errors);
        assertEquals("", output.text());
        final String[] lines = output.errors().lines().toArray(String[]::new);
        assertEquals(3, lines.length, output::errors);
        assertTrue(lines[0].matches("hxb: .+"), lines[0]);
        final String path = path(command);
        assertTrue((lines[1] + " ").startsWith("usage: hxb" + path + " "), lines[1]);
        assertEquals("see: hxb help" + path, lines[2]);
    }

    /** The command that a command line is about, each word after a blank. */
    private static String path(final String line) {
        CommandLine command = Hxb.commandLine();
        final StringBuilder path = new StringBuilder();
        for (final String word : line.split(" ", -1)) {
            final CommandLine inner = command.getSubcommands().get(word);
            if (inner != null) {
                command = inner;
                path.append(' ').append(word);
            } else if (!word.startsWith("--shape") && !word.equals("2x2")) {
                return path.toString();
            }
        }
        return path.toString();
    }

    @Test
    void shouldHaveALineOfEveryCommandAbove() {
        final Set<String> missing = new TreeSet<>();
        collect(Hxb.commandLine(), missing);
        missing.removeIf(
                name -> COMMANDS.lines().anyMatch(line -> (line + " ").startsWith(name + " ")));
        assertEquals(Set.of(), missing);
    }

    private static void collect(final CommandLine command, final Set<String> found) {
        command.getSubcommands().values().stream()
                .filter(inner -> !inner.getCommandSpec().usageMessage().hidden())
                .forEach(inner -> collect(inner, found));
        if (command.getSubcommands().isEmpty()) {
            found.add(command.getCommandSpec().qualifiedName().substring("hxb ".length()));
        }
    }

    @Test
    void shouldPrintAnObjectForPrograms() {
        for (final String command :
                Set.of(
                        "lab run perf --json --size 0",
                        "lab run perf --json --size x",
                        "ping --json --config C --node 0 9,9,9",
                        "plan routes --json --graph nosuch:4")) {
            final HxbOutput output = run(command);

            assertEquals(ExitStatus.USAGE, output.status(), output::errors);
            assertEquals(1, output.text().lines().count(), output::text);
            final Map<?, ?> object = Json.parse(output.text(), Map.class, command);
            assertEquals(false, object.get("ok"));
            assertEquals(
                    output.errors().lines().findFirst().orElseThrow(),
                    "hxb: " + object.get("error"));
        }
    }

    @Test
    void shouldNameTheOptionThatIsWrong() {
        final String wrong =
                COMMANDS.lines()
                        .filter(line -> line.matches("(lab run )?(ping|perf) .*--\\S+ \\S+"))
                        .filter(line -> !line.contains("--name"))
                        .filter(line -> line.matches(".*--(size|count|seconds|warmup|check) \\S+"))
                        .filter(
                                line ->
                                        !run(line)
                                                .errors()
                                                .contains(line.replaceAll(".*(--\\S+) \\S+", "$1")))
                        .collect(Collectors.joining("\n"));
        assertEquals("", wrong);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    manage --plan x | 'hxb manage' is called 'hxb optimise' now
                    manage status --json | 'hxb manage' is called 'hxb optimise' now
                    help manage | 'hxb manage' is called 'hxb optimise' now
                    perf 1 --warm-up 3 | --warm-up is called --warmup now
                    lab run perf --warm-up=3 --json | --warm-up is called --warmup now
                    chaos --warm-up 3 | --warm-up is called --warmup now
                    stat --watch 1 | --watch is called --interval now
                    stat --interval 1 --times 2 | --times is called --count now
                    optimise --rounds 2 | --rounds is called --count now
                    route show --lab x | --lab is called --name now
                    plan vlan --graph torus:4x4 --config ovs | --config is called --dialect now
                    sim run --hosts 4 | --hosts is called --hosts-per-switch now
                    sim ethernet --switch-us 3 | --switch-us is called --switch-delay now
                    sim ethernet --milliseconds 20 | --milliseconds is called --duration now
                    stat --links | --links is called --per-link now
                    stat --users --json | --users is called --per-user now
                    manager --keep /sys/fs/bpf/hxb | --keep is called --pin now
                    optimise --hold 30s | --hold is called --hold-down now
                    optimise stop --freeze | --freeze is called --keep now
                    """)
    void shouldNameTheNewWordForAnOldOne(final String command, final String message) {
        final HxbOutput output = run(command);

        assertEquals(ExitStatus.USAGE, output.status(), output::errors);
        assertEquals("hxb: " + message, output.errors().lines().findFirst().orElse(""));
        if (command.contains("--json")) {
            assertEquals(
                    Map.of("ok", false, "error", message),
                    Json.parse(output.text(), Map.class, command));
        } else {
            assertEquals("", output.text());
        }
    }

    @Test
    void shouldNameTheOptionsThatHaveNoEffectInAMode() {
        final HxbOutput output =
                run(
                        "perf --config C --receive 1,1 --json --spin --size 100 --seconds 1"
                                + " --warmup 1 --check 2 -n 5 -i 1 --both --all");

        assertEquals(ExitStatus.USAGE, output.status());
        assertEquals(
                "hxb: --size, --seconds, --warmup, --check, --count, --interval, --both, --all: not"
                        + " with --receive, which sends nothing; give them to the hxb perf that"
                        + " sends",
                output.errors().lines().findFirst().orElse(""));
    }

    @Test
    void shouldReportWhereOptionsOfACommandInALabBelong() {
        final HxbOutput output = run("lab run --shape 2x2 --links 1 perf --seconds 1");

        assertEquals(ExitStatus.USAGE, output.status());
        assertTrue(output.errors().contains("give --shape, --links after 'perf'"), output::errors);
    }
}
