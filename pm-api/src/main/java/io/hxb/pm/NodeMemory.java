package io.hxb.pm;

import io.hxb.linux.Descriptors;
import io.hxb.linux.LinuxException;
import io.hxb.linux.SharedMemory;
import io.hxb.pm.attach.Attachment.Buffers;
import io.hxb.pm.shm.NodePage;

/**
 * Memory that a node shows all its applications, mapped read-only: its page, and its receive
 * buffers unless contexts have their own. Owned by the attachment.
 */
final class NodeMemory implements AutoCloseable {
    private final SharedMemory page;
    private final SharedMemory pool;

    private NodeMemory(final SharedMemory page, final SharedMemory pool) {
        this.page = page;
        this.pool = pool;
    }

    /** Maps the page alone, whose descriptor then belongs to the mapping. */
    static NodeMemory map(final int pageDescriptor) throws LinuxException {
        try {
            return new NodeMemory(
                    SharedMemory.mapReadOnly(pageDescriptor, NodePage.LENGTH_BYTES), null);
        } catch (final LinuxException e) {
            Descriptors.close(pageDescriptor);
            throw e;
        }
    }

    /** Maps the page and the node's receive buffers; the descriptors then belong to them. */
    static NodeMemory map(final int pageDescriptor, final int poolDescriptor, final long poolBytes)
            throws LinuxException {
        final NodeMemory memory;
        try {
            memory = map(pageDescriptor);
        } catch (final LinuxException e) {
            Descriptors.close(poolDescriptor);
            throw e;
        }
        try {
            return new NodeMemory(memory.page, SharedMemory.mapReadOnly(poolDescriptor, poolBytes));
        } catch (final LinuxException e) {
            memory.close();
            Descriptors.close(poolDescriptor);
            throw e;
        }
    }

    long pageAddress() {
        return page.address();
    }

    /** The facts about the node in its page. */
    NodePage.Facts facts() {
        return new NodePage(page.address()).facts();
    }

    /** True unless the node has announced its end. */
    boolean isAlive() {
        return new NodePage(page.address()).state() == NodePage.ALIVE;
    }

    /** The node's receive buffers; only if they were mapped. */
    Buffers receiveBuffers() {
        final NodePage.Facts facts = facts();
        return new Buffers(pool.address(), facts.receiveBuffers(), facts.receiveBufferBytes());
    }

    /** Takes it out of this process, but keeps its addresses, which read as zeros. */
    void decommit() {
        page.decommit();
        if (pool != null) {
            pool.decommit();
        }
    }

    /** Unmaps it; it must not be used any more. */
    @Override
    public void close() {
        page.close();
        if (pool != null) {
            pool.close();
        }
    }
}
