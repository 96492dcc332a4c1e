package io.hxb.pm.attach;

import java.io.IOException;

/**
 * How a device reaches its node: over the node's Unix socket, or directly when the node is in this
 * process (the node makes that one). Its methods may be called by several threads.
 */
public interface Attachment extends AutoCloseable {
    /** Address of the node page (see NodePage), mapped until {@link #close}. */
    long nodePageAddress();

    /**
     * Opens a context and maps its memory.
     *
     * @param contextId 0 to the node's number of contexts - 1.
     * @throws IOException if the node refuses, in words.
     */
    ContextMemory openContext(int contextId, ContextRequest request) throws IOException;

    /** Closes a context and unmaps its memory; the caller touches it no more. */
    void closeContext(ContextMemory memory);

    /**
     * Makes a region of zeroed memory that the node may read.
     *
     * @param lengthBytes 1 to 2^40; all of it is taken at once, by this process.
     * @throws IOException if there is not so much memory, or the node refuses; in words.
     */
    RegionMemory openRegion(long lengthBytes) throws IOException;

    /** Gives a region back and unmaps it; the caller touches it no more. */
    void closeRegion(RegionMemory memory);

    /** Asks, with a system call if need be, whether the node still lives. */
    boolean isNodeAlive();

    /** Descriptor that becomes readable when the node dies, or -1 if there is none. */
    int descriptor();

    /** Runs the node's loop, when this application's thread has to; else null. */
    NodeInvoker invoker();

    @Override
    void close();

    /**
     * Where a context's memory lies in this process. Immutable.
     *
     * @param contextId its number.
     * @param controlAddress control memory, see ControlMemory.
     * @param controlBytes bytes of it.
     * @param sendPoolAddress send buffers, one after the other.
     * @param sendBuffers their number.
     * @param sendBufferBytes bytes of each.
     * @param receivePoolAddress receive buffers, one after the other: the node's, mapped read-only,
     *     or the context's own.
     * @param receiveBuffers their number.
     * @param deliveryEntries entries of the delivery ring.
     * @param loop the node's loop that serves the context.
     * @param wakeApplication end of a SignalSocket by which the node wakes the application.
     * @param wakeNode eventfd by which the application wakes the node.
     */
    record ContextMemory(
            int contextId,
            long controlAddress,
            long controlBytes,
            long sendPoolAddress,
            int sendBuffers,
            int sendBufferBytes,
            long receivePoolAddress,
            int receiveBuffers,
            int deliveryEntries,
            int loop,
            int wakeApplication,
            int wakeNode) {}

    /**
     * Where a region lies in this process. Immutable.
     *
     * @param id its number with the node, 1 or more.
     * @param address first byte, 4,096-byte aligned.
     * @param lengthBytes its length.
     */
    record RegionMemory(int id, long address, long lengthBytes) {}
}
