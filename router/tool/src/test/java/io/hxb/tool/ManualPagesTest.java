package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** The manual pages in docs/man: what is made from headers is up to date, and all are valid. */
@Tag("unit")
class ManualPagesTest {
    private static final Path ROOT = Path.of(System.getProperty("hxb.root", "..")).toAbsolutePath();
    private static final Path FOLDER = ROOT.resolve("docs/man");

    private static void assertUpToDate(final String page, final Map<String, String> parts)
            throws IOException {
        final Path file = FOLDER.resolve(page);
        final String expected = HeaderManual.with(Files.readString(file), parts);
        if (Boolean.getBoolean("hxb.write")) {
            Files.writeString(file, expected);
        }
        assertEquals(
                expected,
                Files.readString(file),
                page
                        + " is older than its header; run: mvn test -pl router/tool -am"
                        + " -Dtest=ManualPagesTest -Dsurefire.failIfNoSpecifiedTests=false"
                        + " -Dhxb.write=true");
    }

    @Test
    void shouldDescribeEveryFunctionOfLibhxb() throws IOException {
        final CHeader messages = new CHeader(ROOT.resolve("pm-api/src/main/c/hxb.h"));
        final CHeader requests = new CHeader(ROOT.resolve("pm-api/src/main/c/hxb_rpc.h"));
        final Map<String, String> parts = new LinkedHashMap<>();
        parts.put("synopsis", HeaderManual.synopsis(messages));
        parts.put("synopsis of requests", HeaderManual.synopsis(requests));
        parts.put("functions", HeaderManual.functions(messages));
        parts.put("functions of requests", HeaderManual.functions(requests));
        parts.put("outcomes", HeaderManual.constants(messages, "HXB_(?!E_|WAIT|ACCESS|OP|TYPE).*"));
        parts.put("errors", HeaderManual.constants(messages, "HXB_E_.*"));

        assertUpToDate("hxb.3", parts);
        assertEquals(
                declared("pm-api/src/main/c/hxb.h", "hxb_"), HeaderManual.names(messages).size());
        assertEquals(
                declared("pm-api/src/main/c/hxb_rpc.h", "hxb_"),
                HeaderManual.names(requests).size());
    }

    @Test
    void shouldDescribeEveryFunctionOfLibvfn() throws IOException {
        final CHeader calls = new CHeader(ROOT.resolve("libvfn/vfn.h"));
        final CHeader codes = new CHeader(ROOT.resolve("libvfn/vfn_codes.h"));
        final Map<String, String> parts = new TreeMap<>();
        parts.put("synopsis", HeaderManual.synopsis(calls));
        parts.put("functions", HeaderManual.functions(calls));
        parts.put("codes", HeaderManual.constants(codes, "VFN_.*"));

        assertUpToDate("vfn.3", parts);
        assertEquals(declared("libvfn/vfn.h", "VFN_"), HeaderManual.names(calls).size());
    }

    /** Lines of a header with the declaration of a function. */
    private static long declared(final String header, final String prefix) throws IOException {
        return Files.readAllLines(ROOT.resolve(header)).stream()
                .filter(
                        line ->
                                line.matches(
                                        "(HXB_API|int|const char) .*\\b" + prefix + "\\w+\\(.*"))
                .count();
    }

    /** Both programs are those of Debian's packages man-db and groff, which .ci/run installs. */
    @ParameterizedTest
    @ValueSource(strings = {"hxb.1", "hxb.3", "vfn.3", "fi_hxb.7"})
    void shouldBeValid(final String page) throws Exception {
        final String file = FOLDER.resolve(page).toString();
        assumeTrue(has("groff"), "groff is missing (Debian: groff): pages are not checked");
        assertEquals("", errors("groff", "-ww", "-mandoc", "-Tutf8", "-z", file));
        assumeTrue(has("man"), "man is missing (Debian: man-db): pages are not shown");
        assertEquals("", errors("man", "--warnings", "-l", file));
    }

    private static boolean has(final String program) {
        return Arrays.stream(System.getenv("PATH").split(":", -1))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    private static String errors(final String... command) throws IOException, InterruptedException {
        final ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("MANWIDTH", "100");
        builder.environment().put("LC_ALL", "C.UTF-8");
        final Process process = builder.start();
        final String errors =
                new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), errors);
        return errors;
    }
}
