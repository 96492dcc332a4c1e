package io.hxb.tap;

/**
 * A virtual NIC whose packets a node carries: what the machine sends there is read, what is written
 * arrives at the machine. Each packet is one Ethernet frame after a {@link VirtioHeader}; it may be
 * a super-packet. Read by one thread; any may write.
 */
public interface PacketDevice extends AutoCloseable {
    /** What to wait for until there is something to read. */
    int descriptor();

    /**
     * Reads a packet that the machine sends, without waiting.
     *
     * @param address where the {@link VirtioHeader} and the frame are written.
     * @param lengthBytes room there; {@link TapDevice#MAX_FRAME_LENGTH} holds any packet.
     * @return bytes read, 0 if no packet waits, or a negative errno; EBADFD if the device was
     *     removed.
     */
    int read(long address, int lengthBytes);

    /**
     * Lets a packet arrive at the machine, without waiting.
     *
     * @param address of the {@link VirtioHeader} and the frame.
     * @param lengthBytes bytes of both.
     * @return bytes written, 0 if the device takes nothing now, or a negative errno: EIO if the
     *     device is not up, EBADFD if it was removed, EINVAL for a packet that the kernel refuses.
     */
    int write(long address, int lengthBytes);

    /**
     * True unless the machine is known not to take super-packets of a kind, so that they have to be
     * cut before they are written.
     *
     * @param kind as {@link VirtioHeader#kind} returns it.
     */
    default boolean takes(final int kind) {
        return true;
    }

    /** Bytes that a packet may have after its Ethernet header, as the machine sees it. */
    int mtuBytes();

    @Override
    void close();
}
