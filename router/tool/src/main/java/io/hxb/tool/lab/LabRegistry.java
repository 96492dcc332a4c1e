package io.hxb.tool.lab;

import io.hxb.linux.Folder;
import io.hxb.pm.attach.NodeSocketName;
import io.hxb.pm.attach.RunFolders;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.machine.Shell;
import io.hxb.tool.report.Json;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * The labs of this machine and user: a folder with a state file and a folder of files for each.
 * Stateless except for the files; commands of several processes may use it at once.
 */
public final class LabRegistry {
    private static final String LABS = "labs";
    private static final int FOLDER_MODE = 0755;
    private static final int FILE_MODE = 0644;
    private static final int REMOVAL_ATTEMPTS = 100;
    private static final long REMOVAL_PAUSE_NS = 20_000_000;
    private static final long END_LIMIT_NS = 5_000_000_000L;

    private final Path root;

    /** Makes a registry over a folder, which is made when the first lab is. */
    public LabRegistry(final Path root) {
        this.root = root;
    }

    /** The registry of this user, in the folder that {@link RunFolders} gives. */
    public static LabRegistry ofUser() {
        return new LabRegistry(RunFolders.ofThisProcess().own().resolve(LABS));
    }

    /** Folder of a lab's cluster file, logs, sockets and counters. */
    public Path folder(final String lab) {
        return root.resolve(lab);
    }

    /** Folder of the files of one host of a lab with switches; its HXB_RUN. */
    public Path hostFolder(final String lab, final int host) {
        return folder(lab).resolve("host-" + host);
    }

    /**
     * File that the owner of a lab of {@code lab up} writes its messages to; goes with the lab,
     * except for the owner's own end, so that the user who started it can read why.
     */
    public Path log(final String lab) {
        try (Folder made = openRoot()) {
            return made.path().resolve(lab + ".log");
        } catch (final IOException e) {
            throw unwritable(e);
        }
    }

    private Path logFile(final String lab) {
        return root.resolve(lab + ".log");
    }

    // Nobody else can put anything there, so paths below it are safe.
    private Folder openRoot() throws IOException {
        RunFolders.ofThisProcess().prepare(root.toAbsolutePath().getParent());
        return Folder.make(root, FOLDER_MODE);
    }

    private ToolException unwritable(final IOException cause) {
        return new ToolException(
                "cannot write below "
                        + root
                        + ": "
                        + cause.getMessage()
                        + "; set HXB_RUN to another folder",
                cause);
    }

    private Path stateFile(final String lab) {
        return root.resolve(stateName(lab));
    }

    private static String stateName(final String lab) {
        return lab + ".json";
    }

    /**
     * The state of a lab, empty when there is none.
     *
     * @throws IllegalArgumentException when no lab can have that name.
     */
    public Optional<LabState> find(final String lab) {
        LabNames.check(lab);
        try {
            final String text = Files.readString(stateFile(lab));
            return Optional.of(Json.parse(text, LabState.class, stateFile(lab).toString()));
        } catch (final NoSuchFileException e) {
            return Optional.empty();
        } catch (final IOException e) {
            throw new UncheckedIOException("cannot read " + stateFile(lab), e);
        }
    }

    /** Sockets of nodes in a lab's folder: nodes that can be attached to. */
    public int socketCount(final String lab) {
        if (!Files.isDirectory(folder(lab))) {
            return 0;
        }
        try (Stream<Path> files = Files.list(folder(lab))) {
            return (int) files.filter(NodeSocketName::isOfNode).count();
        } catch (final IOException e) {
            return 0;
        }
    }

    /**
     * The state of a lab that has to be there.
     *
     * @throws ToolException when it is not, naming those that are.
     */
    public LabState require(final String lab) {
        return find(lab)
                .orElseThrow(() -> new ToolException("there is no lab '" + lab + "'; " + advice()));
    }

    /**
     * As {@link #require}, of a lab in which nodes of HXB run.
     *
     * @throws ToolException also if it is one of hosts and switches.
     */
    public LabState requireNodes(final String lab) {
        final LabState state = require(lab);
        if (state.hasSwitches()) {
            throw new ToolException(
                    "the lab '"
                            + lab
                            + "' has hosts and switches, but no nodes of HXB: see 'hxb lab ping',"
                            + " 'perf' and 'exec', and 'hxb route --manager HOST'");
        }
        return state;
    }

    /**
     * As {@link #require}, of a lab of hosts and switches.
     *
     * @throws ToolException also if it is one of nodes of HXB.
     */
    public LabState requireSwitches(final String lab) {
        final LabState state = require(lab);
        if (!state.hasSwitches()) {
            throw new ToolException(
                    "the lab '"
                            + lab
                            + "' has nodes of HXB, and no hosts on switches: see 'hxb ping' and"
                            + " 'hxb perf'");
        }
        return state;
    }

    private String advice() {
        final List<String> names = list().stream().map(LabState::name).toList();
        return names.isEmpty()
                ? "start one with: hxb lab up"
                : "there are: " + String.join(", ", names);
    }

    /** All labs with a state file, by name. */
    public List<LabState> list() {
        if (!Files.isDirectory(root)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(root)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".json"))
                    .sorted()
                    .map(name -> name.substring(0, name.length() - ".json".length()))
                    .filter(LabNames::isName)
                    .map(this::find)
                    .flatMap(Optional::stream)
                    .toList();
        } catch (final IOException e) {
            throw new UncheckedIOException("cannot list " + root, e);
        }
    }

    /**
     * Reserves the name for a new lab: from here on no other process can take it, and a crash
     * leaves a trace.
     *
     * @throws ToolException when a living lab has it.
     */
    void claim(final LabState state) {
        try (Folder open = openRoot()) {
            Files.createDirectories(folder(state.name()));
            open.add(stateName(state.name()), content(state), FILE_MODE);
        } catch (final FileAlreadyExistsException e) {
            throw new ToolException(
                    "the lab '"
                            + state.name()
                            + "' is up already: choose another --name, or run: hxb lab down --name "
                            + state.name(),
                    e);
        } catch (final IOException e) {
            throw unwritable(e);
        }
    }

    /** Replaces the state file in one step. */
    void write(final LabState state) {
        try (Folder open = openRoot()) {
            open.replace(stateName(state.name()), content(state), FILE_MODE);
        } catch (final IOException e) {
            throw new ToolException("cannot write " + stateFile(state.name()) + ": " + e, e);
        }
    }

    /** True if what other commands need of a lab is there. */
    boolean isKept(final String lab, final Set<String> files) {
        return Files.exists(stateFile(lab))
                && files.stream().allMatch(name -> Files.exists(folder(lab).resolve(name)));
    }

    /**
     * Writes the state file of a lab and files of its folder once more, after somebody has removed
     * them.
     *
     * @param files their contents, by name.
     */
    void restore(final LabState state, final Map<String, byte[]> files) {
        try (Folder open = openRoot();
                Folder made = Folder.make(folder(state.name()), FOLDER_MODE)) {
            for (final Map.Entry<String, byte[]> file : files.entrySet()) {
                made.replace(file.getKey(), file.getValue(), FILE_MODE);
            }
            open.replace(stateName(state.name()), content(state), FILE_MODE);
        } catch (final IOException e) {
            throw unwritable(e);
        }
    }

    private static byte[] content(final LabState state) {
        return (Json.line(state) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** Removes the lab's folder, even while nodes still make files in it, and its state file. */
    void forget(final String lab) {
        for (int attempt = 1; Files.isDirectory(folder(lab)); attempt++) {
            try (Stream<Path> files = Files.walk(folder(lab))) {
                for (final Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            } catch (final IOException | UncheckedIOException e) {
                if (attempt == REMOVAL_ATTEMPTS) {
                    throw new ToolException("cannot remove the files of lab " + lab + ": " + e, e);
                }
                LockSupport.parkNanos(REMOVAL_PAUSE_NS);
            }
        }
        try {
            Files.deleteIfExists(stateFile(lab));
        } catch (final IOException e) {
            throw new ToolException("cannot remove " + stateFile(lab) + ": " + e, e);
        }
    }

    /** Removes the log of a lab that is gone, and the folders of all labs if it was the last. */
    public void forgetLog(final String lab) {
        try {
            Files.deleteIfExists(logFile(lab));
        } catch (final IOException e) {
            throw new ToolException("cannot remove " + logFile(lab) + ": " + e, e);
        }
        removeEmptyFolders();
    }

    /** Removes the folders of all labs if there is nothing in them. */
    void removeEmptyFolders() {
        try {
            Files.deleteIfExists(root);
            if (root.equals(RunFolders.ofThisProcess().own().resolve(LABS))) {
                RunFolders.ofThisProcess().removeIfEmpty();
            }
        } catch (final IOException e) {
            // There are other labs.
        }
    }

    /** Labs of this user with a state file whose owner has died without removing them. */
    List<String> crashed() {
        return list().stream().filter(state -> !state.isOwnerAlive()).map(LabState::name).toList();
    }

    /**
     * Labs whose owner is gone: those with a state file, and namespaces whose file was lost.
     * Namespaces without a file are only removed if this user can see to whom they belong, and may
     * remove them: those of others, which may live in another folder (HXB_RUN), are left alone.
     */
    public List<String> stale() {
        final Set<String> stale = new TreeSet<>();
        final Set<String> alive = new TreeSet<>();
        for (final LabState state : list()) {
            (state.isOwnerAlive() ? alive : stale).add(state.name());
        }
        if (Privileges.canMakeNamespaces()) {
            for (final String namespace : namespaces()) {
                LabNames.labOf(namespace).filter(lab -> !alive.contains(lab)).ifPresent(stale::add);
            }
        }
        stale.removeIf(lab -> find(lab).isEmpty() && isOwnedElsewhere(lab));
        return List.copyOf(stale);
    }

    /**
     * True if a lab that is not of this registry belongs to a process that lives, or may do so
     * because its mark cannot be read.
     */
    static boolean isOwnedElsewhere(final String lab) {
        final String switches = LabNames.switchNamespace(lab);
        if (!namespaces().contains(switches)) {
            return false;
        }
        final Shell.Outcome loopback =
                Shell.run("", List.of("ip", "-n", switches, "link", "show", "dev", "lo"));
        return loopback.exitStatus() != 0 || LabState.isAlive(loopback.output());
    }

    /** Names of the network namespaces of this machine. */
    static List<String> namespaces() {
        final Path folder = Path.of("/run/netns");
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        } catch (final IOException e) {
            throw new UncheckedIOException("cannot list " + folder, e);
        }
    }

    /**
     * Removes everything of a lab: its nodes' processes, namespaces and files. Harmless when parts
     * are gone already. Blocks until they are removed.
     */
    public void remove(final String lab) {
        find(lab).ifPresent(LabRegistry::stopProcesses);
        final List<String> namespaces = new ArrayList<>();
        for (final String namespace : namespaces()) {
            if (LabNames.labOf(namespace).filter(lab::equals).isPresent()) {
                namespaces.add(namespace);
            }
        }
        if (!namespaces.isEmpty()) {
            OpenVswitch.stop(LabNames.switchNamespace(lab));
            // -force goes on when another process was quicker with one of them.
            Shell.run(LabScripts.removal(namespaces), List.of("ip", "-force", "-batch", "-"));
        }
        forget(lab);
    }

    private static void stopProcesses(final LabState state) {
        final List<Long> pids = new ArrayList<>(state.nodePids());
        if (state.isOwnerAlive() && state.ownerPid() != ProcessHandle.current().pid()) {
            pids.add(state.ownerPid());
        }
        final List<ProcessHandle> processes =
                pids.stream()
                        .flatMap(pid -> ProcessHandle.of(pid).stream())
                        .filter(LabRegistry::isOurs)
                        .toList();
        // All at once: each takes a while, and misses those that have gone before.
        processes.forEach(ProcessHandle::destroy);
        processes.forEach(LabRegistry::awaitEnd);
    }

    /** A recorded pid may belong to another process by now. */
    static boolean isOurs(final ProcessHandle process) {
        return commandLine(process).contains("io.hxb.tool.Hxb");
    }

    /** The arguments of a process; empty when it has ended, though its parent has not noticed. */
    static String commandLine(final ProcessHandle process) {
        try {
            final Path file = Path.of("/proc", Long.toString(process.pid()), "cmdline");
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (final IOException e) {
            return "";
        }
    }

    private static void awaitEnd(final ProcessHandle process) {
        if (!hasEnded(process)) {
            process.destroyForcibly();
            if (!hasEnded(process)) {
                throw new ToolException(
                        "process "
                                + process.pid()
                                + " cannot be ended; its disk or NIC may be stuck");
            }
        }
    }

    private static boolean hasEnded(final ProcessHandle process) {
        final long deadlineNs = System.nanoTime() + END_LIMIT_NS;
        while (isOurs(process)) {
            if (System.nanoTime() - deadlineNs > 0) {
                return false;
            }
            LockSupport.parkNanos(REMOVAL_PAUSE_NS);
        }
        return true;
    }
}
