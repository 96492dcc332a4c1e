package io.hxb.link;

/** Takes the frames that a link receives. Called by the loop that owns the link. */
public interface FrameSink {
    /**
     * Takes one frame and its memory, which is returned by {@code owner.release(token)},
     * immediately or later. Nothing in the frame has been checked except that it has {@code
     * lengthBytes} bytes.
     *
     * @param link the link it arrived on.
     * @param owner to whom the memory returns; the {@link BufferPool} itself for a pool buffer.
     * @param token the owner's name for the frame; the buffer id for a pool buffer.
     * @param headerAddress address of the HXB header, 8-byte aligned, with {@link
     *     Link#HEADROOM_BYTES} writable bytes before it.
     * @param lengthBytes bytes of HXB header and body that are there, 0 or more; may exceed what
     *     the header claims (Ethernet pads short frames).
     * @param sourceAddress link address of the neighbour that sent it (see {@link Link#learn}).
     * @param vlanTci IEEE 802.1Q tag control information, or -1 for an untagged frame.
     */
    void onFrame(
            Link link,
            FrameOwner owner,
            long token,
            long headerAddress,
            int lengthBytes,
            long sourceAddress,
            int vlanTci);
}
