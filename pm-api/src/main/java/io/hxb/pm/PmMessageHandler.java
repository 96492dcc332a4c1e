package io.hxb.pm;

/**
 * What an application does with each message that {@link PmContext#receive(PmMessageHandler, int)}
 * takes. Called by the thread of the context.
 */
@FunctionalInterface
public interface PmMessageHandler {
    /**
     * Reads a message in place. It is released when this returns or throws, unless this has done so
     * before; neither it nor its bytes may be used afterwards.
     *
     * @param message always the same object.
     */
    void onMessage(PmMessage message);
}
