package io.hxb.tool.option;

import io.hxb.config.ClusterConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.observe.live.NodeFiles;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabState;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Option;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Options that select a cluster. Picocli fills it. */
public final class ClusterFile {
    /** Where the service looks for the cluster file. */
    private static final Path SYSTEM_FILE = Path.of("/etc/hxb/cluster.yaml");

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description =
                    "read this cluster file (default: HXB_CONFIG, the lab's, "
                            + "cluster.yaml here, or /etc/hxb/cluster.yaml)")
    private Path file;

    @Option(
            names = "--name",
            paramLabel = "LAB",
            description = "use the lab of this name (default: lab)")
    private String named;

    private final String variable;
    private final LocalFile local;
    private boolean isLocalNamed;

    /** Picocli makes it. */
    public ClusterFile() {
        this(System.getenv("HXB_CONFIG"), new LocalFile(Path.of("")));
    }

    /**
     * With a value of HXB_CONFIG, in a folder.
     *
     * @param variable null where it is not set.
     */
    ClusterFile(final String variable, final LocalFile local) {
        this.variable = variable;
        this.local = local;
    }

    private String name() {
        if (named != null && file != null) {
            throw new UsageException("--config and --name both select a cluster: give one");
        }
        return named == null ? "lab" : named;
    }

    /**
     * Checks that no cluster is selected, for a command line that names files instead.
     *
     * @throws UsageException if {@code --config} or {@code --name} was given.
     */
    public void requireNone() {
        if (file != null || named != null) {
            throw new UsageException(
                    (file != null ? "--config" : "--name")
                            + ": not with files; give the files, or the cluster whose files to"
                            + " read");
        }
    }

    /** The lab that is meant; empty when a file is. */
    public Optional<LabState> lab() {
        final boolean isFile = file != null || isFromVariable();
        return isFile ? Optional.empty() : LabRegistry.ofUser().find(name());
    }

    /** True if there is a cluster file to look at. */
    public boolean isGiven() {
        return file != null
                || named != null
                || isFromVariable()
                || lab().filter(state -> !state.hasSwitches()).isPresent()
                || local.isTrusted()
                || Files.exists(SYSTEM_FILE);
    }

    /** These options as words of another command's line in the same environment. */
    public List<String> words() {
        if (file != null) {
            return List.of("--config", file.toString());
        }
        if (isFromVariable()) {
            return List.of();
        }
        return isLocal() ? List.of("--config", path().toString()) : List.of("--name", name());
    }

    private boolean isLocal() {
        return named == null && lab().isEmpty() && local.isTrusted();
    }

    private boolean isFromVariable() {
        return named == null && variable != null;
    }

    /**
     * The counter files of a cluster's nodes that have run on this machine.
     *
     * @return at least one, in the order of their nodes.
     * @throws ToolException if there is none.
     */
    public static List<Path> counterFiles(final ClusterConfig config) {
        final List<Path> found = NodeFiles.of(config);
        if (found.isEmpty()) {
            throw new ToolException(
                    "no node of cluster "
                            + config.name()
                            + " has run here: there is no file such as "
                            + config.countersPath(0));
        }
        return found;
    }

    /** The cluster that is meant. */
    public ClusterConfig config() {
        return ClusterConfigYaml.read(path());
    }

    /**
     * The cluster file that is meant.
     *
     * @throws ToolException if there is none.
     */
    public Path path() {
        final String lab = name();
        if (file != null) {
            return file;
        }
        if (isFromVariable()) {
            return Path.of(variable);
        }
        if (named != null || lab().isPresent()) {
            LabRegistry.ofUser().requireNodes(lab);
            return LabRegistry.ofUser().folder(lab).resolve("cluster.yaml");
        }
        if (local.isTrusted()) {
            if (!isLocalNamed) {
                isLocalNamed = true;
                System.err.println("hxb: the cluster is that of " + local.path());
            }
            return local.path();
        }
        if (Files.exists(SYSTEM_FILE)) {
            return SYSTEM_FILE;
        }
        throw new ToolException(
                "no cluster is named: give --config FILE, set HXB_CONFIG, or start a lab: hxb lab"
                        + " up (there is no lab '"
                        + lab
                        + "', no cluster.yaml here and no "
                        + SYSTEM_FILE
                        + ")"
                        + local.complaint());
    }
}
