package io.hxb.bench.programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.tool.machine.Privileges;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A program of others, in short: it sees no more of faults than a pause. */
@Tag("system")
class IpProgramsSystemTest {
    @Tag("outside")
    @Test
    void shouldServePagesWhileALinkIsPulledAndARelayIsKilled() {
        assumeTrue(Privileges.canMakeNamespaces(), "skipped: making network namespaces needs root");
        assumeTrue(Files.exists(Path.of("/dev/net/tun")), "skipped: there is no /dev/net/tun");
        final List<String> missing =
                IpPrograms.missing(new WebPages().commands(), System.getenv("PATH"));
        assumeTrue(missing.isEmpty(), () -> "skipped: not installed: " + missing);
        // A page that is not whole, or no lost frame on the pulled link, would end it with 1.
        assertEquals(
                0,
                IpPrograms.execute(
                        "--shape",
                        "2x2",
                        "--seconds",
                        "5",
                        "--only",
                        "curl",
                        "--max-pause",
                        "5000",
                        "--no-results"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--only gopher", "--seconds -1", "--seconds NaN", "--max-pause -3"})
    void shouldRefuseWhatCannotBe(final String options) {
        final int status = IpPrograms.execute((options + " --no-results").split(" ", -1));
        assertEquals(2, status);
    }
}
