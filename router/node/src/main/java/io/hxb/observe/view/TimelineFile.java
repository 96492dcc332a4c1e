package io.hxb.observe.view;

import io.hxb.linux.Folder;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A copy of the {@link Timeline} in a file of the run folder, for the process that takes over.
 * Without the file everything works, but the list begins with its process. Owned by {@link
 * LiveNetwork}.
 *
 * <p>It is one JSON object with the {@code timeline} of {@code docs/reference/json.md}.
 */
public final class TimelineFile {
    /** An entry that is older is left out. */
    static final long MAX_AGE_MS = History.SECONDS * LiveNetwork.RATE_INTERVAL_MS;

    private static final Logger LOGGER = LoggerFactory.getLogger(TimelineFile.class);
    private static final JsonMapper MAPPER = JsonMapper.builder().build();
    private static final int MODE = 0600;
    private static final int MAX_BYTES = 1 << 20;

    private final Path file;
    private long writtenId;
    private boolean hasFailed;

    /** One that has not been read or written. */
    public TimelineFile(final Path file) {
        this.file = file.toAbsolutePath();
    }

    /** What an earlier process wrote of the last ten minutes, about nodes below {@code nodes}. */
    List<Timeline.Entry> load(final int nodes, final long nowMs) {
        final byte[] bytes;
        try (Folder folder = Folder.open(file.getParent())) {
            bytes = folder.readSecret(file.getFileName().toString(), MAX_BYTES);
        } catch (final IOException e) {
            LOGGER.debug("there is no earlier list of faults", e);
            return List.of();
        }
        try {
            final List<Timeline.Entry> found = new ArrayList<>();
            for (final JsonNode each : MAPPER.readTree(bytes).path("timeline")) {
                final Timeline.Entry entry = entry(each);
                if (entry.node() >= 0
                        && entry.node() < nodes
                        && entry.timeMs() <= nowMs
                        && entry.timeMs() > nowMs - MAX_AGE_MS) {
                    found.add(entry);
                }
            }
            writtenId = found.isEmpty() ? 0 : found.getLast().id();
            return found;
        } catch (final JacksonException | IllegalArgumentException e) {
            LOGGER.warn("{} is damaged: the list of faults begins anew", file);
            return List.of();
        }
    }

    private static Timeline.Entry entry(final JsonNode json) {
        return new Timeline.Entry(
                json.path("id").asLong(0),
                json.path("time_ms").asLong(0),
                json.path("node").asInt(-1),
                json.path("link").asString(""),
                Timeline.Kind.valueOf(json.path("kind").asString("").toUpperCase(Locale.ROOT)),
                json.path("from").asString(""),
                json.path("to").asString(""),
                json.path("reason").asString(""));
    }

    /** Writes all entries if there is another one than before. */
    void write(final List<Timeline.Entry> entries) {
        if (entries.isEmpty() || entries.getLast().id() == writtenId) {
            return;
        }
        try (Folder folder = Folder.open(file.getParent())) {
            folder.replace(file.getFileName().toString(), NetworkJson.entries(entries), MODE);
            writtenId = entries.getLast().id();
            hasFailed = false;
        } catch (final IOException e) {
            if (!hasFailed) {
                LOGGER.warn("the list of faults is lost with this process: {}", e.getMessage());
            }
            hasFailed = true;
        }
    }
}
