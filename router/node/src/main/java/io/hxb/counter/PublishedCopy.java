package io.hxb.counter;

/**
 * A copy in a file of what a node knows, which a thread keeps up to date. Any thread may call it.
 */
public interface PublishedCopy {
    /** Writes what changes often, if it has changed; called every 25 ms. */
    void publish();

    /** Writes everything, whatever has been done to the file; called once a second. */
    void publishAll();
}
