package io.hxb.pm.stream;

import java.io.IOException;
import java.io.Serial;

/**
 * The node of this machine has ended, and with it all streams and listeners of {@link HxbStreams},
 * which cannot be used any more: close them and their device, attach again when a node runs, and
 * open new ones. Unlike a {@link StreamResetException}, which concerns one stream, it is not cured
 * by connecting or accepting again. Immutable.
 */
public final class NodeGoneException extends IOException {
    @Serial private static final long serialVersionUID = 1L;

    NodeGoneException(final Object place) {
        super(ResetReason.NODE_GONE.text() + " (" + place + "): attach again when it runs");
    }
}
