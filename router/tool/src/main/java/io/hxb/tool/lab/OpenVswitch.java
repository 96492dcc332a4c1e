package io.hxb.tool.lab;

import io.hxb.linux.Descriptors;
import io.hxb.linux.SocketOptions;
import io.hxb.os.ForeignDescriptors;
import io.hxb.os.PacketSocket;
import io.hxb.os.Sockets;
import io.hxb.tool.machine.Shell;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Open vSwitch with its data path in user space, in one network namespace: a database and a switch
 * process of its own, which know nothing of others on this machine. Owned by one thread.
 */
public final class OpenVswitch {
    private static final Path SWITCH = Path.of("/usr/sbin/ovs-vswitchd");
    private static final Set<String> PROGRAMS = Set.of("ovs-vswitchd", "ovsdb-server");
    private static final int SO_DOMAIN = 39;
    private static final int BUFFER_BYTES = 64 << 20;
    private static final long END_LIMIT_NS = 10_000_000_000L;
    private static final long LOOK_NS = 10_000_000;

    private final String namespace;
    private final Path folder;

    /**
     * Names the place; nothing is started.
     *
     * @param namespace that its ports are in.
     * @param folder an empty one, for its database and sockets.
     */
    public OpenVswitch(final String namespace, final Path folder) {
        this.namespace = namespace;
        this.folder = folder;
    }

    /** Whether it is installed on this machine. */
    public static boolean isInstalled() {
        return Files.isExecutable(SWITCH);
    }

    /**
     * Requires that it is installed.
     *
     * @throws ToolException if not, with the package to install.
     */
    public static void requireInstalled() {
        if (!isInstalled()) {
            throw new ToolException(
                    "there is no "
                            + SWITCH
                            + ": install Open vSwitch (Debian: apt-get install"
                            + " openvswitch-switch)");
        }
    }

    /**
     * Starts both processes, without any bridge. They live until {@link #stop}, even if this
     * process ends.
     */
    public void start() {
        requireInstalled();
        run(
                """
                set -e
                cd "$OVS_RUNDIR"
                ovsdb-tool create conf.db /usr/share/openvswitch/vswitch.ovsschema
                ovsdb-server conf.db --remote=punix:db.sock --detach --no-chdir --pidfile \
                  --log-file=db.log -vconsole:off
                ovs-vsctl --no-wait init
                ovs-vswitchd unix:db.sock --detach --no-chdir --pidfile --log-file=vs.log \
                  -vconsole:off
                """);
    }

    /**
     * Runs a shell script where the switches are, with the environment that finds them.
     *
     * @throws ToolException with what it printed if it fails.
     */
    public void run(final String script) {
        final ProcessBuilder builder =
                new ProcessBuilder("ip", "netns", "exec", namespace, "sh", "-s");
        final String place = folder.toString();
        builder.environment()
                .putAll(
                        Map.of(
                                "OVS_RUNDIR", place,
                                "OVS_DBDIR", place,
                                "OVS_LOGDIR", place,
                                "OVS_DATAPATH_TYPE", "netdev"));
        builder.environment().merge("PATH", "/usr/sbin:/sbin", (old, more) -> old + ":" + more);
        try {
            // Daemons keep standard output open, so it goes to a file.
            final Path output = Files.createTempFile(folder, "script", ".out");
            final Process process =
                    builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
            try (var stdin = process.getOutputStream()) {
                stdin.write(script.getBytes(StandardCharsets.UTF_8));
            }
            if (process.waitFor() != 0) {
                throw new ToolException(
                        "Open vSwitch refuses its configuration: " + Files.readString(output));
            }
            Files.delete(output);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ToolException("interrupted while Open vSwitch was configured", e);
        } catch (final IOException e) {
            throw new ToolException("cannot configure Open vSwitch: " + e, e);
        }
    }

    /**
     * Gives its sockets room for what waits at all ports. It sends by one socket, whose usual
     * buffer holds 100 frames: those that wait at a few slow links would leave no room to send by
     * others, and it would drop them.
     *
     * @return false if it has not sent anything yet, and has no socket to send by.
     */
    public boolean widenBuffers() {
        boolean canSend = false;
        try {
            final long pid =
                    Long.parseLong(Files.readString(folder.resolve("ovs-vswitchd.pid")).strip());
            try (Stream<Path> files = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
                for (final Path file : files.toList()) {
                    canSend |= widen(pid, file);
                }
            }
        } catch (final IOException e) {
            throw new ToolException("cannot set the buffers of Open vSwitch: " + e, e);
        }
        return canSend;
    }

    /** Returns true if it is the socket that frames are sent by, which is bound to no port. */
    private static boolean widen(final long pid, final Path file) throws IOException {
        try {
            if (!Files.readSymbolicLink(file).toString().startsWith("socket:")) {
                return false;
            }
        } catch (final NoSuchFileException e) {
            return false;
        }
        final int number = Integer.parseInt(file.getFileName().toString());
        final int fd = ForeignDescriptors.duplicate(pid, number);
        try {
            if (SocketOptions.get(fd, SocketOptions.SOL_SOCKET, SO_DOMAIN) != Sockets.AF_PACKET) {
                return false;
            }
            Sockets.setSendBuffer(fd, BUFFER_BYTES);
            Sockets.setReceiveBuffer(fd, BUFFER_BYTES);
            return PacketSocket.boundIfindex(fd) == 0;
        } finally {
            Descriptors.close(fd);
        }
    }

    /** Ends whatever of Open vSwitch runs in a namespace; nothing happens if nothing does. */
    public static void stop(final String namespace) {
        final Shell.Outcome pids = Shell.run("", List.of("ip", "netns", "pids", namespace));
        if (pids.exitStatus() != 0) {
            return;
        }
        final List<ProcessHandle> processes =
                pids.output()
                        .lines()
                        .filter(line -> line.matches("\\d{1,18}"))
                        .map(Long::parseLong)
                        .filter(OpenVswitch::isOurs)
                        .flatMap(pid -> ProcessHandle.of(pid).stream())
                        .toList();
        processes.forEach(ProcessHandle::destroy);
        if (!await(processes, process -> !isOurs(process.pid()))) {
            processes.forEach(ProcessHandle::destroyForcibly);
            await(processes, process -> !isOurs(process.pid()));
        }
    }

    private static boolean await(
            final List<ProcessHandle> processes, final Predicate<ProcessHandle> condition) {
        final long startNs = System.nanoTime();
        while (!processes.stream().allMatch(condition)) {
            if (System.nanoTime() - startNs > END_LIMIT_NS) {
                return false;
            }
            LockSupport.parkNanos(LOOK_NS);
        }
        return true;
    }

    /** A process that has ended, but whose parent has not noticed, has no command line. */
    private static boolean isOurs(final long pid) {
        final Path process = Path.of("/proc", Long.toString(pid));
        try {
            return PROGRAMS.contains(Files.readString(process.resolve("comm")).strip())
                    && !Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1)
                            .isEmpty();
        } catch (final IOException e) {
            return false;
        }
    }
}
