package io.hxb.trunk.health;

import io.hxb.trunk.Port;

import java.util.ArrayList;
import java.util.List;

/**
 * What all loops of a node and its bypasses have received and sent, as far as links are judged by
 * it. Guarded by the lock of {@link TrunkHealth}.
 */
final class NodeTraffic {
    private final Port[][] trunks;
    private final List<LoopTraffic> loops = new ArrayList<>();
    // By link index; null where no loop receives.
    private final LoopTraffic[] readers;
    private final boolean[] isDrained;
    private final int[] drains;

    /**
     * Prepares to ask the loops.
     *
     * @param trunks the node's ports, {@code [dimensions][links of that trunk]}.
     * @param links links of the node.
     */
    NodeTraffic(final Port[][] trunks, final int links) {
        this.trunks = trunks;
        readers = new LoopTraffic[links];
        isDrained = new boolean[links];
        drains = new int[links];
    }

    /** Lets a loop take part; before it starts. */
    void add(final LoopTraffic loop) {
        loops.add(loop);
        for (final int link : loop.received()) {
            assert readers[link] == null : "one loop receives on a link";
            readers[link] = loop;
        }
    }

    /** Finds out on which links all that had arrived by the last look has been received. */
    void look() {
        for (int link = 0; link < readers.length; link++) {
            if (readers[link] != null) {
                final int now = readers[link].drains(link);
                isDrained[link] = now != drains[link];
                drains[link] = now;
            }
        }
    }

    /**
     * True if frames that had arrived on a link by the last look but one have been received. A link
     * whose sockets have not been read to the end may have frames waiting: it does not count as
     * silent.
     */
    boolean isDrained(final int linkIndex) {
        return isDrained[linkIndex];
    }

    /** How often everything that waited on a link has been received by now. */
    int drains(final int linkIndex) {
        return readers[linkIndex] == null ? 0 : readers[linkIndex].drains(linkIndex);
    }

    /** Frames that this node has sent to a neighbour over all links, status frames apart. */
    int sentFrames(final int dimension, final int neighbour) {
        int frames = 0;
        for (int number = 0; number < trunks[dimension].length; number++) {
            frames += sentFrames(dimension, number, neighbour);
        }
        return frames;
    }

    /** Frames sent to a neighbour over one link of a trunk, modulo 2^32, status frames apart. */
    int sentFrames(final int dimension, final int number, final int neighbour) {
        int frames = trunks[dimension][number].bypass().sentFrames(neighbour);
        for (int i = 0; i < loops.size(); i++) {
            frames += loops.get(i).sentFrames(dimension, number, neighbour);
        }
        return frames;
    }

    /**
     * Those of these frames that are still in the node: a neighbour must not count them as missing.
     */
    int queuedFrames(final int linkIndex) {
        int frames = 0;
        for (int i = 0; i < loops.size(); i++) {
            frames += loops.get(i).queuedFrames(linkIndex);
        }
        return frames;
    }

    /**
     * Those that have left the node, but may wait in a queue of the kernel or in a NIC: until they
     * have gone, they do not count as lost.
     */
    int waitingFrames(final int linkIndex) {
        int frames = 0;
        for (int i = 0; i < loops.size(); i++) {
            frames += loops.get(i).waitingFrames(linkIndex);
        }
        return frames;
    }

    /** Ends the sleep of the loop that receives on a link. */
    void wakeReader(final int linkIndex) {
        if (readers[linkIndex] != null) {
            readers[linkIndex].wake();
        }
    }

    /** Ends the sleep of every loop. */
    void wakeAll() {
        for (int i = 0; i < loops.size(); i++) {
            loops.get(i).wake();
        }
    }
}
