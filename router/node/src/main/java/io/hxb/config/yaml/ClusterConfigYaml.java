package io.hxb.config.yaml;

import io.hxb.config.ClusterConfig;
import io.hxb.config.ConfigException;

import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Reads and writes the file that all nodes of a cluster share. Stateless; any thread may call it.
 */
public final class ClusterConfigYaml {
    private static final long MAX_BYTES = 64 << 20;

    private ClusterConfigYaml() {}

    /**
     * Reads a file.
     *
     * @throws ConfigException with every problem of the file, or that there is none that this user
     *     may read.
     * @throws UncheckedIOException if the disk or the file server fails, which may pass.
     */
    public static ClusterConfig read(final Path file) {
        if (Files.isDirectory(file)) {
            throw failure(
                    file + ": cannot be read: is a folder; give the path of the cluster file");
        }
        try {
            if (Files.isRegularFile(file) && Files.size(file) > MAX_BYTES) {
                throw failure(file + ": is larger than 64 MiB; this is not a cluster file");
            }
            return parse(Files.readString(file), file.toString());
        } catch (final NoSuchFileException e) {
            throw failure(file + ": is not there; give the path of the cluster file");
        } catch (final AccessDeniedException e) {
            throw failure(file + ": may not be read by this user; change its mode or owner");
        } catch (final CharacterCodingException e) {
            throw failure(file + ": is not UTF-8 text; this is not a cluster file");
        } catch (final IOException e) {
            throw new UncheckedIOException(
                    file + ": cannot be read now: " + e.getMessage() + "; look at its disk", e);
        }
    }

    /**
     * Reads the text of a file.
     *
     * @param file its name in messages.
     * @throws ConfigException with every problem of the text.
     */
    public static ClusterConfig parse(final String text, final String file) {
        final Problems problems = new Problems(file);
        final Optional<Node> root = compose(text, file, problems);
        if (root.isEmpty()) {
            if (problems.isEmpty()) {
                problems.add(1, "is empty; write at least name, shape, backend and links");
            }
            throw problems.exception();
        }
        final ClusterConfig config = new ClusterReader(problems, root.get()).read();
        if (!problems.isEmpty()) {
            throw problems.exception();
        }
        return config;
    }

    /** The text of a file that {@link #parse} reads as an equal configuration. */
    public static String write(final ClusterConfig config) {
        return new ClusterWriter(config).write();
    }

    /** The nodes of a text with their lines; problems are added. */
    public static Optional<Node> compose(
            final String text, final String file, final Problems problems) {
        final int deepLine = YamlDepth.tooDeep(text);
        if (deepLine > 0) {
            problems.add(
                    deepLine,
                    "is nested more than " + YamlDepth.MAX_DEPTH + " deep; correct the line");
            return Optional.empty();
        }
        final LoadSettings settings =
                LoadSettings.builder()
                        .setLabel(file)
                        .setUseMarks(true)
                        .setCodePointLimit((int) MAX_BYTES)
                        .build();
        try {
            return new Compose(settings).composeString(text);
        } catch (final MarkedYamlEngineException e) {
            final int line =
                    e.getProblemMark()
                            .or(e::getContextMark)
                            .map(mark -> mark.getLine() + 1)
                            .orElse(1);
            problems.add(line, "is not YAML here: " + e.getProblem() + "; correct the line");
        } catch (final YamlEngineException e) {
            problems.add(1, "is not YAML: " + e.getMessage());
        } catch (final StackOverflowError e) {
            problems.add(1, "is nested too deeply");
        }
        return Optional.empty();
    }

    private static ConfigException failure(final String problem) {
        return new ConfigException(List.of(problem));
    }
}
