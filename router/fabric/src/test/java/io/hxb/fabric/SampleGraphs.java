package io.hxb.fabric;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The graphs among the test resources. */
public final class SampleGraphs {
    private SampleGraphs() {}

    /** A text from the folder {@code graphs}. */
    public static String text(final String file) {
        return resource("/graphs/" + file);
    }

    /** A text from the folder {@code opensm}: what OpenSM has written of a network. */
    public static String openSm(final String file) {
        return resource("/opensm/" + file);
    }

    // Also from a JAR, in which names have no "..".
    private static String resource(final String name) {
        try (InputStream in = SampleGraphs.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The graph {@code name.edges}, four hosts on each switch unless it has its own. */
    public static SwitchGraph read(final String name) {
        return EdgeList.parse(name + ".edges", text(name + ".edges"), 4);
    }
}
