package io.hxb.node.service;

import io.hxb.linux.Memory;
import io.hxb.os.CpuTime;

import org.agrona.collections.Long2ObjectHashMap;

import java.util.List;

/**
 * Checks and counts the streams of measured messages that a receiver gets, by the context that
 * sends them, and writes what it found as the reply to those who ask. Owned by the thread that
 * receives. It allocates when a new source begins, and when it looks at the CPU time.
 */
public final class StreamCounts {
    /** Instead of a CPU time that is not known. */
    public static final long UNKNOWN = -1;

    /**
     * Maximum number of source contexts that are counted; messages of others are taken and not
     * counted.
     */
    private static final int MAX_STREAMS = 4096;

    /** The kernel counts in ticks of 10 ms, so that more frequent reads return the same value. */
    private static final long LOOK_NS = 10_000_000;

    private final Long2ObjectHashMap<StreamCheck> streams = new Long2ObjectHashMap<>();
    private final long programPid;
    private final long nodePid;
    private long lookedNs;
    private boolean hasLooked;
    private long programNs = UNKNOWN;
    private long nodeNs = UNKNOWN;

    /**
     * Makes one.
     *
     * @param programPid process of the receiving program; 0 where the node itself receives.
     * @param nodePid process of its node; 0 if it is not known.
     */
    public StreamCounts(final long programPid, final long nodePid) {
        this.programPid = programPid;
        this.nodePid = nodePid;
    }

    /** The stream of a source; null if there are too many others. */
    public StreamCheck of(final int sourceNode, final int sourceContext) {
        final long key = key(sourceNode, sourceContext);
        StreamCheck stream = streams.get(key);
        if (stream == null && streams.size() < MAX_STREAMS) {
            stream = new StreamCheck();
            streams.put(key, stream);
        }
        return stream;
    }

    /**
     * Takes a whole message into account.
     *
     * @param isWhole whether its sender has written all of it, so that every byte is compared.
     */
    public void onMessage(
            final int sourceNode,
            final int sourceContext,
            final long address,
            final int lengthBytes,
            final boolean isWhole) {
        final StreamCheck stream = of(sourceNode, sourceContext);
        if (stream != null && lengthBytes > 0) {
            stream.onMessage(
                    MessagePattern.sequence(address, lengthBytes),
                    lengthBytes,
                    !isWhole || MessagePattern.isIntact(address, lengthBytes));
        }
    }

    /** Forgets the stream of a source. */
    public void reset(final int sourceNode, final int sourceContext) {
        streams.remove(key(sourceNode, sourceContext));
    }

    /**
     * Writes {@link ServiceProtocol#REPLY_BYTES} bytes about a source.
     *
     * @param nowNs of {@link System#nanoTime()}.
     */
    public void write(
            final long address, final int sourceNode, final int sourceContext, final long nowNs) {
        final StreamCheck stream = streams.get(key(sourceNode, sourceContext));
        look(nowNs);
        Memory.putLong(address, stream == null ? 0 : stream.messages());
        Memory.putLong(address + 8, stream == null ? 0 : stream.bytes());
        Memory.putLong(address + 16, stream == null ? 0 : stream.lost());
        Memory.putLong(address + 24, stream == null ? 0 : stream.duplicated());
        Memory.putLong(address + 32, stream == null ? 0 : stream.reordered());
        Memory.putLong(address + 40, stream == null ? 0 : stream.corrupt());
        Memory.putLong(address + 48, programNs);
        Memory.putLong(address + 56, nodeNs);
    }

    private void look(final long nowNs) {
        if (!hasLooked || nowNs - lookedNs >= LOOK_NS) {
            hasLooked = true;
            lookedNs = nowNs;
            programNs = cpuNs(programPid);
            nodeNs = cpuNs(nodePid);
        }
    }

    private static long cpuNs(final long pid) {
        return pid == 0 ? UNKNOWN : CpuTime.ofNs(List.of(pid)).orElse(UNKNOWN);
    }

    private static long key(final int sourceNode, final int sourceContext) {
        return (long) sourceNode << 32 | sourceContext;
    }
}
