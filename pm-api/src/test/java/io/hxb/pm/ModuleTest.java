package io.hxb.pm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.agrona.DirectBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** What an application on the module path gets of this module, with only Agrona beside it. */
@Tag("system")
class ModuleTest {
    private static final Path ROOT = Path.of(System.getProperty("hxb.root"));
    private static final Path EXAMPLE =
            ROOT.resolve("examples/src/main/java/io/hxb/example/Hello.java");
    private static final List<String> INTERNAL =
            List.of(
                    "io.hxb.linux.Memory",
                    "io.hxb.pm.attach.Attachment",
                    "io.hxb.pm.idle.IdlePolicy",
                    "io.hxb.pm.shm.NodePage",
                    "io.hxb.pm.stream.wire.StreamRecord");

    @TempDir private Path folder;
    private String modulePath;

    @BeforeEach
    void findsTheModules() throws URISyntaxException {
        final Path module = where(PmDevice.class);
        assumeTrue(
                !Files.isDirectory(module) || Files.exists(module.resolve("module-info.class")),
                "skipped: these classes were compiled without their descriptor");
        modulePath = module + ":" + where(DirectBuffer.class);
    }

    private static Path where(final Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    @Test
    void shouldBeEnoughForTheExampleAsAModule() throws Exception {
        // given
        final String errors = compile(Files.readString(EXAMPLE));
        // when
        final Process process = start("--enable-native-access=io.hxb.pm");
        // then it runs, and reports that there is no node
        assertEquals("", errors);
        final String line = firstLine(process);
        assertTrue(line.startsWith("no node listens on " + folder.resolve("no.sock")), line);
        assertEquals(1, process.exitValue());
    }

    @Test
    void shouldReportWhichModuleNeedsNativeAccess() throws Exception {
        // given
        assertEquals("", compile(Files.readString(EXAMPLE)));
        // when
        final Process process = start("--illegal-native-access=deny");
        // then
        final String line = firstLine(process);
        assertTrue(line.endsWith("--enable-native-access=io.hxb.pm"), line);
    }

    @Test
    void shouldHideWhatIsNotForApplications() throws Exception {
        for (final String type : INTERNAL) {
            // given
            final String packageName = type.substring(0, type.lastIndexOf('.'));
            // when
            final String errors =
                    compile(
                            "package io.hxb.example; class Hello { Object it = "
                                    + type
                                    + ".class; }");
            // then
            assertTrue(errors.contains("package " + packageName + " is not visible"), errors);
        }
    }

    /** Compiles a module of one class; the output of the compiler, empty if all is well. */
    private String compile(final String source) throws IOException {
        final Path sources = Files.createDirectories(folder.resolve("source"));
        Files.writeString(
                sources.resolve("module-info.java"), "module hello { requires io.hxb.pm; }");
        Files.writeString(sources.resolve("Hello.java"), source);
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        final StringWriter output = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            final boolean isDone =
                    compiler.getTask(
                                    output,
                                    files,
                                    null,
                                    List.of(
                                            "-Xlint:all",
                                            "-Werror",
                                            "-p",
                                            modulePath,
                                            "-d",
                                            folder.resolve("classes").toString()),
                                    null,
                                    files.getJavaFileObjects(
                                            sources.resolve("module-info.java"),
                                            sources.resolve("Hello.java")))
                            .call();
            assertEquals(isDone, output.toString().isEmpty(), output.toString());
        }
        return output.toString();
    }

    private Process start(final String option) throws IOException {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-XX:TieredStopAtLevel=1");
        command.add(option);
        command.addAll(List.of("-p", modulePath + ":" + folder.resolve("classes")));
        command.addAll(List.of("-m", "hello/io.hxb.example.Hello", "1"));
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("HXB_SOCKET", folder.resolve("no.sock").toString());
        return builder.start();
    }

    private static String firstLine(final Process process) throws Exception {
        final String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        return output.lines().findFirst().orElse("");
    }
}
