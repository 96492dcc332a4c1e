package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.arch.Modules;
import io.hxb.tool.machine.Shell;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What deploy/package packs, and its launcher; deploy/test-package tries the packages. */
@Tag("unit")
class PackageTest {
    private static final Path ROOT = Path.of(System.getProperty("hxb.root")).toAbsolutePath();

    /** Files of deploy that build packages or run a source tree. */
    private static final List<String> NOT_PACKED =
            List.of("deploy/hxb", "deploy/jdk.sh", "deploy/package", "deploy/test-package");

    /** Files that deploy/package reads. */
    private static final List<String> RECIPES =
            List.of("deploy/packaged/files", "deploy/packaged/modules", "deploy/packaged/unit.sed");

    @TempDir private Path folder;

    /** Lines of a file without comments. */
    private static List<String> lines(final String file) throws IOException {
        return Files.readAllLines(ROOT.resolve(file)).stream()
                .filter(line -> !line.startsWith("#"))
                .toList();
    }

    @Test
    void shouldLinkExactlyTheModulesThatAreUsed() throws IOException {
        // given: everything that the class path of the tool reaches
        final StringWriter output = new StringWriter();
        final String classes = Modules.RUN.getLast() + "/target/classes";
        // when
        final int status =
                ToolProvider.findFirst("jdeps")
                        .orElseThrow()
                        .run(
                                new PrintWriter(output),
                                new PrintWriter(output),
                                "--multi-release",
                                "25",
                                "--ignore-missing-deps",
                                "-R",
                                "--print-module-deps",
                                "-cp",
                                classPath(),
                                ROOT.resolve(classes).toString());
        // then
        assertEquals(0, status, output::toString);
        assertEquals(String.join(",", lines("deploy/packaged/modules")), output.toString().strip());
    }

    /** Without what comes with a test suite of Netty, to which Netty's other classes refer. */
    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(jar -> !jar.contains("/netty-pkitesting/"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    @Test
    void shouldPackEveryFileOfDeployThatUsersNeed() throws IOException {
        // given
        final TreeSet<String> known = new TreeSet<>(NOT_PACKED);
        known.addAll(RECIPES);
        for (final String line : lines("deploy/packaged/files")) {
            final String[] words = line.split(" +", -1);
            assertEquals(2, words.length, line);
            assertTrue(Files.exists(ROOT.resolve(words[0])), () -> "there is no " + words[0]);
            assertFalse(words[1].startsWith("/"), line);
            known.add(words[0]);
        }
        // when
        try (Stream<Path> files = Files.walk(ROOT.resolve("deploy"))) {
            final List<String> forgotten =
                    files.filter(Files::isRegularFile)
                            .map(file -> ROOT.relativize(file).toString())
                            .filter(file -> !file.startsWith("deploy/debian/"))
                            .filter(file -> !known.contains(file))
                            .toList();
            // then
            assertEquals(List.of(), forgotten, "name it in deploy/packaged/files, or here");
        }
    }

    @Test
    void shouldMakeTheUnitsOfPackagesFromTheOneOfTheTree() {
        final String debian = unit("deploy/debian/unit.sed");
        assertTrue(
                debian.contains("\nExecStart=/usr/bin/hxb node --config /etc/hxb/cluster.yaml\n"),
                debian);
        assertFalse(debian.contains("/opt/hxb"), debian);
        assertFalse(debian.contains("deploy/"), debian);
        final String archive = unit("deploy/packaged/unit.sed");
        assertTrue(archive.contains("\nExecStart=/opt/hxb/bin/hxb node "), archive);
        assertFalse(archive.contains("built"), archive);
    }

    private static String unit(final String script) {
        final Shell.Outcome outcome =
                Shell.run(
                        "",
                        List.of(
                                "sed",
                                "-f",
                                ROOT.resolve(script).toString(),
                                ROOT.resolve("deploy/hxb-node.service").toString()));
        assertEquals(0, outcome.exitStatus(), outcome::output);
        return outcome.output();
    }

    /** A package whose Java writes down what it is given, and refuses -Xmxfoo. */
    private Path unpacked() throws IOException {
        final Path top = Files.createDirectory(folder.resolve("hxb"));
        for (final String name : List.of("bin", "deploy", ".mvn", "program", "runtime/bin")) {
            Files.createDirectories(top.resolve(name));
        }
        Files.copy(ROOT.resolve("deploy/packaged/hxb"), top.resolve("bin/hxb"));
        Files.copy(ROOT.resolve("deploy/start.sh"), top.resolve("deploy/start.sh"));
        Files.writeString(top.resolve("program/stamp"), "ab12\n");
        final Path java =
                Files.writeString(
                        top.resolve("runtime/bin/java"),
                        """
                        #!/bin/bash
                        if [[ "$*" == *-Xmxfoo* ]]; then
                          echo 'Invalid maximum heap size: -Xmxfoo'
                          exit 1
                        fi
                        echo "java $*"
                        """);
        for (final Path file : List.of(java, top.resolve("bin/hxb"))) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        return top;
    }

    private static Shell.Outcome hxb(
            final Path top, final Map<String, String> environment, final String... arguments) {
        final List<String> command = new ArrayList<>(List.of("env", "-u", "HXB_JAVA_OPTIONS"));
        environment.forEach((name, value) -> command.add(name + "=" + value));
        command.add(top.resolve("bin/hxb").toString());
        command.addAll(Arrays.asList(arguments));
        return Shell.run("", command);
    }

    @Test
    void shouldRefuseWrongOptionsOfJavaAsTheLauncherOfTheTreeDoes() throws IOException {
        final Path top = unpacked();
        // when
        final Shell.Outcome wrong =
                hxb(top, Map.of("HXB_JAVA_OPTIONS", "-Da=b -Xmxfoo"), "stat", "--json");
        final Shell.Outcome valid = hxb(top, Map.of("HXB_JAVA_OPTIONS", "-Xmx1g"), "stat");
        // then
        assertEquals(1, wrong.exitStatus(), wrong::output);
        assertTrue(
                wrong.output()
                        .contains(
                                "hxb: Java does not start with HXB_JAVA_OPTIONS='-Da=b -Xmxfoo':"
                                        + " Invalid maximum heap size: -Xmxfoo; correct it"),
                wrong::output);
        assertTrue(wrong.output().contains("{\"ok\":false,\"error\":"), wrong::output);
        assertEquals(0, valid.exitStatus(), valid::output);
        assertTrue(valid.output().contains(" -Xmx1g "), valid::output);
    }

    @Test
    void shouldUseTheCacheOfThisVersionOnly() throws IOException {
        // given
        final Path top = unpacked();
        Files.writeString(top.resolve("program/hxb-cd34.aot"), "of another version");
        assertFalse(hxb(top, Map.of(), "stat").output().contains("AOTCache"));
        // when
        final Path cache = Files.writeString(top.resolve("program/hxb-ab12.aot"), "of this one");
        // then
        final String output = hxb(top, Map.of(), "stat").output();
        assertTrue(output.contains("-XX:AOTCache=" + cache), output);
        assertFalse(hxb(top, Map.of("HXB_AOT", "off"), "stat").output().contains("AOTCache"));
    }

    @Test
    void shouldReportAnIncompletePackageAndOneThatOthersMayChange() throws IOException {
        // given
        final Path top = unpacked();
        Files.setPosixFilePermissions(
                top.resolve("program"), PosixFilePermissions.fromString("rwxrwxrwx"));
        // when
        final Shell.Outcome open = hxb(top, Map.of(), "stat");
        Files.delete(top.resolve("program/stamp"));
        final Shell.Outcome incomplete = hxb(top, Map.of(), "stat");
        // then
        assertEquals(1, open.exitStatus(), open::output);
        assertTrue(open.output().contains("chmod o-w " + top + "/program"), open::output);
        assertEquals(1, incomplete.exitStatus(), incomplete::output);
        assertTrue(incomplete.output().contains(top + " is not complete"), incomplete::output);
    }
}
