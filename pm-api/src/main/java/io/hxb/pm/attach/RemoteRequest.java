package io.hxb.pm.attach;

import io.hxb.pm.shm.RemoteMemoryArea;

/**
 * What an application asks its node for when a context of it is to use remote memory. Immutable.
 *
 * @param operations that may be under way at once, a power of two of 16 to 4,096.
 * @param notifications that may wait to be taken, a power of two of 16 to 65,536.
 * @param fragments that may be under way at once in each direction, 8 to 4,096.
 */
public record RemoteRequest(int operations, int notifications, int fragments) {
    /** Checks the request, which may come from a process that the node does not trust. */
    public RemoteRequest {
        checkPower("operations", operations, 4_096);
        checkPower("notifications", notifications, 65_536);
        if (fragments < 8 || fragments > 4_096) {
            throw new IllegalArgumentException("fragments must be 8..4096: " + fragments);
        }
    }

    private static void checkPower(final String name, final int count, final int max) {
        if (count < 16 || count > max || Integer.bitCount(count) != 1) {
            throw new IllegalArgumentException(
                    name + " must be a power of two, 16.." + max + ": " + count);
        }
    }

    /**
     * The layout of the memory that it takes: places for messages of up to {@link
     * ContextRequest#SHARED_BUFFER_BYTES}, of which a longer one takes several.
     *
     * @param address first byte; 0 if only sizes are asked for.
     * @param mtuBytes the node's longest message.
     */
    public RemoteMemoryArea area(final long address, final int mtuBytes) {
        final int fragmentBytes =
                Math.min((mtuBytes + 63) & -64, ContextRequest.SHARED_BUFFER_BYTES);
        return new RemoteMemoryArea(address, operations, notifications, fragments, fragmentBytes);
    }
}
