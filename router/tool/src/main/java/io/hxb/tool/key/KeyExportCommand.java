package io.hxb.tool.key;

import io.hxb.config.ClusterConfig;
import io.hxb.config.SecurityConfig;
import io.hxb.session.CaptureKeys;
import io.hxb.session.KeyFile;
import io.hxb.session.SessionOrigin;
import io.hxb.session.SessionsFile;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.option.ClusterOptions;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;

/** {@code hxb key export}: keys of sessions, for captures. Picocli makes it. */
@Command(
        name = "export",
        mixinStandardHelpOptions = true,
        header = "Write keys that open captured frames of present sessions.",
        description = {
            "Write to a file, which only its owner may read, what hxb capture --keys needs to open "
                    + "the encrypted frames of nodes that run on this machine. It needs root. "
                    + "The file lets others read and forge the payload of these sessions, but not "
                    + "of later ones: delete it when you are done."
        },
        footer = {
            "",
            "Example: hxb key export --for-capture --config cluster.yaml /root/trace.keys"
        })
final class KeyExportCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "make this file, which must not exist yet")
    private Path file;

    // Picocli requires it; there is nothing to read.
    @SuppressWarnings("UnusedVariable")
    @Option(
            names = "--for-capture",
            required = true,
            description = "write keys for hxb capture --keys; there is no other purpose")
    private boolean isForCapture;

    @Mixin private ClusterOptions cluster;

    @Mixin private Output output;

    /** Picocli makes it. */
    KeyExportCommand() {}

    @Override
    public Integer call() throws IOException {
        if (!Privileges.isRoot()) {
            throw new ToolException("keys of sessions are for root alone: run it as root");
        }
        if (Files.exists(file)) {
            throw exists();
        }
        final ClusterConfig config = cluster.config();
        requireEncryption(config.security());
        final Set<SessionOrigin> origins = origins(config);
        final CaptureKeys keys =
                CaptureKeys.derive(
                        KeyFile.read(config.security(), System.getenv()),
                        config.clusterId(),
                        config.shape(),
                        origins);
        if (keys.entries().isEmpty()) {
            throw new ToolException(
                    "the nodes of cluster "
                            + config.name()
                            + " that run here have no sessions"
                            + (origins.isEmpty() ? "" : " of the key that the cluster file names"));
        }
        try {
            keys.write(file);
        } catch (final FileAlreadyExistsException e) {
            throw exists();
        }
        report(keys.entries().size());
        return ExitStatus.OK;
    }

    private UsageException exists() {
        return new UsageException("there is a file " + file + "; keys never overwrite one");
    }

    private static void requireEncryption(final SecurityConfig security) {
        if (security.mode() != SecurityConfig.Mode.ENCRYPT) {
            throw new ToolException(
                    "frames of this cluster are not encrypted (security.mode: "
                            + security.mode().name().toLowerCase(Locale.ROOT)
                            + "): captures can be read as they are");
        }
    }

    // Both nodes of a session may be here.
    private Set<SessionOrigin> origins(final ClusterConfig config) throws IOException {
        final Set<SessionOrigin> origins = new LinkedHashSet<>();
        boolean isThere = false;
        for (final int node : cluster.nodesHere(config)) {
            final Path sessions = SessionsFile.beside(config.countersPath(node));
            if (Files.exists(sessions)) {
                isThere = true;
                origins.addAll(SessionsFile.read(sessions));
            }
        }
        if (!isThere) {
            throw new ToolException(
                    "no node of cluster " + config.name() + " runs here and keeps its sessions");
        }
        return origins;
    }

    private void report(final int sessions) {
        final String warning =
                file
                        + " opens what "
                        + sessions
                        + (sessions == 1 ? " session carries" : " sessions carry")
                        + " until renewed, and lets others forge payload: delete it"
                        + " when you are done";
        output.text().println(warning);
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", true);
        report.put("file", file.toString());
        report.put("sessions", sessions);
        report.put("warning", warning);
        output.report(report);
    }
}
