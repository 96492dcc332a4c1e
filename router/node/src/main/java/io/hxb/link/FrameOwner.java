package io.hxb.link;

/**
 * The owner to which the memory of a frame returns: a buffer pool, a receive ring or a flow. Called
 * on the loop that holds the frame.
 */
public interface FrameOwner {
    /**
     * Takes the frame's memory back; the caller no longer touches it. Called exactly once for each
     * frame handed out or queued. Never blocks.
     *
     * @param token the name under which the owner handed the frame out, such as a buffer id.
     */
    void release(long token);
}
