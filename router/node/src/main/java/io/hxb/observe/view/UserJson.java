package io.hxb.observe.view;

import io.hxb.counter.CounterReader;
import io.hxb.counter.ResourceUse;
import io.hxb.observe.Viewer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.core.JsonGenerator;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Writes what users and tenants have as JSON: {@code docs/reference/json.md}. Stateless. */
public final class UserJson {
    private static final Logger LOGGER = LoggerFactory.getLogger(UserJson.class);

    private UserJson() {}

    /**
     * One object with those values that {@code viewer} may see.
     *
     * @param files counter files of nodes; one that cannot be read is left out.
     */
    public static byte[] of(final List<Path> files, final Viewer viewer) {
        return NetworkJson.object(
                json -> {
                    json.writeBooleanProperty("ok", true);
                    json.writeStringProperty("viewer", viewer.toString().toLowerCase(Locale.ROOT));
                    json.writeArrayPropertyStart("users");
                    for (final Path file : files) {
                        try (CounterReader reader = CounterReader.open(file)) {
                            for (final ResourceUse use : viewer.shown(reader.shares().uses())) {
                                write(json, reader.labels().node(), use);
                            }
                        } catch (final IOException e) {
                            LOGGER.debug("{} is left out", file, e);
                        }
                    }
                    json.writeEndArray();
                });
    }

    private static void write(final JsonGenerator json, final int node, final ResourceUse use) {
        use.shares()
                .forEach(
                        (resource, figures) -> {
                            json.writeStartObject();
                            json.writeNumberProperty("node", node);
                            json.writeStringProperty("user", use.who());
                            json.writeStringProperty("tenant", use.tenant());
                            json.writeStringProperty("resource", resource);
                            optional(json, "held", figures.held());
                            optional(json, "limit", figures.limit());
                            json.writeNumberProperty("refused", figures.refused());
                            json.writeEndObject();
                        });
    }

    private static void optional(final JsonGenerator json, final String key, final long value) {
        if (value != ResourceUse.Figures.NONE) {
            json.writeNumberProperty(key, value);
        }
    }
}
