package io.hxb.node;

import io.hxb.config.SecurityConfig;
import io.hxb.session.KeyFile;
import io.hxb.session.KeyRing;
import io.hxb.session.Sessions;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks whether the files of the keys have changed, and changes the keys while the node runs.
 * Owned by the node's first loop.
 */
final class KeyWatch {
    private static final Logger LOGGER = LoggerFactory.getLogger(KeyWatch.class);

    private final SecurityConfig security;
    private final Sessions sessions;
    private List<FileTime> seen;

    /** Starts from the present state of the files. */
    KeyWatch(final SecurityConfig security, final Sessions sessions) {
        this.security = security;
        this.sessions = sessions;
        seen = times();
    }

    /** Reads the files again if one has changed. What cannot be read changes nothing. */
    void look() {
        final List<FileTime> now = times();
        if (now.equals(seen)) {
            return;
        }
        seen = now;
        try {
            final KeyRing ring = KeyFile.read(security, System.getenv());
            if (!ring.equals(sessions.ring())) {
                sessions.change(ring);
                LOGGER.info("the keys are now {}", ring.keys());
            }
        } catch (final IOException e) {
            LOGGER.warn("the keys stay as they are: {}", e.getMessage());
        }
    }

    private List<FileTime> times() {
        final List<FileTime> times = new ArrayList<>();
        for (final String name : security.keys()) {
            try {
                times.add(Files.getLastModifiedTime(KeyFile.path(name, System.getenv())));
            } catch (final IOException e) {
                times.add(FileTime.fromMillis(0));
            }
        }
        return times;
    }
}
