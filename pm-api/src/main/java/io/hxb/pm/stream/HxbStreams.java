package io.hxb.pm.stream;

import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;

import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The streams of one process: many sockets over one context of its node. Any thread may call it and
 * its channels. A thread that waits in one of them serves all the others in the meantime; while
 * none waits, a separate thread does.
 *
 * <pre>{@code
 * try (PmDevice device = PmDevice.attach(Path.of("/run/hxb/node.sock"));
 *         HxbStreams streams = HxbStreams.open(device);
 *         HxbSocketChannel channel = streams.connect(new HxbSocketAddress(1, 8080), SECOND_NS)) {
 *     channel.output().write("hello\n".getBytes(UTF_8));
 *     channel.shutdownOutput();
 *     channel.input().transferTo(System.out);
 * }
 * }</pre>
 *
 * <p>With a device whose node runs on the application's thread ({@link PmDevice#isInvoker()}) that
 * thread makes all calls.
 *
 * <p>Memory: a few objects for an idle stream, and what has been received and not read, at most
 * {@link StreamOptions#windowBytes()} and a piece of 4,096 bytes for each stream; the context's
 * send buffers are shared by all.
 */
public final class HxbStreams implements AutoCloseable {
    private static final long LINGER_SLICE_NS = 10_000_000L;
    private static final int DELIVERIES = 4096;

    private final PmContext context;
    private final StreamEngine engine;
    private final ReentrantLock lock;
    private boolean isClosed;

    private HxbStreams(final PmDevice device, final PmContext context, final StreamOptions options)
            throws IOException {
        this.context = context;
        engine = new StreamEngine(device, context, options);
        lock = engine.lock();
        engine.pump().start();
    }

    /**
     * Opens streams with default options; as {@link #open(PmDevice, StreamOptions)}.
     *
     * @param device stays open until the streams are closed.
     * @return the streams, which the caller closes.
     * @throws IOException if no context is free, or the node is gone.
     */
    public static HxbStreams open(final PmDevice device) throws IOException {
        return open(device, StreamOptions.DEFAULT);
    }

    /**
     * Opens a context for streams. Blocks for at most 5 seconds for each context that is tried.
     *
     * @param device stays open until the streams are closed.
     * @param options sizes and times.
     * @return the streams, which the caller closes.
     * @throws IOException if no context is free, or the node is gone.
     */
    public static HxbStreams open(final PmDevice device, final StreamOptions options)
            throws IOException {
        final PmContext context = openContext(device, options);
        try {
            return new HxbStreams(device, context, options);
        } catch (final IOException | RuntimeException e) {
            context.close();
            throw e;
        }
    }

    private static PmContext openContext(final PmDevice device, final StreamOptions options)
            throws IOException {
        final PmContextOptions sizes =
                PmContextOptions.DEFAULT
                        .withSendBuffers(options.sendBuffers())
                        .withDeliveryEntries(DELIVERIES)
                        .withSpinNs(options.spinNs())
                        .withPeerWaitNs(0);
        if (options.contextId() != StreamOptions.ANY_CONTEXT) {
            return device.openContext(options.contextId(), sizes);
        }
        IOException last = new IOException("the node has no context for applications");
        for (int id = device.contextCount() - 1; id > 0; id--) {
            try {
                return device.openContext(id, sizes);
            } catch (final IOException e) {
                last = e;
                if (!device.isNodeAlive()) {
                    throw e;
                }
            }
        }
        throw last;
    }

    /** {@return the device that the streams were opened with} */
    public PmDevice device() {
        return engine.device();
    }

    /** {@return the context's number} */
    public int contextId() {
        return engine.contextId();
    }

    /**
     * Connects to a port of a node; as {@link HxbSocketChannel#connect(HxbSocketAddress, long)}.
     *
     * @param remote node and port of the peer.
     * @param timeoutNs longest wait in ns, 0 for none.
     * @return the connected channel, which the caller closes.
     * @throws IOException as the channel's method.
     */
    public HxbSocketChannel connect(final HxbSocketAddress remote, final long timeoutNs)
            throws IOException {
        final HxbSocketChannel channel = HxbSocketChannel.open(this);
        try {
            channel.connect(remote, timeoutNs);
            return channel;
        } catch (final IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /**
     * Listens on a port of this node; as {@link HxbServerSocketChannel#bind(int, int)}.
     *
     * @param port 1 to 65,535, or 0 for any free one.
     * @return the channel that listens, which the caller closes.
     * @throws IOException as the channel's method.
     */
    public HxbServerSocketChannel listen(final int port) throws IOException {
        return listen(port, HxbServerSocketChannel.DEFAULT_BACKLOG);
    }

    /**
     * Listens on a port of this node; as {@link HxbServerSocketChannel#bind(int, int)}.
     *
     * @param port 1 to 65,535, or 0 for any free one.
     * @param backlog streams that may wait to be accepted, 1 or more.
     * @return the channel that listens, which the caller closes.
     * @throws IOException as the channel's method.
     */
    public HxbServerSocketChannel listen(final int port, final int backlog) throws IOException {
        final HxbServerSocketChannel channel = HxbServerSocketChannel.open(this);
        try {
            channel.bind(port, backlog);
            return channel;
        } catch (final IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** {@return what has been counted so far} */
    public StreamCounters counters() {
        lock.lock();
        try {
            return engine.counters().copy();
        } finally {
            lock.unlock();
        }
    }

    /** {@return the number of streams that are open or being connected} */
    public int streamCount() {
        lock.lock();
        try {
            return engine.streamCount();
        } finally {
            lock.unlock();
        }
    }

    /**
     * {@return the descriptor that becomes readable when there is something to do, for the poll or
     * epoll of an event loop that {@link #beginDriving drives} the streams}
     */
    public int descriptor() {
        return engine.descriptor();
    }

    /** {@return the second descriptor to wait on, by which other threads wake the driver} */
    public int wakeDescriptor() {
        return engine.pump().wakeDescriptor();
    }

    /**
     * An event loop takes over: it waits on {@link #descriptor()} and {@link #wakeDescriptor()} and
     * calls {@link #drive} when one is readable, at least once a second, and once at the start.
     * Threads that wait in blocking calls are then woken by it. Called by the loop's thread.
     *
     * @throws IllegalStateException if there is a driver already.
     */
    public void beginDriving() {
        lock.lock();
        try {
            engine.pump().beginDriving();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Does what there is to do and arms the descriptor again. Does not block. Called by the driver.
     */
    public void drive() {
        lock.lock();
        try {
            engine.pump().drive();
        } finally {
            lock.unlock();
        }
    }

    /** The driver leaves; waiting threads serve themselves again. */
    public void endDriving() {
        lock.lock();
        try {
            engine.pump().endDriving();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Closes all channels, waits until what was written is acknowledged, at most {@link
     * StreamOptions#lingerNs()}, and closes the context. A driver must have left before.
     */
    @Override
    public void close() {
        lock.lock();
        try {
            if (isClosed) {
                return;
            }
            isClosed = true;
            engine.closeAll();
            linger();
            engine.fail(ResetReason.CLOSED_HERE);
            engine.pump().close();
            engine.receivePool().detach();
        } finally {
            lock.unlock();
        }
        engine.pump().release();
        context.close();
    }

    private void linger() {
        final StreamEventLoop.Source source = new Lingering();
        final long startNs = System.nanoTime();
        long leftNs = engine.options().lingerNs();
        try {
            while (leftNs > 0 && !engine.isBroken() && engine.outbox().unfinished() > 0) {
                engine.pump().await(source, Math.min(leftNs, LINGER_SLICE_NS));
                leftNs = engine.options().lingerNs() - (System.nanoTime() - startNs);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    StreamEngine engine() {
        return engine;
    }

    private static final class Lingering extends StreamEventLoop.Source {
        @Override
        int readyOps() {
            return 0;
        }
    }
}
