package io.hxb.node;

import io.hxb.config.SecurityConfig;
import io.hxb.session.KeyFile;
import io.hxb.session.KeyRing;
import io.hxb.session.Sessions;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Checks whether the files of the keys have changed, and changes the keys while the node runs.
 * Owned by the node's first loop.
 */
final class KeyWatch {
    private static final Logger LOGGER = LoggerFactory.getLogger(KeyWatch.class);

    /** Whatever makes a file another one, or readable: its mode and owner change its ctime. */
    private static final String STATE = "unix:dev,ino,size,lastModifiedTime,ctime";

    private final SecurityConfig security;
    private final Map<String, String> environment;
    private final Sessions sessions;
    private List<Object> seen;
    private String problem = "";

    /**
     * Begins with the files as they are.
     *
     * @param environment where the folder of credentials is found.
     */
    KeyWatch(
            final SecurityConfig security,
            final Sessions sessions,
            final Map<String, String> environment) {
        this.security = security;
        this.environment = environment;
        this.sessions = sessions;
        seen = states();
        if (!isRing(sessions.ring())) {
            // They have changed since the node read them: the first look takes them in.
            seen = List.of();
        }
    }

    private boolean isRing(final KeyRing ring) {
        try {
            return KeyFile.read(security, environment).equals(ring);
        } catch (final IOException e) {
            return true;
        }
    }

    /**
     * Reads the files again if one has changed, or could not be read the last time: then what is
     * wrong may lie in its folder. What cannot be read changes nothing, and is logged once.
     */
    void look() {
        final List<Object> now = states();
        if (now.equals(seen) && problem.isEmpty()) {
            return;
        }
        seen = now;
        try {
            final KeyRing ring = KeyFile.read(security, environment);
            problem = "";
            if (!ring.equals(sessions.ring())) {
                sessions.change(ring);
                LOGGER.info("the keys are now {}", ring.keys());
            }
        } catch (final IOException e) {
            if (!problem.equals(e.getMessage())) {
                problem = e.getMessage();
                LOGGER.warn("the keys stay as they are: {}", problem);
            }
        }
    }

    private List<Object> states() {
        final List<Object> states = new ArrayList<>();
        for (final String name : security.keys()) {
            try {
                states.add(Files.readAttributes(KeyFile.path(name, environment), STATE));
            } catch (final IOException e) {
                states.add(e.toString());
            }
        }
        return states;
    }
}
