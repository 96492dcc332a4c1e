package io.hxb.tool.measure;

import io.hxb.config.LoopConfig;
import io.hxb.pm.PmContextOptions;

/** Makes the ends of a measurement wait as the loops of the nodes do. Stateless. */
public final class ContextWaiting {
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
}
