package io.hxb.vlan.health;

import io.hxb.vlan.HostPaths;
import io.hxb.vlan.HostTable;
import io.hxb.vlan.Tagger;

import java.util.function.IntConsumer;

/**
 * Sees to which hosts traffic goes, by the tagger's counts. Looks at those of VIDs ten times a
 * second, and at those of hosts only if these have grown. Owned by the thread of its {@link
 * PathHealth}. Memory: 2 bytes a host.
 */
final class TrafficWatch {
    private static final long LOOK_NS = 100_000_000;
    private static final int LOOKS_OF_EXCEPTIONS = 10;

    private final HostTable table;
    private final HostPaths paths;
    private final Tagger tagger;

    // The last bits of their counts: hosts that 65,536 frames were sent to in between, not one more
    // or less, are seen at the next look.
    private final char[] frames;

    private long sum;
    private long others;
    private long nextNs;
    private int looks;

    TrafficWatch(
            final HostTable table, final HostPaths paths, final Tagger tagger, final long nowNs) {
        this.table = table;
        this.paths = paths;
        this.tagger = tagger;
        frames = new char[paths.hostCount()];
        nextNs = nowNs;
    }

    /**
     * Looks if it is time.
     *
     * @param onTraffic is notified of hosts that frames were sent to since the last look; {@link
     *     Tagger#OTHERS} of all that the plan does not name.
     * @param onException is notified of hosts that do not follow the table, once a second.
     */
    void look(final long nowNs, final IntConsumer onTraffic, final IntConsumer onException) {
        if (nowNs - nextNs < 0) {
            return;
        }
        nextNs = nowNs + LOOK_NS;
        long now = 0;
        for (int i = 0; i < table.vids().size(); i++) {
            now += tagger.traffic(table.vids().get(i)).sentFrames();
        }
        final boolean hasGrown = now != sum;
        final boolean hasExceptions =
                looks++ % LOOKS_OF_EXCEPTIONS == 0 && paths.exceptionCount() > 0;
        sum = now;
        if (hasGrown) {
            final long toOthers = tagger.sentFrames(Tagger.OTHERS);
            if (toOthers != others) {
                others = toOthers;
                onTraffic.accept(Tagger.OTHERS);
            }
        }
        if (!hasGrown && !hasExceptions) {
            return;
        }
        for (int host = 0; host < frames.length; host++) {
            if (host != paths.here()) {
                final char sent = (char) tagger.sentFrames(host);
                if (sent != frames[host]) {
                    frames[host] = sent;
                    onTraffic.accept(host);
                } else if (hasExceptions && paths.exception(host) != HostPaths.BY_TABLE) {
                    onException.accept(host);
                }
            }
        }
    }
}
