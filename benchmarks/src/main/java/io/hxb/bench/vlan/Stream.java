package io.hxb.bench.vlan;

import io.hxb.tool.lab.switches.SwitchLab;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** One host sends to another as much as it can, until closed; a thread for each end. */
final class Stream implements AutoCloseable {
    private static final int CHUNK_BYTES = 32 << 10;

    private final AtomicLong receivedBytes = new AtomicLong();
    private final AtomicBoolean isEnding = new AtomicBoolean();
    private final HostConnection near;
    private final HostConnection far;
    private final Thread sender;
    private final Thread receiver;

    Stream(final SwitchLab lab, final int from, final int to) throws IOException {
        final HostConnection[] ends = HostConnection.join(lab, from, to);
        near = ends[0];
        far = ends[1];
        sender = Thread.ofPlatform().name("send " + from).start(this::send);
        receiver = Thread.ofPlatform().name("receive " + to).start(this::receive);
    }

    private void send() {
        final ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
        try {
            while (!isEnding.get()) {
                near.send(chunk);
                if (!chunk.hasRemaining()) {
                    chunk.clear();
                }
            }
        } catch (final IOException e) {
            complain(e);
        }
    }

    private void receive() {
        final ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
        try {
            while (!isEnding.get()) {
                chunk.clear();
                receivedBytes.addAndGet(Math.max(0, far.receive(chunk)));
            }
        } catch (final IOException e) {
            complain(e);
        }
    }

    private void complain(final IOException e) {
        if (!isEnding.get()) {
            System.err.println(Thread.currentThread().getName() + ": " + e);
        }
    }

    /** Payload that has arrived so far. */
    long receivedBytes() {
        return receivedBytes.get();
    }

    @Override
    public void close() throws IOException {
        isEnding.set(true);
        try {
            sender.join();
            receiver.join();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("while a stream ended");
        }
        near.close();
        far.close();
    }
}
