package io.hxb.sim.ethernet;

/** What hosts send, and do with what they get. Owned by one run. */
public interface SimulatedApplication {
    /** The next frame, filled by {@link #next}. */
    final class Draft {
        private int destination;
        private int vlan;
        private int bytes;
        private int tag;

        Draft() {}

        /**
         * Fills it.
         *
         * @param frameBytes from the destination's address to the end of the payload.
         * @param number anything that the receiver needs to know.
         */
        public void set(
                final int host, final int vlanNumber, final int frameBytes, final int number) {
            destination = host;
            vlan = vlanNumber;
            bytes = frameBytes;
            tag = number;
        }

        int destination() {
            return destination;
        }

        int vlan() {
            return vlan;
        }

        int bytes() {
            return bytes;
        }

        int tag() {
            return tag;
        }
    }

    /**
     * Asks for the next frame of a host, whose link is free.
     *
     * @return whether there is one; if not, {@link EthernetNetwork#wake} asks again.
     */
    boolean next(int host, long nowNs, Draft draft);

    /** A frame for this host has come in. */
    void onFrame(
            EthernetNetwork network,
            int host,
            int source,
            int vlan,
            int bytes,
            int tag,
            long nowNs);
}
