package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.testing.TestNamespaces;
import io.hxb.tool.lab.LabNames;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.machine.Programs;
import io.hxb.tool.report.ExitStatus;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Programs of Open MPI over HXB, as a user starts them. */
@Tag("system")
class MpirunSystemTest {
    private static final Path ROOT = Path.of(System.getProperty("hxb.root")).toAbsolutePath();

    /** Of a lab that is used again and again; a hundred take a minute. */
    private static final int JOBS = Integer.getInteger("hxb.mpi.jobs", 3);

    @TempDir private static Path programs;
    private static Path check;

    @TempDir private Path folder;
    private final String lab = "m" + ProcessHandle.current().pid();

    @BeforeAll
    static void compile() throws Exception {
        assumeTrue(Programs.find("mpirun").isPresent(), "skipped: no mpirun (openmpi-bin)");
        assumeTrue(Programs.find("mpicc").isPresent(), "skipped: no mpicc (libopenmpi-dev)");
        assumeTrue(
                Files.exists(Path.of("/usr/include/rdma/fabric.h")),
                "skipped: no headers of libfabric (libfabric-dev)");
        check = programs.resolve("mpi_check");
        compile("benchmarks/src/main/mpi/mpi_check.c", check);
    }

    private static void compile(final String source, final Path program) throws Exception {
        final Process compiler =
                new ProcessBuilder(
                                "mpicc",
                                "-O1",
                                "-Wall",
                                "-Werror",
                                "-o",
                                program.toString(),
                                ROOT.resolve(source).toString())
                        .redirectErrorStream(true)
                        .start();
        final String output =
                new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, compiler.waitFor(), output);
    }

    private HxbProcess mpirun(final String... arguments) throws IOException {
        final List<String> command = new ArrayList<>(List.of("mpirun"));
        command.addAll(List.of(arguments));
        return HxbProcess.start(folder, command.toArray(String[]::new));
    }

    /** In a lab of two nodes over UDP. */
    private HxbProcess inPair(final String... arguments) throws IOException {
        final List<String> all =
                new ArrayList<>(List.of("--lab", "2", "--links", "1", "--backend", "udp"));
        all.addAll(List.of("--name", lab));
        all.addAll(List.of(arguments));
        return mpirun(all.toArray(String[]::new));
    }

    private void assertNothingLeft() throws IOException {
        final String[] namespaces = Path.of("/run/netns").toFile().list();
        assertTrue(
                namespaces == null
                        || Stream.of(namespaces)
                                .flatMap(name -> LabNames.labOf(name).stream())
                                .noneMatch(lab::equals),
                () -> List.of(namespaces).toString());
        final Path run = folder.resolve("run");
        if (Files.exists(run)) {
            try (Stream<Path> files = Files.walk(run)) {
                assertEquals(List.of(), files.filter(Files::isRegularFile).toList());
            }
        }
    }

    @Test
    void shouldRunAnUnmodifiedProgramInALabOfItsOwn() throws Exception {
        // On nodes 0, 1 and 2, of which the last two reach each other over a relay only.
        runInALabOfItsOwn(3, 1);
    }

    @Tag("outside")
    @Test
    void shouldRunAnUnmodifiedProgramWithSeveralRanksOnANode() throws Exception {
        runInALabOfItsOwn(5, 2);
    }

    private void runInALabOfItsOwn(final int ranks, final int rounds) throws Exception {
        try (HxbProcess hxb =
                mpirun(
                        "--lab",
                        "2x2",
                        "--links",
                        "2",
                        "--name",
                        lab,
                        "-np",
                        Integer.toString(ranks),
                        check.toString(),
                        "--strict",
                        "--rounds",
                        Integer.toString(rounds),
                        "--seed",
                        "20261125")) {
            assertEquals(ExitStatus.OK, hxb.status(), () -> hxb.output() + hxb.errors());
            assertTrue(hxb.output().contains("ok 20261125 checks="), hxb::output);
        }
        assertNothingLeft();
    }

    /**
     * Where Open MPI sends something else over any provider of libfabric, and beside its options.
     */
    @Tag("outside")
    @Test
    void shouldSendTheAmountsOfTheProgramAsOpenMpiStartsIt() throws Exception {
        final Path folderOfProgram = Files.createDirectory(programs.resolve("displaced"));
        compile("pm-api/src/test/c/mpi_displaced.c", folderOfProgram.resolve("mpi_displaced"));
        try (HxbProcess hxb =
                inPair(
                        "-wdir",
                        folderOfProgram.toString(),
                        "--mca",
                        "mca_base_env_list",
                        "FOO=1;HXB_OPENMPI=report",
                        "--mca",
                        "osc",
                        "pt2pt",
                        "-np",
                        "4",
                        "mpi_displaced")) {
            assertEquals(ExitStatus.OK, hxb.status(), () -> hxb.output() + hxb.errors());
            assertTrue(hxb.output().contains("FOO is 1"), hxb::output);
            assertEquals(40, hxb.output().lines().filter(line -> line.endsWith("right")).count());
            assertTrue(hxb.errors().contains("libhxb-openmpi: MPI_Bsend_init is corrected"));
        }
        assertNothingLeft();
    }

    @Test
    void shouldDealRanksToAllNodesWithoutACount() throws Exception {
        try (HxbProcess hxb =
                mpirun(
                        "--lab",
                        "3",
                        "--links",
                        "1",
                        "--backend",
                        "udp",
                        "--name",
                        lab,
                        "sh",
                        "-c",
                        "echo $HXB_SOCKET")) {
            assertEquals(ExitStatus.OK, hxb.status(), () -> hxb.output() + hxb.errors());
            assertEquals(
                    List.of("0", "1", "2"),
                    hxb.output()
                            .lines()
                            .map(line -> line.replaceAll(".*-(\\d+)\\.sock", "$1"))
                            .sorted()
                            .toList());
        }
    }

    @Test
    void shouldPassOnTheExitStatus() throws Exception {
        try (HxbProcess hxb = inPair("-np", "2", "sh", "-c", "exit 7")) {
            assertEquals(7, hxb.status(), () -> hxb.output() + hxb.errors());
        }
        assertNothingLeft();
    }

    @Test
    void shouldEndWithARankThatIsKilled() throws Exception {
        // the others wait for messages of the one that is killed
        try (HxbProcess hxb = inPair("-np", "3", check.toString(), "--seconds", "60")) {
            awaitOutput(hxb, "seed");
            killARankOf(hxb);
        }
        assertNothingLeft();
    }

    @Tag("outside")
    @Test
    void shouldFinishWhenARelayWithoutRanksIsKilled() throws Exception {
        // given ranks on three nodes; what the third sends to the second is relayed by the fourth
        up("2x2", "--processes");
        try (HxbProcess hxb =
                mpirun("--name", lab, "-np", "3", check.toString(), "--strict", "--seconds", "2")) {
            awaitOutput(hxb, "seed");
            // when
            final long relay = labs().require(lab).nodePids().get(3);
            ProcessHandle.of(relay).orElseThrow().destroyForcibly();
            // then
            assertEquals(ExitStatus.OK, hxb.status(), () -> hxb.output() + hxb.errors());
            assertTrue(hxb.output().contains("checks="), hxb::output);
        } finally {
            assertEndsWell(HxbProcess.start(folder, "lab", "down", "--name", lab));
        }
        assertNothingLeft();
    }

    @Tag("outside")
    @Test
    void shouldLeaveNothingInALabThatManyJobsHaveUsed() throws Exception {
        // given: a lab that has seen a job whose rank was killed, and one that ended well
        up("2");
        final String cluster =
                Files.readString(folder.resolve("run/labs/" + lab + "/cluster.yaml"));
        assertTrue(cluster.contains("partitionTimeout: 20s"), cluster);
        try {
            killARank();
            runJob();
            final long owner = labs().require(lab).ownerPid();
            final List<String> before = holdings(owner);
            // when
            for (int job = 0; job < JOBS; job++) {
                runJob();
            }
            // then
            TestNamespaces.await(
                    () -> before + " has become " + holdings(owner),
                    () -> before.equals(holdings(owner)));
        } finally {
            assertEndsWell(HxbProcess.start(folder, "lab", "down", "--name", lab));
        }
        assertNothingLeft();
    }

    private void up(final String shape, final String... options) throws Exception {
        final List<String> command = new ArrayList<>(List.of("lab", "up", "--name", lab));
        command.addAll(List.of("--shape", shape, "--links", "1", "--backend", "udp", "--patient"));
        command.addAll(List.of(options));
        assertEndsWell(HxbProcess.start(folder, command.toArray(String[]::new)));
    }

    private LabRegistry labs() {
        return new LabRegistry(folder.resolve("run/labs"));
    }

    private static void assertEndsWell(final HxbProcess started) throws Exception {
        try (HxbProcess hxb = started) {
            assertEquals(ExitStatus.OK, hxb.status(), () -> hxb.output() + hxb.errors());
        }
    }

    private void runJob() throws Exception {
        assertEndsWell(
                mpirun(
                        "--name",
                        lab,
                        "-np",
                        "4",
                        check.toString(),
                        "--strict",
                        "--rounds",
                        "1",
                        "--only",
                        "messages"));
    }

    /**
     * Kills one rank. The others are stopped first, so that mpirun sees the end of this one before
     * another has lost it and ends, too.
     */
    private static void killARankOf(final HxbProcess hxb) throws Exception {
        final List<ProcessHandle> ranks =
                hxb.process().descendants().filter(process -> isRank(process)).toList();
        for (final ProcessHandle other : ranks.subList(1, ranks.size())) {
            final Process stop =
                    new ProcessBuilder("kill", "-STOP", Long.toString(other.pid())).start();
            assertEquals(0, stop.waitFor());
        }
        ranks.getFirst().destroyForcibly();
        assertEquals(137, hxb.status(), () -> hxb.output() + hxb.errors());
        assertTrue(hxb.errors().contains("exited on signal 9"), hxb::errors);
    }

    private void killARank() throws Exception {
        try (HxbProcess hxb =
                mpirun("--name", lab, "-np", "4", check.toString(), "--seconds", "60")) {
            awaitOutput(hxb, "seed");
            killARankOf(hxb);
        }
    }

    /** What a process has of applications: sockets, and memory that they lend. */
    private static List<String> holdings(final long pid) {
        final Path process = Path.of("/proc", Long.toString(pid));
        try (Stream<Path> descriptors = Files.list(process.resolve("fd"));
                Stream<String> mappings = Files.lines(process.resolve("maps"))) {
            return List.of(
                    descriptors.count() + " descriptors",
                    mappings.filter(line -> line.contains("memfd:")).count() + " regions");
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isRank(final ProcessHandle process) {
        return process.info().command().filter(check.toString()::equals).isPresent();
    }

    private static void awaitOutput(final HxbProcess hxb, final String text) {
        TestNamespaces.await(
                () -> text + " in: " + hxb.output() + hxb.errors(),
                () -> hxb.output().contains(text) || !hxb.process().isAlive());
        assertTrue(hxb.output().contains(text), () -> hxb.output() + hxb.errors());
    }

    @Test
    void shouldEndItsRanksAndRemoveTheLabOnSigterm() throws Exception {
        try (HxbProcess hxb =
                mpirun(
                        "--lab",
                        "2",
                        "--links",
                        "1",
                        "--name",
                        lab,
                        "-np",
                        "2",
                        check.toString(),
                        "--seconds",
                        "60")) {
            awaitOutput(hxb, "seed");
            final List<ProcessHandle> ranks =
                    hxb.process().descendants().filter(process -> isRank(process)).toList();
            assertEquals(2, ranks.size());
            hxb.process().destroy();
            assertEquals(143, hxb.status(), () -> hxb.output() + hxb.errors());
            for (final ProcessHandle rank : ranks) {
                rank.onExit().get(60, TimeUnit.SECONDS);
            }
        }
        assertNothingLeft();
    }

    @Tag("outside")
    @Test
    void shouldNotStopWhenALinkDies() throws Exception {
        checkWhileLinksDie();
    }

    @Tag("outside")
    @Test
    void shouldNotStopTheNodesOperationsWhenALinkDies() throws Exception {
        checkWhileLinksDie("--collectives");
    }

    @Test
    void shouldHaveTheNodesCarryOutOperations() throws Exception {
        haveTheNodesCarryOutOperations("2", 3, 1);
    }

    @Tag("outside")
    @Test
    void shouldHaveNodesBehindRelaysCarryOutOperations() throws Exception {
        haveTheNodesCarryOutOperations("2x2", 6, 2);
    }

    /** In a lab of nodes of which some have one rank and others two. */
    private void haveTheNodesCarryOutOperations(
            final String shape, final int ranks, final int rounds) throws Exception {
        try (HxbProcess hxb =
                mpirun(
                        "--lab",
                        shape,
                        "--links",
                        "2",
                        "--name",
                        lab,
                        "--collectives",
                        "-np",
                        Integer.toString(ranks),
                        "-x",
                        "HXB_COLLECTIVES=report",
                        check.toString(),
                        "--strict",
                        "--rounds",
                        Integer.toString(rounds),
                        "--seed",
                        "20261125")) {
            assertEquals(ExitStatus.OK, hxb.status(), () -> hxb.output() + hxb.errors());
            assertTrue(hxb.output().contains("ok 20261125 checks="), hxb::output);
            assertTrue(
                    Pattern.compile("rank 0 had \\d{2,} operations carried out by the nodes")
                            .matcher(hxb.errors())
                            .find(),
                    hxb::errors);
        }
        assertNothingLeft();
    }

    private void checkWhileLinksDie(final String... options) throws Exception {
        assumeTrue(Privileges.canMakeNamespaces(), "skipped: network namespaces need root");
        final List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "--lab", "2x2", "--links", "2", "--rate", "500mbit", "--name",
                                lab));
        arguments.addAll(List.of(options));
        arguments.addAll(List.of("-np", "4", check.toString(), "--strict", "--rounds", "6"));
        arguments.addAll(List.of("--verbose", "--seed", "7411"));
        try (HxbProcess hxb = mpirun(arguments.toArray(String[]::new))) {
            awaitOutput(hxb, "seed");
            final String ofNode = LabNames.namespace(lab, 1);
            int round = 0;
            for (final String nic : List.of("x0", "y1", "x1")) {
                awaitOutput(hxb, "round " + round++ + " flood");
                TestNamespaces.ipIn(ofNode, "link set " + nic + " down");
                awaitOutput(hxb, "round " + round++ + " flood");
                TestNamespaces.ipIn(ofNode, "link set " + nic + " up");
            }
            assertEquals(ExitStatus.OK, hxb.status(), () -> hxb.output() + hxb.errors());
            assertTrue(hxb.output().contains("ok 7411 checks="), hxb::output);
        }
        assertNothingLeft();
    }

    @Test
    void shouldReportWhatIsWrongBeforeAnythingRuns() {
        assertRefused(ExitStatus.USAGE, "no program is named", "-np", "4");
        assertRefused(
                ExitStatus.USAGE, "give --lab before", "-np", "4", "--lab", "2x2", "hostname");
        assertRefused(ExitStatus.USAGE, "--links: needs --lab", "--links", "2", "hostname");
        assertRefused(ExitStatus.USAGE, "a shape is written like", "--lab", "2x", "hostname");
        assertRefused(
                ExitStatus.USAGE, "on this machine alone", "--lab", "2", "-H", "a,b", "hostname");
        assertRefused(ExitStatus.FAILED, "there is no lab 'none'", "--name", "none", "hostname");
        assertRefused(
                ExitStatus.FAILED,
                "install Open MPI",
                "--lab",
                "2",
                "--mpirun",
                "none",
                "hostname");
        assertRefused(
                ExitStatus.FAILED,
                "is not that of Open MPI or MPICH",
                "--lab",
                "2",
                "--mpirun",
                "/bin/true",
                "hostname");
    }

    private static void assertRefused(
            final int status, final String text, final String... arguments) {
        final List<String> command = new ArrayList<>(List.of("mpirun"));
        command.addAll(List.of(arguments));
        final HxbOutput hxb = HxbOutput.of(command.toArray(String[]::new));
        assertEquals(status, hxb.status(), hxb::errors);
        assertTrue(hxb.errors().contains(text), hxb::errors);
        assertEquals("", hxb.text());
    }

    @Test
    void shouldPrintWhatItWouldRun() throws Exception {
        try (HxbProcess hxb =
                mpirun("--dry-run", "--lab", "2x2", "--name", lab, "-np", "3", "./a", "b c")) {
            assertEquals(ExitStatus.OK, hxb.status(), hxb::errors);
            assertTrue(hxb.output().contains("OMPI_MCA_pml=cm"), hxb::output);
            assertTrue(hxb.output().contains(" -np 3 ./a 'b c'"), hxb::output);
            assertTrue(hxb.output().contains(lab + "-{node}.sock"), hxb::output);
        }
        assertNothingLeft();
    }

    @Test
    void shouldPrintWhatRanksOfOtherStartersNeed() throws Exception {
        try (HxbProcess hxb = mpirun("--environment")) {
            assertEquals(ExitStatus.OK, hxb.status(), hxb::errors);
            assertTrue(hxb.output().contains("export FI_PROVIDER=hxb\n"), hxb::output);
            assertTrue(hxb.output().lines().allMatch(line -> line.startsWith("export ")));
        }
        assertRefused(ExitStatus.USAGE, "takes no program", "--environment", "-np", "2", "./a");
        assertRefused(ExitStatus.USAGE, "--name", "--environment", "--lab", "2");
    }
}
