package io.hxb.context;

import io.hxb.link.BufferPool;
import io.hxb.linux.LinuxException;
import io.hxb.linux.SharedMemory;
import io.hxb.pm.shm.NodePage;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The memory of a node that all its applications see: the node page and the receive buffers, and
 * which context has which buffer. Any thread.
 */
final class NodeMemory {
    private static final int SEALS =
            SharedMemory.SEAL_SHRINK
                    | SharedMemory.SEAL_GROW
                    | SharedMemory.SEAL_FUTURE_WRITE
                    | SharedMemory.SEAL_SEALS;

    private final BufferPool pool;
    private final SharedMemory receivePool;
    private final SharedMemory nodePage;
    private final NodePage page;
    private final BufferLedger books;

    // The node and the attachments in this process, which all use the node page.
    private final AtomicInteger users = new AtomicInteger(1);

    /**
     * Makes the node page.
     *
     * @param pool lies over {@code receivePool}.
     * @param receivePool made by {@link #createReceivePool}; the caller closes it, after this.
     */
    NodeMemory(final ContextParts parts, final BufferPool pool, final SharedMemory receivePool)
            throws LinuxException {
        this.pool = pool;
        this.receivePool = receivePool;
        nodePage = SharedMemory.create("hxb-node", NodePage.LENGTH_BYTES);
        nodePage.seal(SEALS);
        page = new NodePage(nodePage.address());
        page.initialize(
                new NodePage.Facts(
                        parts.nodeId(),
                        parts.nodeCount(),
                        parts.cluster().shape().extentsText(),
                        parts.mtuBytes(),
                        parts.contexts(),
                        pool.bufferCount(),
                        pool.bufferBytes(),
                        parts.incarnation(),
                        parts.loops()));
        books = new BufferLedger(pool.bufferCount());
    }

    /**
     * Makes the memory of a receive pool, which only this process can ever write.
     *
     * @param lengthBytes 1 or more; of huge pages a multiple of 2 MB.
     * @param isHuge whether to use huge pages.
     * @throws LinuxException if there is not enough memory, or not enough huge pages.
     */
    static SharedMemory createReceivePool(final long lengthBytes, final boolean isHuge)
            throws LinuxException {
        final SharedMemory memory =
                isHuge
                        ? SharedMemory.createHuge("hxb-receive", lengthBytes)
                        : SharedMemory.create("hxb-receive", lengthBytes);
        memory.seal(SEALS);
        return memory;
    }

    /** Where received frames lie. */
    BufferPool pool() {
        return pool;
    }

    /** Which context has which buffer. */
    BufferLedger books() {
        return books;
    }

    NodePage page() {
        return page;
    }

    SharedMemory nodePage() {
        return nodePage;
    }

    SharedMemory receivePool() {
        return receivePool;
    }

    /** An attachment in this process uses the node page. */
    void use() {
        users.incrementAndGet();
    }

    /** It no longer does; the last call closes the page. */
    void unuse() {
        if (users.decrementAndGet() == 0) {
            nodePage.close();
        }
    }
}
