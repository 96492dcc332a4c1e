package io.hxb.remote;

/** The context that uses remote memory, as its {@link RemoteEndpoint} sees it. Its loop. */
public interface RemoteHost {
    /** The application's region with a number that it has written, or null. */
    LentRegion region(int regionId);

    /** There are outcomes or notifications to be taken. */
    void wake();

    /** How many of {@code max} messages may be sent now. */
    int permits(int max, long nowNs);

    /** Gives permission back for messages that were not sent. */
    void giveBackPermits(int messages);

    /** When to ask again, after less was permitted than was wanted. */
    long nextPermitNs(long nowNs);

    /** The endpoint wants to work at that time even if nothing happens before. */
    void wakeAt(long atNs);
}
