package io.hxb.pm.rma;

import io.hxb.pm.attach.RemoteRequest;

/**
 * Sizes of a {@link PmRemoteMemory}. Immutable.
 *
 * @param operations that may be under way or not yet taken at once, a power of two of 16 to 4,096.
 * @param notifications that may wait to be taken, a power of two of 16 to 65,536. If more puts tell
 *     of themselves, they wait, and in the end all that others want of the context's memory.
 * @param fragments that may be under way at once in each direction, 8 to 4,096; each takes twice
 *     the node's longest message in memory, at most 9,216 bytes: of these, one with more data takes
 *     as many as it needs.
 */
public record PmRemoteOptions(int operations, int notifications, int fragments) {
    /** 256 operations, 1,024 notifications, 256 fragments: 4.6 MB with jumbo frames. */
    public static final PmRemoteOptions DEFAULT = new PmRemoteOptions(256, 1_024, 256);

    /** Checks the sizes. */
    public PmRemoteOptions {
        final RemoteRequest ignored = new RemoteRequest(operations, notifications, fragments);
    }

    RemoteRequest request() {
        return new RemoteRequest(operations, notifications, fragments);
    }
}
