package io.hxb.link;

/**
 * Who gets the memory of a frame back: a buffer pool, a receive ring or a flow. Called on the loop
 * that holds the frame.
 */
public interface FrameOwner {
    /**
     * Takes the frame's memory back; the caller no longer touches it. Called exactly once for each
     * frame handed out or queued. Never blocks.
     *
     * @param token what the owner named the frame when it handed it out, such as a buffer id.
     */
    void release(long token);
}
