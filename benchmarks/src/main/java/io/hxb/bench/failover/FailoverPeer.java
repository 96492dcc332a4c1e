package io.hxb.bench.failover;

import io.hxb.tool.lab.LabSpec;

import java.io.IOException;

/** A one-way transfer by other means than HXB, from node 0 of a lab of two nodes to node 1. */
interface FailoverPeer {
    /** Names it in tables. */
    String name();

    /**
     * Gives the NICs of a lab what it needs.
     *
     * @throws io.hxb.tool.report.ToolException if the machine lacks it.
     */
    void prepare(LabSpec spec) throws IOException;

    /**
     * Starts to send.
     *
     * @param startNs when the first sample begins, System.nanoTime().
     * @param seconds of samples.
     */
    Transfer start(LabSpec spec, long startNs, double seconds)
            throws IOException, InterruptedException;

    /** One transfer that goes on by itself. */
    interface Transfer extends AutoCloseable {
        /**
         * Waits until it has ended, which it does by itself soon after the last sample.
         *
         * @return bytes that arrived in each sample of {@link PeerBurst#SAMPLE_NS}.
         */
        long[] samples() throws IOException, InterruptedException;

        @Override
        void close();
    }
}
