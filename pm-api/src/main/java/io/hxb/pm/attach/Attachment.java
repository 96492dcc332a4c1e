package io.hxb.pm.attach;

import io.hxb.pm.shm.RemoteMemoryArea;

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
     * @throws IOException if the node refuses; the message gives the reason.
     */
    ContextMemory openContext(int contextId, ContextRequest request) throws IOException;

    /** Closes a context and unmaps its memory; the caller no longer touches it. */
    void closeContext(ContextMemory memory);

    /**
     * Closes a context whose thread may be using it: its memory goes back, but the addresses remain
     * valid and read as zeros until {@link #closeContext}.
     */
    void decommitContext(ContextMemory memory);

    /**
     * Makes a region of zeroed memory that the node may read.
     *
     * @param lengthBytes 1 to 2^40; all of it is allocated immediately, by this process.
     * @param isWritten true if the node may write to it, too.
     * @throws IOException if there is not that much memory, or the node refuses; the message gives
     *     the reason.
     */
    RegionMemory openRegion(long lengthBytes, boolean isWritten) throws IOException;

    /**
     * Lets a context use remote memory, until it is closed.
     *
     * @return where the memory for it lies in this process.
     * @throws IOException if the node refuses; the message gives the reason.
     */
    RemoteMemoryArea openRemote(int contextId, RemoteRequest request) throws IOException;

    /**
     * Shares a region with all that know the key.
     *
     * @param regionId as {@link RegionMemory#id()} names it.
     * @param rights what the key allows.
     * @return the key, not 0.
     * @throws IOException if the node refuses; the message gives the reason.
     */
    long share(int regionId, int rights) throws IOException;

    /**
     * Ends what {@link #share} began: after this returns nothing is written by that key.
     *
     * @throws IOException if the node does not know the key, or is gone.
     */
    void revoke(long key) throws IOException;

    /** Gives a region back and unmaps it; the caller no longer touches it. */
    void closeRegion(RegionMemory memory);

    /**
     * Longest ring by which contexts of this node may send to each other directly, in bytes; 0 if
     * they may not.
     */
    int directBytes();

    /**
     * Offers the context of another application of this node a ring to receive from. Does not wait
     * for the node's answer.
     *
     * @param contextId the sender, of this device.
     * @param peerContext the receiver.
     * @param id0 one half of the ring's id; {@code id1} is the other.
     * @return the offer; null if there can be none now, which may be otherwise another time.
     */
    DirectOffer offerDirect(int contextId, int peerContext, long id0, long id1);

    /**
     * Asks for the next change of the rings of a context, after ControlMemory has counted one. Does
     * not wait for the node's answer.
     *
     * @return null if the answer is not there yet: ask again.
     */
    DirectChange nextDirectChange(int contextId);

    /** Checks, with a system call if necessary, whether the node is still alive. */
    boolean isNodeAlive();

    /** Descriptor that becomes readable when the node dies, or -1 if there is none. */
    int descriptor();

    /** Runs the node's loop, if this application's thread has to; otherwise null. */
    NodeInvoker invoker();

    /**
     * Detaches. Addresses of contexts that are vacated, and of regions that are open, remain valid
     * until these are closed, and then read as zeros.
     */
    @Override
    void close();

    /**
     * Where a context's memory lies in this process. Immutable.
     *
     * @param contextId its number.
     * @param controlAddress control memory, see ControlMemory.
     * @param controlBytes bytes of it.
     * @param deliveryEntries entries of the delivery ring.
     * @param send send buffers.
     * @param receive receive buffers: the node's, mapped read-only, or the context's own.
     * @param wakeUps how the two sides wake each other.
     */
    record ContextMemory(
            int contextId,
            long controlAddress,
            long controlBytes,
            int deliveryEntries,
            Buffers send,
            Buffers receive,
            WakeUps wakeUps) {}

    /**
     * Buffers of one size, which lie one after the other. Immutable.
     *
     * @param address first byte of the first.
     * @param count their number.
     * @param bufferBytes bytes of each.
     */
    record Buffers(long address, int count, int bufferBytes) {}

    /**
     * How a node and the application of a context wake each other. Immutable.
     *
     * @param loop the node's loop that serves the context.
     * @param application end of a SignalSocket by which the node wakes the application.
     * @param node eventfd by which the application wakes the node.
     * @param hasWords whether the node also wakes threads that sleep on words of memory.
     */
    record WakeUps(int loop, int application, int node, boolean hasWords) {}

    /**
     * Where a region lies in this process. Immutable.
     *
     * @param id its number with the node, 1 or more.
     * @param address first byte, 4,096-byte aligned.
     * @param lengthBytes its length.
     */
    record RegionMemory(int id, long address, long lengthBytes) {}
}
