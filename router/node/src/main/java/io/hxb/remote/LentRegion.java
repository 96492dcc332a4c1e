package io.hxb.remote;

/**
 * Memory that an application lends its node, read or written by operations. Any thread; the thread
 * that uses it keeps it mapped.
 */
public interface LentRegion {
    /** Address of the first byte. */
    long address();

    /** Length in bytes. */
    long lengthBytes();

    /** True if the node may write to it. */
    boolean isWritten();

    /**
     * Takes the region for one user.
     *
     * @return false if the range is not inside, or the application has taken the region back.
     */
    boolean use(long offset, long lengthBytes);

    /** One user is done. */
    void unuse();
}
