package io.hxb.node;

import io.hxb.node.loop.LoopStuckException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Resources that were opened one after the other, to be closed in reverse order. Used by one thread
 * at a time.
 */
final class ResourceStack implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(ResourceStack.class);

    private final Deque<AutoCloseable> resources = new ArrayDeque<>();
    private LoopStuckException stuck;

    /** Closes {@code resource} before all that were pushed earlier; returns it. */
    <T extends AutoCloseable> T push(final T resource) {
        resources.push(resource);
        return resource;
    }

    /**
     * Closes everything; continues if one resource cannot be closed.
     *
     * @throws LoopStuckException if a loop still runs, which may use all that was pushed before it:
     *     that stays open, also when this is called again.
     */
    @Override
    public void close() {
        if (stuck != null) {
            throw stuck;
        }
        while (!resources.isEmpty()) {
            try {
                resources.pop().close();
            } catch (final LoopStuckException e) {
                stuck = e;
                LOGGER.error("cannot close everything: {}", e.getMessage());
                throw e;
            } catch (final Exception e) {
                LOGGER.warn("closing continues after an error", e);
            }
        }
    }
}
