package io.hxb.tool.graph;

/**
 * What one port of a system heard. Immutable.
 *
 * @param system the one that heard it.
 * @param port its own name of the port.
 * @param neighbour what the other end announced.
 * @param isLldp false for CDP and other protocols that lldpd hears, too.
 * @param ageS seconds since the neighbour's first frame, -1 when it is not known.
 * @param ttlS seconds after its last frame for which a neighbour is listed.
 * @param rid number that lldpd gives to each neighbour, -1 when it is not known.
 */
record LldpReport(
        String system,
        String port,
        Neighbour neighbour,
        boolean isLldp,
        long ageS,
        long ttlS,
        int rid) {

    /** What a system announces that it does. */
    enum Kind {
        BRIDGE,
        ROUTER,
        OTHER,
        UNKNOWN
    }

    /**
     * The other end, in its own words. Immutable.
     *
     * @param name of the system, empty when it announces none.
     * @param chassis its identity, as a rule a MAC address; may be empty.
     * @param port its identity of the port.
     * @param description of the port; may be empty.
     * @param mac 48 bits, 0 when the port's identity is none.
     * @param aggregate the aggregate of the port, empty when it belongs to none.
     */
    record Neighbour(
            String name,
            String chassis,
            Kind kind,
            String port,
            String description,
            long mac,
            String aggregate) {
        /** The port's name; where its identity is a MAC address, the description. */
        String portName() {
            return mac != 0 && !description.isEmpty() ? description : port;
        }

        String systemName() {
            return name.isEmpty() ? chassis : name;
        }
    }

    /** This system, as another name of it turned out. */
    LldpReport withSystems(final String other, final String neighbourName) {
        return new LldpReport(
                other,
                port,
                new Neighbour(
                        neighbourName,
                        neighbour.chassis,
                        neighbour.kind,
                        neighbour.port,
                        neighbour.description,
                        neighbour.mac,
                        neighbour.aggregate),
                isLldp,
                ageS,
                ttlS,
                rid);
    }

    /** True if the other neighbour, which is at the same port, has come after this one went. */
    boolean isOutlivedBy(final LldpReport other) {
        return ageS >= 0 && other.ageS >= 0 && other.ageS < ageS && other.ageS < ttlS;
    }

    /** As text: {@code leaf1.swp1 hears spine1 at swp3}. */
    @Override
    public String toString() {
        return system
                + "."
                + port
                + " hears "
                + neighbour.systemName()
                + " at its port "
                + neighbour.portName();
    }
}
