package io.hxb.pm.stream;

/**
 * What the streams of one context have counted since it was opened. Guarded by the engine's lock;
 * what {@link HxbStreams#counters()} returns is a copy that does not change.
 */
public final class StreamCounters {
    private long connected;
    private long accepted;
    private long refused;
    private long resetsReceived;
    private long resetsSent;
    private long malformed;
    private long unknownStream;
    private long protocolErrors;
    private long peersLost;
    private long bytesSent;
    private long bytesReceived;

    StreamCounters() {}

    void onConnected() {
        connected++;
    }

    void onAccepted() {
        accepted++;
    }

    void onRefused() {
        refused++;
    }

    void onResetReceived() {
        resetsReceived++;
    }

    void onResetSent() {
        resetsSent++;
    }

    void onMalformed() {
        malformed++;
    }

    void onUnknownStream() {
        unknownStream++;
    }

    void onProtocolError() {
        protocolErrors++;
    }

    void onPeerLost() {
        peersLost++;
    }

    void onSent(final long bytes) {
        bytesSent += bytes;
    }

    void onReceived(final long bytes) {
        bytesReceived += bytes;
    }

    StreamCounters copy() {
        final StreamCounters copy = new StreamCounters();
        copy.connected = connected;
        copy.accepted = accepted;
        copy.refused = refused;
        copy.resetsReceived = resetsReceived;
        copy.resetsSent = resetsSent;
        copy.malformed = malformed;
        copy.unknownStream = unknownStream;
        copy.protocolErrors = protocolErrors;
        copy.peersLost = peersLost;
        copy.bytesSent = bytesSent;
        copy.bytesReceived = bytesReceived;
        return copy;
    }

    /** {@return the number of streams that this side has opened with success} */
    public long connected() {
        return connected;
    }

    /** {@return the number of streams that peers have opened} */
    public long accepted() {
        return accepted;
    }

    /**
     * {@return the number of streams of peers that were refused: no listener, full backlog, too
     * many streams}
     */
    public long refused() {
        return refused;
    }

    /** {@return the number of streams that peers have reset or refused} */
    public long resetsReceived() {
        return resetsReceived;
    }

    /** {@return the number of resets sent, refusals and answers to unknown streams included} */
    public long resetsSent() {
        return resetsSent;
    }

    /** {@return the number of messages that were not records of a stream; they were dropped} */
    public long malformed() {
        return malformed;
    }

    /**
     * {@return the number of records of streams that do not exist, or are another peer's; they were
     * dropped}
     */
    public long unknownStream() {
        return unknownStream;
    }

    /** {@return the number of records that broke the rules of their stream, which was reset} */
    public long protocolErrors() {
        return protocolErrors;
    }

    /**
     * {@return the number of peers whose streams all ended at once: gone, restarted or unreachable}
     */
    public long peersLost() {
        return peersLost;
    }

    /** {@return the number of bytes written by applications and handed to the node} */
    public long bytesSent() {
        return bytesSent;
    }

    /** {@return the number of bytes received for applications} */
    public long bytesReceived() {
        return bytesReceived;
    }
}
