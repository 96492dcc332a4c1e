package io.hxb.tool.events;

import io.hxb.config.ClusterConfig;
import io.hxb.recorder.EventEntry;
import io.hxb.recorder.EventHistory;
import io.hxb.recorder.RecorderReader;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads the events of several nodes, again and again. Used by one thread. */
public final class EventFiles {
    private final List<Path> files;
    private final Map<Path, Long> lastSequences = new HashMap<>();
    private final List<String> problems = new ArrayList<>();

    /** The events in these files. */
    public EventFiles(final List<Path> files) {
        this.files = List.copyOf(files);
    }

    /** The files of a cluster's nodes that have run on this machine; empty if none has. */
    public static List<Path> of(final ClusterConfig config) {
        final List<Path> found = new ArrayList<>();
        for (int node = 0; node < config.shape().nodeCount(); node++) {
            final Path file = RecorderReader.fileBeside(config.countersPath(node));
            if (Files.exists(file)) {
                found.add(file);
            }
        }
        return found;
    }

    /**
     * As {@link #of}, for who needs them.
     *
     * @throws ToolException if there is none.
     */
    public static List<Path> required(final ClusterConfig config) {
        final List<Path> found = of(config);
        if (found.isEmpty()) {
            throw new ToolException(
                    "no node of cluster "
                            + config.name()
                            + " has recorded events here: there is no file such as "
                            + RecorderReader.fileBeside(config.countersPath(0)));
        }
        return found;
    }

    /** What has happened since the last call, of all nodes in order of time. */
    public List<NodeEvent> read() {
        problems.clear();
        final List<NodeEvent> events = new ArrayList<>();
        for (final Path file : files) {
            try {
                add(file, RecorderReader.read(file), events);
            } catch (final NoSuchFileException e) {
                problems.add(file + ": no such file");
            } catch (final AccessDeniedException e) {
                problems.add(file + ": permission denied");
            } catch (final IOException e) {
                problems.add(e.getMessage());
            }
        }
        events.sort(Comparator.comparingLong(event -> event.entry().wallNs()));
        return events;
    }

    private void add(final Path file, final EventHistory history, final List<NodeEvent> events) {
        final long seen = lastSequences.getOrDefault(file, 0L);
        for (final EventEntry entry : history.entries()) {
            if (entry.sequence() > seen) {
                events.add(new NodeEvent(history.labels(), entry));
                lastSequences.put(file, entry.sequence());
            }
        }
    }

    /** Files that the last call could not read, and why. */
    public List<String> problems() {
        return List.copyOf(problems);
    }
}
