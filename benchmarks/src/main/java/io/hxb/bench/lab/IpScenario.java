package io.hxb.bench.lab;

import io.hxb.tool.lab.LabWire;

/**
 * Two hosts, what joins them, and who is measured there. Immutable.
 *
 * @param name for tables.
 * @param wire what becomes of trains.
 * @param between what is between the hosts.
 * @param links number of links.
 * @param mtu of the links.
 * @param mbit rate of each link; 0 if they are not shaped.
 * @param cast adds the contestants.
 */
record IpScenario(
        String name,
        LabWire wire,
        BulkNetwork.Between between,
        int links,
        int mtu,
        int mbit,
        Cast cast) {

    /** Who takes part. */
    @FunctionalInterface
    interface Cast {
        /** Changes the network, if that is needed, and adds the contestants. */
        void add(BulkNetwork network, IpContest contest) throws Exception;
    }

    /** The network, without contestants. */
    BulkNetwork network() throws Exception {
        return new BulkNetwork(wire, links, mtu, mbit, between);
    }

    /** Name for a list of results. */
    String title() {
        return "%s, %d links, MTU %d".formatted(name, links, mtu);
    }
}
