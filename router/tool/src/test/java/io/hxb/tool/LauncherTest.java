package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.arch.Modules;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.report.Json;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The launcher, on a tree of its own in which Maven and the JDK only write down what they do. */
@Tag("system")
class LauncherTest {
    private static final Path ROOT = Path.of(System.getProperty("hxb.root"));
    private static final long LIMIT_S = 60;

    /** Those of deploy/hxb. */
    private static final List<String> MODULES = Modules.RUN;

    @TempDir private Path folder;

    private Path tree;
    private Path jdk;

    /** How a run of the launcher ended. */
    private record Run(int status, String output, String errors) {}

    @BeforeEach
    void makesATree() throws Exception {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        tree = Files.createDirectory(folder.resolve("tree"));
        run(List.of("cp", "-r", ROOT.resolve("deploy").toString(), tree.toString()), Map.of());
        Files.createDirectory(tree.resolve(".mvn"));
        Files.writeString(tree.resolve(".mvn/jvm.config"), "");
        Files.writeString(tree.resolve("pom.xml"), "<project/>");
        Files.createDirectories(tree.resolve("router"));
        Files.writeString(tree.resolve("router/pom.xml"), "<project/>");
        for (final String module : MODULES) {
            Files.createDirectories(tree.resolve(module + "/src/main"));
            Files.writeString(tree.resolve(module + "/pom.xml"), "<project/>");
            Files.writeString(tree.resolve(module + "/src/main/A.java"), "class A {}");
        }
        jdk = jdk("jdk-25", "25.0.9");
        script(
                folder.resolve("bin/mvn"),
                """
                echo "$MAVEN_OPTS $*" >>"%1$s/mvn.log"
                if [[ " $* " == *' -o '* ]] && [ -e "%1$s/fails-offline" ]; then
                  cat "%1$s/fails-offline" >&2
                  exit 1
                fi
                for module in pm-api router/fabric router/node router/manager router/tool; do
                  name=${module##*/}
                  mkdir -p $module/target
                  echo jar >$module/target/$name-0.1.0.jar
                  echo other >$module/target/$name-0.1.0-sources.jar
                  echo other >$module/target/$name-0.1.0-javadoc.jar
                  echo other >$module/target/$name-0.1.0-tests.jar
                  printf %%s "%1$s/lib.jar" >$module/target/classpath
                done
                """
                        .formatted(folder));
        Files.writeString(folder.resolve("lib.jar"), "jar");
    }

    private Path jdk(final String name, final String version) throws IOException {
        final Path home = Files.createDirectories(folder.resolve(name));
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
        script(home.resolve("bin/java"), "echo \"java $*\"\n");
        script(home.resolve("bin/javac"), "");
        return home;
    }

    private static void script(final Path file, final String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/bash\n" + text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Run hxb(final Path root, final String... arguments) throws Exception {
        return hxb(root, List.of(), Map.of("HXB_JAVA_HOME", jdk.toString()), arguments);
    }

    private Run hxb(
            final Path root,
            final List<String> prefix,
            final Map<String, String> environment,
            final String... arguments)
            throws Exception {
        final List<String> command = new ArrayList<>(prefix);
        command.add(root.resolve("deploy/hxb").toString());
        command.addAll(List.of(arguments));
        return run(command, environment);
    }

    private Run run(final List<String> command, final Map<String, String> environment)
            throws Exception {
        final Path output = Files.createTempFile(folder, "out", ".txt");
        final Path errors = Files.createTempFile(folder, "err", ".txt");
        final ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectOutput(output.toFile())
                        .redirectError(errors.toFile());
        builder.environment()
                .keySet()
                .removeAll(List.of("HXB_JAVA_HOME", "JAVA_HOME", "HXB_OFFLINE", "MAVEN_OPTS"));
        builder.environment().merge("PATH", folder + "/bin", (path, own) -> own + ":" + path);
        // Training starts the launcher twice more, and nothing is trained here.
        builder.environment().put("HXB_AOT", "off");
        builder.environment().putAll(environment);
        final Process process = builder.start();
        if (!process.waitFor(LIMIT_S, TimeUnit.SECONDS)) {
            process.destroyForcibly().onExit().join();
        }
        return new Run(process.waitFor(), Files.readString(output), Files.readString(errors));
    }

    private List<String> builds() throws IOException {
        final Path log = folder.resolve("mvn.log");
        return Files.exists(log) ? Files.readAllLines(log) : List.of();
    }

    @Test
    void shouldBuildOnceAndRun() throws Exception {
        // when
        final Map<String, String> trains = Map.of("HXB_JAVA_HOME", jdk.toString(), "HXB_AOT", "on");
        final Run first = hxb(tree, List.of(), trains, "lab", "status");
        final Run second = hxb(tree, List.of(), trains, "lab", "status");

        // then
        assertEquals(0, first.status, first.errors);
        assertTrue(first.errors.contains("built in"), first.errors);
        assertTrue(first.errors.contains("training for fast starts"), first.errors);
        assertTrue(first.output.contains("io.hxb.tool.Hxb lab status"), first.output);
        assertEquals("", second.errors);
        assertEquals(1, builds().size());
    }

    @Test
    void shouldNeverUseTheAheadOfTimeCacheOfAnotherBuild() throws Exception {
        // given: a build with its cache
        assertEquals(0, hxb(tree, "stat").status);
        final Path first = tree.resolve("target/hxb/program").toRealPath();
        Files.writeString(first.resolve("hxb.aot"), "cache");
        final Run trained = hxb(tree, "stat");
        assertTrue(
                trained.output().contains("-XX:AOTCache=" + first.resolve("hxb.aot")),
                trained.output());
        // when: sources change
        changeSources("class A { int other; }");
        final Run changed = hxb(tree, "stat");
        // then: the new build has a folder of its own, without a cache yet
        assertEquals(0, changed.status, changed.errors);
        assertFalse(changed.output().contains("AOTCache"), changed.output());
        final Path second = tree.resolve("target/hxb/program").toRealPath();
        assertNotEquals(first, second);
        assertFalse(Files.exists(first), "what nobody runs is gone, with its cache");
    }

    @Test
    void shouldPutIntoWordsWhatTheJvmSaysOfWrongOptions() throws Exception {
        // given: as HotSpot 25 words it
        script(
                jdk.resolve("bin/java"),
                """
                case "$*" in
                  *-Xmxfoo*) echo 'Invalid maximum heap size: -Xmxfoo' ;;
                  *-Xmx9t*)
                    echo 'Error occurred during initialization of VM'
                    echo 'Could not reserve enough space for 9663676416KB object heap' ;;
                  *) echo "java $*"; exit 0 ;;
                esac
                echo 'Error: Could not create the Java Virtual Machine.'
                echo 'Error: A fatal exception has occurred. Program will exit.'
                exit 1
                """);
        final Map<String, String> wrong =
                Map.of(
                        "-Xmxfoo",
                        "Invalid maximum heap size: -Xmxfoo;",
                        "-Da=b -Xmx9t",
                        "Could not reserve enough space for 9663676416KB object heap;");
        for (final Map.Entry<String, String> each : wrong.entrySet()) {
            // when
            final Run run = hxb(tree, List.of(), withOptions(each.getKey()), "stat", "--json");
            // then
            assertEquals(1, run.status);
            final String last = run.errors.lines().toList().getLast();
            assertTrue(
                    last.startsWith("hxb: Java does not start with HXB_JAVA_OPTIONS="), run.errors);
            assertTrue(last.contains(each.getValue()), run.errors);
            assertEquals(false, Json.parse(run.output, Map.class, run.output).get("ok"));
        }
        // and: right ones, and what is not to be tried
        final Run right =
                hxb(tree, List.of(), withOptions("-Xmx1g -agentlib:jdwp=suspend=y"), "stat");
        assertEquals(0, right.status, right.errors);
        assertTrue(right.output.contains("-Xmx1g -agentlib:jdwp"), right.output);
    }

    private Map<String, String> withOptions(final String options) {
        return Map.of("HXB_JAVA_HOME", jdk.toString(), "HXB_JAVA_OPTIONS", options);
    }

    @Test
    void shouldSayThatProcIsMissing() throws Exception {
        assumeTrue(Privileges.isRoot(), "skipped: a mount namespace needs root");
        // given: as in a chroot
        final List<String> without =
                List.of(
                        "unshare",
                        "--mount",
                        "bash",
                        "-c",
                        "umount -l /proc && exec \"$@\"",
                        "bash");
        // when
        final Run run = hxb(tree, without, javaHome(), "stat", "--json");
        // then
        assertEquals(1, run.status, run.errors);
        assertTrue(run.errors.startsWith("hxb: /proc is not mounted here"), run.errors);
        assertTrue(run.errors.contains("mount -t proc proc /proc"), run.errors);
        assertEquals(false, Json.parse(run.output, Map.class, run.output).get("ok"));
    }

    @Test
    void shouldUnpackNativeLibrariesBesideTheProgram() throws Exception {
        // given: a jar as Netty's, which this JDK unpacks
        final Path jar = folder.resolve("netty-transport-native-epoll-1-linux-x.jar");
        Files.createDirectories(folder.resolve("META-INF/native"));
        Files.writeString(folder.resolve("META-INF/native/libepoll.so"), "code");
        final String tool = Path.of(System.getProperty("java.home"), "bin/jar").toString();
        run(List.of(tool, "cf", jar.toString(), "-C", folder.toString(), "META-INF"), Map.of());
        script(jdk.resolve("bin/jar"), "exec " + tool + " \"$@\"\n");
        final Path maven = folder.resolve("bin/mvn");
        Files.writeString(
                maven, Files.readString(maven).replace("lib.jar", jar.getFileName() + ""));
        // when
        final Run run = hxb(tree, "stat");
        // then
        final Path beside = tree.resolve("target/hxb/native");
        assertEquals("code", Files.readString(beside.resolve("libepoll.so")), run.errors());
        final Path unpacked = beside.toRealPath();
        assertTrue(run.output().contains("-Djava.library.path=" + unpacked), run.output());
    }

    private List<Path> programs() throws IOException {
        try (Stream<Path> files = Files.list(tree.resolve("target/hxb"))) {
            return files.filter(file -> file.getFileName().toString().startsWith("program."))
                    .sorted()
                    .toList();
        }
    }

    private void changeSources(final String text) throws IOException {
        Files.writeString(tree.resolve("router/node/src/main/A.java"), text);
    }

    @Test
    void shouldLeaveARunningProgramItsFilesWhateverIsBuiltMeanwhile() throws Exception {
        // given a node that runs
        final Path began = folder.resolve("began");
        final Path mayEnd = folder.resolve("may-end");
        run(List.of("mkfifo", began.toString(), mayEnd.toString()), Map.of());
        script(
                jdk.resolve("bin/java"),
                "if [[ \"$*\" == *' node'* ]]; then echo now >%s; read -r line <%s; fi\n"
                        .formatted(began, mayEnd));
        final ProcessBuilder builder =
                new ProcessBuilder(tree.resolve("deploy/hxb").toString(), "node")
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("node.txt").toFile());
        builder.environment().put("HXB_JAVA_HOME", jdk.toString());
        builder.environment().merge("PATH", folder + "/bin", (path, own) -> own + ":" + path);
        final Process node = builder.start();
        try {
            final Run wait = run(List.of("timeout", "60", "cat", began.toString()), Map.of());
            assertEquals(0, wait.status, "the node did not begin");
            final Path program = tree.resolve("target/hxb/program").toRealPath();
            final var jar = Files.readAttributes(program.resolve("node.jar"), "unix:ino,ctime");
            // when two more builds replace its own
            changeSources("class A { int one; }");
            assertEquals(0, hxb(tree, "stat").status);
            changeSources("class A { int two; }");
            assertEquals(0, hxb(tree, "stat").status);
            // then it has what it had, and what nobody runs is gone
            assertEquals(jar, Files.readAttributes(program.resolve("node.jar"), "unix:ino,ctime"));
            assertTrue(Files.exists(program.resolve("lib/lib.jar")));
            assertEquals(2, programs().size(), programs()::toString);
        } finally {
            Files.writeString(mayEnd, "now\n");
            node.waitFor(LIMIT_S, TimeUnit.SECONDS);
        }
        // and when it has ended, the next build removes it
        changeSources("class A { int three; }");
        assertEquals(0, hxb(tree, "stat").status);
        assertEquals(List.of(tree.resolve("target/hxb/program").toRealPath()), programs());
    }

    @Test
    void shouldReplaceTheFilesOfAnEarlierVersion() throws Exception {
        // given
        Files.createDirectories(tree.resolve("target/hxb/lib"));
        Files.writeString(tree.resolve("target/hxb/lib/old.jar"), "old");
        Files.writeString(tree.resolve("target/hxb/node.jar"), "old");
        // when
        assertEquals(0, hxb(tree, "stat").status);
        // then class paths that documents name lead to what was built
        assertEquals("jar\n", Files.readString(tree.resolve("target/hxb/node.jar")));
        assertFalse(Files.exists(tree.resolve("target/hxb/lib/old.jar")));
        assertTrue(Files.exists(tree.resolve("target/hxb/lib/lib.jar")));
    }

    @Test
    void shouldRunBelowAFolderWhoseNameIsNotAscii() throws Exception {
        // given
        script(jdk.resolve("bin/java"), "echo \"locale $LC_ALL\"\n");
        final Path moved = folder.resolve("stra\u00dfe");
        // when
        final String plain = hxb(tree, List.of("env", "LC_ALL=C"), javaHome(), "stat").output();
        run(List.of("mv", tree.toString(), moved.toString()), Map.of());
        final String other = hxb(moved, List.of("env", "LC_ALL=C"), javaHome(), "stat").output();
        // then
        assertTrue(plain.contains("locale C\n"), plain);
        assertTrue(other.contains("locale C.UTF-8"), other);
    }

    private Map<String, String> javaHome() {
        return Map.of("HXB_JAVA_HOME", jdk.toString());
    }

    @Test
    void shouldKeepMavenFromColouringItsOutput() throws Exception {
        hxb(tree, "lab", "status");
        assertTrue(builds().getFirst().contains("-Dstyle.color=never"), builds()::toString);
        assertTrue(builds().getFirst().contains("-Djansi.noreset=true"), builds()::toString);
    }

    @Test
    void shouldNotBuildACopyOfABuiltTreeAgain() throws Exception {
        // given
        hxb(tree, "lab", "status");
        final Path copy = folder.resolve("copy");
        run(List.of("cp", "-r", tree.toString(), copy.toString()), Map.of());
        // whatever order the files were copied in
        run(
                List.of(
                        "find",
                        copy + "/router/node/src",
                        "-exec",
                        "touch",
                        "-d",
                        "tomorrow",
                        "{}",
                        ";"),
                Map.of());

        // when
        final Run run = hxb(copy, "lab", "status");

        // then
        assertEquals(0, run.status, run.errors);
        assertEquals("", run.errors);
        assertEquals(1, builds().size());
    }

    @Test
    void shouldBuildAgainWhenASourceHasAnotherContentThoughItIsOlder() throws Exception {
        // given
        hxb(tree, "lab", "status");
        final Path source = tree.resolve("router/node/src/main/A.java");
        Files.writeString(source, "class A { }");
        run(List.of("touch", "-d", "2001-01-01", source.toString()), Map.of());

        // when
        hxb(tree, "lab", "status");

        // then
        assertEquals(2, builds().size());
    }

    @Test
    void shouldRefuseAJdkOfTheWrongVersionThatWasNamed() throws Exception {
        // given
        final Path old = jdk("jdk-17", "17.0.15");

        // when
        final Run run = hxb(tree, List.of(), Map.of("HXB_JAVA_HOME", old.toString()), "stat");
        final Run none = hxb(tree, List.of(), Map.of("HXB_JAVA_HOME", "/nosuch"), "stat", "--json");

        // then
        assertEquals(1, run.status);
        assertTrue(run.errors.contains(old + ", which is Java 17.0.15"), run.errors);
        assertEquals(1, none.status);
        assertTrue(none.errors.contains("/nosuch, which has no bin/java"), none.errors);
        assertEquals(false, Json.parse(none.output, Map.class, none.output).get("ok"));
        assertEquals(List.of(), builds());
    }

    @Test
    void shouldReportWhereAJdkComesFrom() throws Exception {
        // given a machine without any: the usual places are looked at in a copy of the script
        final Path script = tree.resolve("deploy/jdk.sh");
        Files.writeString(
                script, Files.readString(script).replace("/usr/lib/jvm/", folder + "/none/"));
        final Map<String, String> environment =
                Map.of("HOME", folder.toString(), "PATH", folder + "/bin:" + withoutJava());

        // when
        final Run run = hxb(tree, List.of(), environment, "stat");

        // then
        assertEquals(1, run.status, run.output);
        assertTrue(run.errors.contains("no JDK 25 found"), run.errors);
        assertTrue(run.errors.contains("openjdk-25-jdk-headless"), run.errors);
        assertTrue(run.errors.contains("HXB_JAVA_HOME"), run.errors);
    }

    /** A folder with what the script calls, and no Java. */
    private Path withoutJava() throws IOException {
        final Path bin = Files.createDirectory(folder.resolve("few"));
        for (final String name :
                List.of(
                        "bash",
                        "env",
                        "dirname",
                        "readlink",
                        "sed",
                        "id",
                        "apt-get",
                        "apt-cache",
                        "cat")) {
            for (final String place : List.of("/bin", "/usr/bin")) {
                final Path program = Path.of(place, name);
                if (Files.isExecutable(program)) {
                    script(bin.resolve(name), "exec " + program + " \"$@\"\n");
                }
            }
        }
        return bin;
    }

    @Test
    void shouldRunWithoutAHomeFolder() throws Exception {
        final Run run =
                hxb(
                        tree,
                        List.of("env", "-u", "HOME"),
                        Map.of("HXB_JAVA_HOME", jdk.toString()),
                        "stat");
        assertEquals(0, run.status, run.errors);
        final Run looking = hxb(tree, List.of("env", "-u", "HOME"), Map.of(), "stat");
        assertFalse(looking.errors.contains("unbound"), looking.errors);
    }

    @Test
    void shouldReportWhatItFetchesAndWhereTo() throws Exception {
        // given
        Files.writeString(
                folder.resolve("fails-offline"),
                "Cannot access central in offline mode and the artifact x has not been"
                        + " downloaded\n");
        final Map<String, String> environment =
                Map.of(
                        "HXB_JAVA_HOME",
                        jdk.toString(),
                        "MAVEN_OPTS",
                        "-Dmaven.repo.local=" + folder + "/repository");

        // when
        final Run run = hxb(tree, List.of(), environment, "stat");

        // then
        assertEquals(0, run.status, run.errors);
        assertTrue(run.errors.contains("missing in " + folder + "/repository"), run.errors);
        assertTrue(run.errors.contains("135 MB"), run.errors);
        assertFalse(run.errors.contains("offline mode"), run.errors);
        assertEquals(2, builds().size());
    }

    @Test
    void shouldNotTryTheNetworkForSourcesThatCannotBeCompiled() throws Exception {
        Files.writeString(folder.resolve("fails-offline"), "A.java:1: error: ';' expected\n");
        final Run run = hxb(tree, "stat", "--json");
        assertEquals(1, run.status);
        assertTrue(run.errors.contains("';' expected"), run.errors);
        assertEquals(1, builds().size());
        assertEquals(false, Json.parse(run.output, Map.class, run.output).get("ok"));
    }

    @Test
    void shouldLetOtherUsersRunEveryCommandOfABuiltTree() throws Exception {
        assumeTrue(Privileges.isRoot(), "skipped: becoming another user needs root");
        // given a builder who keeps his files private
        final Run built =
                hxb(
                        tree,
                        List.of("bash", "-c", "umask 077; exec \"$@\"", "bash"),
                        Map.of("HXB_JAVA_HOME", jdk.toString()),
                        "--version");
        assertEquals(0, built.status, built.errors);
        final int builds = builds().size();
        final List<String> nobody =
                List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");

        // when, then
        for (final String command : List.of("sim", "chaos", "node", "stat", "demo")) {
            final Run run =
                    hxb(tree, nobody, Map.of("HXB_JAVA_HOME", jdk.toString()), command, "--help");
            assertEquals(0, run.status, run.errors);
            assertTrue(run.output.contains("Hxb " + command + " --help"), run.output);
        }
        assertEquals(builds, builds().size());
    }

    @Test
    void shouldReportToAUserWhoMayNotBuildWhatTheOwnerHasToDo() throws Exception {
        assumeTrue(Privileges.isRoot(), "skipped: becoming another user needs root");
        final Run run =
                hxb(
                        tree,
                        List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"),
                        Map.of("HXB_JAVA_HOME", jdk.toString()),
                        "sim",
                        "--help");
        assertEquals(1, run.status);
        assertTrue(run.errors.contains("/deploy/hxb --version' once as the owner"), run.errors);
    }

    @Test
    void shouldNotOpenALinkInPlaceOfItsLock() throws Exception {
        // given a link of somebody who could write here once
        final Path secret = Files.writeString(folder.resolve("secret"), "text");
        Files.createDirectories(tree.resolve("target"));
        Files.createSymbolicLink(tree.resolve("target/hxb.lock"), secret);

        // when
        final Run run = hxb(tree, "lab", "status");

        // then
        assertEquals(0, run.status, run.errors);
        assertEquals("text", Files.readString(secret));
    }

    @Test
    void shouldNotRunWhatOthersMayExchange() throws Exception {
        Files.createDirectories(tree.resolve("target"));
        Files.setPosixFilePermissions(
                tree.resolve("target"), PosixFilePermissions.fromString("rwxrwxrwx"));
        final Run run = hxb(tree, "lab", "status");
        assertEquals(1, run.status, run.errors);
        assertTrue(run.errors.contains("chmod o-w " + tree + "/target"), run.errors);
    }
}
