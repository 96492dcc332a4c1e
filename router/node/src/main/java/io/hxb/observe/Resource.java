package io.hxb.observe;

/** What a path of an {@link ObserveServer} leads to. Called by the server's thread. */
@FunctionalInterface
public interface Resource {
    /**
     * Answers one request: once by {@link Response#send}, now or later, or with a stream that stays
     * open. It does not block for long, since the server has one thread.
     */
    void answer(ResourceRequest request, Response response);
}
