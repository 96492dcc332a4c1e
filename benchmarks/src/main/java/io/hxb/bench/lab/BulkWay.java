package io.hxb.bench.lab;

/** How frames of HXB cross a link that carries bulk data. */
enum BulkWay {
    /** UDP sockets, in trains. */
    UDP_TRAINS("HXB, UDP trains"),

    /** UDP sockets, frame by frame. */
    UDP("HXB, UDP frame by frame"),

    /** Raw links, by IP in trains. */
    RAW_IP("HXB, raw, IP trains"),

    /** Raw links, frames longer than the MTU as segments of TCP. */
    RAW_TCP("HXB, raw, TCP long frames"),

    /** Raw links, as Ethernet frames. */
    RAW("HXB, raw, Ethernet");

    private final String label;

    BulkWay(final String label) {
        this.label = label;
    }

    /** For tables. */
    String label() {
        return label;
    }

    /** True for raw links. */
    boolean isRaw() {
        return this == RAW_IP || this == RAW_TCP || this == RAW;
    }

    /** How raw links send frames, as the cluster file has it. */
    String encapsulation() {
        assert isRaw() : "only raw links have a choice";
        return switch (this) {
            case RAW_IP -> "udp";
            case RAW_TCP -> "tcp";
            default -> "ethernet";
        };
    }

    /** Bytes of the MTU that are no HXB frame. */
    int headerBytes() {
        // Frames up to the MTU go as Ethernet frames beside segments of TCP.
        return this == RAW || this == RAW_TCP ? 0 : BulkNetwork.DATAGRAM_HEADER_BYTES;
    }
}
