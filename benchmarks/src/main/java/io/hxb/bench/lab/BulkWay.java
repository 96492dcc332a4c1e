package io.hxb.bench.lab;

/** How frames of HXB cross a link that carries bulk data. */
enum BulkWay {
    /** UDP sockets, in trains. */
    UDP_TRAINS("HXB, UDP trains"),

    /** UDP sockets, frame by frame. */
    UDP("HXB, UDP frame by frame"),

    /** Raw links, by IP in trains. */
    RAW_IP("HXB, raw, IP trains"),

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
        return this == RAW_IP || this == RAW;
    }

    /** Bytes of the MTU that are no HXB frame. */
    int headerBytes() {
        return this == RAW ? 0 : BulkNetwork.DATAGRAM_HEADER_BYTES;
    }
}
