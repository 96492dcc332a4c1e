package io.hxb.sim.route;

/**
 * The lanes of a channel as copies of the virtual channels that a routing needs: lane {@code
 * channel * lanes + copy * virtualChannels + virtualChannel}. Immutable.
 */
final class LaneCopies {
    private final int lanes;
    private final int virtualChannels;
    private final int copies;
    private final boolean isFree;

    /**
     * Divides the lanes.
     *
     * @param lanes virtual channels of each channel, at least {@code virtualChannels}.
     * @param virtualChannels that the routing needs.
     * @param isFree whether a packet may take any copy at every switch, instead of keeping to one.
     */
    LaneCopies(final int lanes, final int virtualChannels, final boolean isFree) {
        this.lanes = lanes;
        this.virtualChannels = virtualChannels;
        this.isFree = isFree;
        copies = lanes / virtualChannels;
    }

    /** Number of copies that a packet may be bound to. */
    int bound() {
        return isFree ? 1 : copies;
    }

    /** Number of lanes that {@link #write} writes. */
    int written() {
        return isFree ? copies : 1;
    }

    int channel(final int lane) {
        return lane / lanes;
    }

    int virtualChannel(final int lane) {
        return lane % lanes % virtualChannels;
    }

    /**
     * Writes the lanes of a virtual channel.
     *
     * @param copy that the packet is bound to.
     * @return the index after them.
     */
    int write(
            final int channel,
            final int virtualChannel,
            final int copy,
            final int[] out,
            final int offset) {
        final int lane = channel * lanes + virtualChannel;
        if (!isFree) {
            out[offset] = lane + copy * virtualChannels;
            return offset + 1;
        }
        for (int i = 0; i < copies; i++) {
            out[offset + i] = lane + i * virtualChannels;
        }
        return offset + copies;
    }

    /** The same of a routing's step: {@code channel * virtualChannels + virtualChannel}. */
    int writeStep(final int step, final int copy, final int[] out, final int offset) {
        return write(step / virtualChannels, step % virtualChannels, copy, out, offset);
    }
}
