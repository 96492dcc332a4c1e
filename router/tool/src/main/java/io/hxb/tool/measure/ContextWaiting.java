package io.hxb.tool.measure;

import io.hxb.config.LoopConfig;
import io.hxb.pm.PmContextOptions;

/** Makes the ends of a measurement wait as the loops of the nodes do. Stateless. */
public final class ContextWaiting {
    /** As many as a flow may have in flight. */
    private static final int SEND_BUFFERS = 1024;

    private static final long FOR_EVER_NS = Long.MAX_VALUE / 4;

    private ContextWaiting() {}

    /** Options of a context whose thread waits in that way. */
    public static PmContextOptions options(final LoopConfig loop) {
        return PmContextOptions.DEFAULT.withSpinNs(
                switch (loop.waiting()) {
                    case SPIN -> FOR_EVER_NS;
                    case HYBRID -> loop.spinForNs();
                    case BLOCK -> 0;
                });
    }

    /** The same for a thread that sends as much as it can: spinning would take the loops' CPU. */
    public static PmContextOptions sending(final LoopConfig loop) {
        final PmContextOptions options = PmContextOptions.DEFAULT.withSendBuffers(SEND_BUFFERS);
        return options.withSpinNs(loop.waiting() == LoopConfig.Waiting.SPIN ? FOR_EVER_NS : 0);
    }
}
