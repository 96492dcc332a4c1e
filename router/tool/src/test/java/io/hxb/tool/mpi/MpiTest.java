package io.hxb.tool.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Which MPI an mpirun belongs to, and how it is made to use HXB. */
@Tag("unit")
class MpiTest {
    private static final String HYDRA = "HYDRA build details:\n    Version:    4.0.2\n    CC: gcc";
    private static final Path SCRIPT = Path.of("/hxb/deploy/hxb-rank");

    @TempDir private Path folder;

    private Path program(final String name, final String output) throws IOException {
        final Path file = folder.resolve(name);
        Files.writeString(file, "#!/bin/sh\ncat <<'EOF'\n" + output + "\nEOF\n");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }

    private Mpi find(final Path mpirun) {
        return Mpi.find(mpirun.toString(), folder);
    }

    private static List<String> command(
            final Mpi mpi, final String words, final Optional<Path> script) {
        final MpirunWords parsed = MpirunWords.of(mpi.syntax(), List.of(words.split(" ", -1)));
        return mpi.launch(parsed, Map.of("FI_PROVIDER", "hxb"), script).command();
    }

    @Test
    void shouldKnowOpenMpi() throws Exception {
        final Mpi mpi = find(program("mpirun", "mpirun (Open MPI) 4.1.4\n\nReport bugs to"));

        assertEquals("Open MPI 4.1.4", mpi.name());
        assertFalse(mpi.isUntried());
        assertFalse(find(program("mpirun", "mpirun (Open MPI) 5.0.7")).isUntried());
        assertTrue(find(program("mpirun", "mpirun (Open MPI) 6.0.0")).isUntried());
        assertEquals(
                List.of("-np", "2", "p"),
                command(mpi, "-np 2 p", Optional.of(SCRIPT)).subList(1, 4));
    }

    /** Open MPI refuses mca_base_env_list beside -x, whether the user or HXB gives them. */
    @Test
    void shouldHandVariablesOnWithoutTakingTheUsersWays() throws Exception {
        final Mpi mpi = find(program("mpirun", "mpirun (Open MPI) 4.1.4"));
        final List<String> words = List.of("--mca", "mca_base_env_list", "A=1", "-np", "2", "p");

        final Launch launch =
                mpi.launch(
                        MpirunWords.of(mpi.syntax(), words),
                        Map.of("FI_PROVIDER", "hxb", "OMPI_MCA_pml", "cm"),
                        Optional.of(SCRIPT));

        assertEquals(words, launch.command().subList(1, 7));
        assertEquals(
                Map.of(
                        "FI_PROVIDER", "hxb",
                        "OMPI_MCA_hxb_FI_PROVIDER", "hxb",
                        "OMPI_MCA_pml", "cm",
                        "OMPI_MCA_orte_fork_agent", SCRIPT.toString()),
                launch.environment());
    }

    /** PRRTE, which starts the ranks of Open MPI 5, has no fork agent and parameters of its own. */
    @Test
    void shouldStartTheScriptInFrontOfRanksOfOpenMpi5() throws Exception {
        final Mpi mpi = find(program("mpirun", "mpirun (Open MPI) 5.0.7"));

        final Launch launch =
                mpi.launch(
                        MpirunWords.of(mpi.syntax(), List.of("-np", "2", "p")),
                        Map.of("FI_PROVIDER", "hxb"),
                        Optional.of(SCRIPT));

        assertEquals(
                Map.of(
                        "FI_PROVIDER", "hxb",
                        "OMPI_MCA_hxb_FI_PROVIDER", "hxb"),
                launch.environment());
        assertEquals(List.of("-np", "2", SCRIPT.toString(), "p"), launch.command().subList(1, 5));
        assertEquals(":oversubscribe", mpi.crowding().get("PRTE_MCA_rmaps_default_mapping_policy"));
    }

    @Test
    void shouldReportThatAForkAgentIsInTheWay() throws Exception {
        final Mpi mpi = find(program("mpirun", "mpirun (Open MPI) 4.1.4"));

        final UsageException refusal =
                assertThrows(
                        UsageException.class,
                        () ->
                                command(
                                        mpi,
                                        "--mca orte_fork_agent valgrind p",
                                        Optional.of(SCRIPT)));

        assertTrue(refusal.getMessage().contains("OMPI_MCA_orte_fork_agent"));
    }

    @ParameterizedTest
    @CsvSource({
        "4.1.4, true",
        "4.1.5, true",
        "4.0.7, true",
        "3.1.6, true",
        "4.1, true",
        "4.1.6, false",
        "4.1.8, false",
        "4.2.0, false",
        "5.0.1, false"
    })
    void shouldWarnOfVersionsThatSendWrongNumbers(final String version, final boolean isWarning)
            throws Exception {
        final Mpi mpi = find(program("mpirun", "mpirun (Open MPI) " + version));

        assertEquals(isWarning, mpi.warning().isPresent());
        assertTrue(mpi.isStartedByScript());
    }

    @Test
    void shouldKnowMpichAndStartTheScriptInFrontOfItsRanks() throws Exception {
        program("mpichversion", "MPICH Version:    4.0.2\nMPICH Device:    ch4:ofi");

        final Mpi mpi = find(program("mpirun", HYDRA));

        assertEquals("MPICH 4.0.2", mpi.name());
        // It reads FI_PROVIDER, and each rank complains of MPIR_CVAR_OFI_USE_PROVIDER.
        assertEquals(Map.of(), mpi.transport());
        assertFalse(mpi.isUntried());
        assertEquals(Optional.empty(), mpi.warning());
        assertFalse(mpi.isStartedByScript());
        assertEquals(
                List.of("-n", "1", "p", ":", "-n", "2", "q"),
                command(mpi, "-n 1 p : -n 2 q", Optional.empty()).subList(1, 8));
        assertEquals(
                List.of("-n", "1", SCRIPT.toString(), "p", "-x"),
                command(mpi, "-n 1 p -x", Optional.of(SCRIPT)).subList(1, 6));
        assertThrows(
                UsageException.class, () -> command(mpi, "-configfile f", Optional.of(SCRIPT)));
    }

    @ParameterizedTest
    @CsvSource({"4.0, false", "4.0.2, false", "4.2.3, false", "4.1.2, true", "4.21.0, true"})
    void shouldReportWhichMpichWasTried(final String version, final boolean isUntried)
            throws Exception {
        final Mpi mpi = find(program("mpirun", HYDRA.replace("4.0.2", version)));

        assertEquals(isUntried, mpi.isUntried());
    }

    @Test
    void shouldGiveRanksThatMpichSpawnsANodeOfTheLab() throws Exception {
        final Mpi mpi = find(program("mpirun", HYDRA));
        final MpirunWords words = MpirunWords.of(mpi.syntax(), List.of("-n", "1", "p"));
        final Map<String, String> lab = Map.of("HXB_RANK_SOCKETS", "/run/l-{node}.sock");

        final Launch launch = mpi.launch(words, lab, Optional.of(SCRIPT));

        assertEquals("/run/l-0.sock", launch.environment().get("HXB_SOCKET"));
    }

    @Test
    void shouldRefuseAnMpichThatWouldNotUseHxb() throws Exception {
        program("mpichversion", "MPICH Version:    4.0.2\nMPICH Device:    ch4:ucx");
        final Path mpirun = program("mpirun", HYDRA);

        final ToolException refusal = assertThrows(ToolException.class, () -> find(mpirun));

        assertTrue(refusal.getMessage().contains("its device is ch4:ucx"), refusal::getMessage);
    }

    @Test
    void shouldRefuseWhatItDoesNotKnow() throws Exception {
        final Path mpirun = program("mpirun", "Intel(R) MPI Library for Linux");

        final ToolException refusal = assertThrows(ToolException.class, () -> find(mpirun));

        assertTrue(refusal.getMessage().contains("prints: Intel(R) MPI"), refusal::getMessage);
    }
}
