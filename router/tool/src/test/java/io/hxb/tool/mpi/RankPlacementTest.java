package io.hxb.tool.mpi;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.AttachConfig;
import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.tool.mpi.RankPlacement.Order;
import io.hxb.tool.report.UsageException;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Which rank is attached to which node, as the script decides that starts in front of a rank. */
@Tag("unit")
class RankPlacementTest {
    private static final Path FOLDER = Path.of("/run/with space/labs/a");
    private static final Path ROOT = Path.of(System.getProperty("hxb.root")).toAbsolutePath();
    private static final Path SCRIPT = ROOT.resolve("deploy/hxb-rank");

    @TempDir private Path folder;

    private static String socketOf(final Map<String, String> environment) throws Exception {
        return run(ROOT, environment, "sh", "-c", "printf %s \"$HXB_SOCKET\"");
    }

    /** Has the script run a program in a folder: its exit status, and its output. */
    private static String run(
            final Path folder, final Map<String, String> environment, final String... program)
            throws Exception {
        final List<String> command = new ArrayList<>(List.of(SCRIPT.toString()));
        command.addAll(List.of(program));
        final ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).directory(folder.toFile());
        builder.environment().putAll(environment);
        final Process process = builder.start();
        final String output =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() + " " + output.strip();
    }

    private static List<Integer> all(final int nodes) {
        return IntStream.range(0, nodes).boxed().toList();
    }

    private static Map<String, String> environment(
            final int nodes, final Order order, final int rank, final int size) {
        final Map<String, String> environment =
                new HashMap<>(RankPlacement.inLab(FOLDER, "a", all(nodes), order).environment());
        environment.put("OMPI_COMM_WORLD_RANK", Integer.toString(rank));
        environment.put("OMPI_COMM_WORLD_SIZE", Integer.toString(size));
        return environment;
    }

    @ParameterizedTest
    @CsvSource({
        "NODE, 4, 0, 8, 0", "NODE, 4, 5, 8, 1", "NODE, 1, 5, 8, 0",
        "BLOCK, 4, 0, 8, 0", "BLOCK, 4, 3, 8, 1", "BLOCK, 4, 7, 8, 3",
        "BLOCK, 4, 1, 2, 1", "BLOCK, 3, 4, 5, 2"
    })
    void shouldFindTheSocketOfItsNode(
            final Order order, final int nodes, final int rank, final int size, final int node)
            throws Exception {
        final ClusterConfig config =
                ClusterConfig.of("a", Shape.of(4), Backend.UDP, LinkPlan.udp(1, 1, 20_000))
                        .withAttach(new AttachConfig(FOLDER, FOLDER, List.of(), List.of()));

        assertEquals(
                "0 " + config.ownSocketPath(node), socketOf(environment(nodes, order, rank, size)));
    }

    @ParameterizedTest
    @CsvSource({
        "NODE, 0, 5, 3",
        "NODE, 1, 5, 0",
        "NODE, 2, 5, 6",
        "NODE, 3, 5, 3",
        "BLOCK, 1, 6, 3",
        "BLOCK, 2, 6, 0",
        "BLOCK, 5, 6, 6"
    })
    void shouldDealRanksToTheNodesThatWereNamed(
            final Order order, final int rank, final int size, final int node) throws Exception {
        final Map<String, String> environment = environment(4, order, rank, size);
        environment.putAll(RankPlacement.inLab(FOLDER, "a", List.of(3, 0, 6), order).environment());

        assertEquals("0 " + FOLDER.resolve("a-" + node + ".sock"), socketOf(environment));
    }

    /** Slurm's srun sets these where it starts ranks itself; Open MPI's own go before them. */
    @ParameterizedTest
    @CsvSource({"NODE, 5, 8, 1", "NODE, 3, 4, 3", "BLOCK, 3, 8, 1", "BLOCK, 7, 8, 3"})
    void shouldFindTheSocketOfARankOfSlurm(
            final Order order, final int rank, final int size, final int node) throws Exception {
        final Map<String, String> environment = environment(4, order, rank, size);
        environment.keySet().removeIf(name -> name.startsWith("OMPI_"));
        environment.put("SLURM_PROCID", Integer.toString(rank));
        environment.put("SLURM_NTASKS", Integer.toString(size));
        environment.put("SLURM_NODEID", "0");

        assertTrue(socketOf(environment).endsWith("-" + node + ".sock"), () -> "rank " + rank);

        environment.put("OMPI_COMM_WORLD_RANK", "2");
        environment.put("OMPI_COMM_WORLD_SIZE", Integer.toString(size));
        final int other = order == Order.NODE ? 2 : 2 * 4 / size;
        assertTrue(socketOf(environment).endsWith("-" + other + ".sock"), () -> "rank 2");
    }

    private void program(final String name, final String text) throws IOException {
        final Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\necho " + text + " \"$@\"\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }

    /** Open MPI hands it the name as the user has written it. */
    @Test
    void shouldFindAProgramWithoutASlashWhereOpenMpiDoes() throws Exception {
        // given
        program("hxb program", "here");
        program("path/hxb program", "in --path");
        program("sh", "not this one");
        Files.createDirectories(folder.resolve("path/sh"));
        final Map<String, String> environment = environment(4, Order.NODE, 0, 1);
        // when, then
        assertEquals("0 here a  *", run(folder, environment, "hxb program", "a", "", "*"));
        assertEquals("0 done", run(folder, environment, "sh", "-c", "echo done"));
        environment.put("OMPI_exec_path", "path");
        assertEquals("0 in --path", run(folder, environment, "hxb program"));
        assertEquals("0 here", run(folder, environment, "./hxb program"));
        assertTrue(run(folder, environment, "hxb-none").startsWith("127 "));
    }

    @Test
    void shouldTakeVariablesThatOpenMpiHasHandedOn() throws Exception {
        final Map<String, String> environment = new HashMap<>();
        environment.put("OMPI_COMM_WORLD_RANK", "3");
        environment.put("OMPI_MCA_hxb_FI_PROVIDER_PATH", "/a folder/$HOME");
        final String script = "echo \"$FI_PROVIDER_PATH,$HXB_SOCKET\"";

        assertEquals("0 /a folder/$HOME,", run(folder, environment, "sh", "-c", script));

        RankPlacement.inLab(FOLDER, "a", all(2), Order.NODE)
                .environment()
                .forEach((name, value) -> environment.put("OMPI_MCA_hxb_" + name, value));
        assertEquals(
                "0 /a folder/$HOME," + FOLDER.resolve("a-1.sock"),
                run(folder, environment, "sh", "-c", script));
    }

    @Test
    void shouldReportWhichLibraryIsMissing() throws Exception {
        final Map<String, String> environment = environment(4, Order.NODE, 0, 1);
        final Path there = Files.createFile(folder.resolve("a.so"));
        environment.put("HXB_RANK_PRELOAD", there + ":" + folder.resolve("b.so"));

        final String output = run(folder, environment, "true");

        assertTrue(output.startsWith("1 hxb-rank: there is no library"), output);
        assertTrue(output.contains("b.so'"), output);
    }

    @Test
    void shouldReportThatNoRankIsKnown() throws Exception {
        final Map<String, String> environment = environment(4, Order.NODE, 0, 1);
        environment.put("OMPI_COMM_WORLD_RANK", "");

        final String output = socketOf(environment);

        assertTrue(output.startsWith("1 hxb-rank: no rank is set"), output);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HXB_RANK_SOCKETS=/run/a.sock",
                "HXB_RANK_NODES=0",
                "HXB_RANK_LIST=1 2",
                "HXB_RANK_BY=chance"
            })
    void shouldRefuseWhatMakesNoSense(final String assignment) throws Exception {
        final String[] parts = assignment.split("=", 2);
        final Map<String, String> environment = environment(4, Order.NODE, 0, 1);
        environment.put(parts[0], parts[1]);

        final String output = socketOf(environment);

        assertTrue(output.startsWith("1 hxb-rank: " + parts[0]), output);
        assertTrue(output.contains(parts[1]), output);
    }

    @Test
    void shouldRefuseMoreRanksThanContexts() {
        final RankPlacement placement = RankPlacement.inLab(FOLDER, "a", all(2), Order.NODE);

        assertDoesNotThrow(() -> placement.check(126, 64));
        final UsageException refused =
                assertThrows(UsageException.class, () -> placement.check(127, 64));
        assertTrue(refused.getMessage().contains("at most 126"), refused::getMessage);
    }
}
