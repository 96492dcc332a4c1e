package io.hxb.flow;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What one flow has delivered, for reports. Written by the loop that delivers, of which there is
 * one at a time; any thread may read.
 */
final class DeliveredAmount {
    private static final VarHandle MESSAGES;
    private static final VarHandle BYTES;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            MESSAGES = lookup.findVarHandle(DeliveredAmount.class, "messages", long.class);
            BYTES = lookup.findVarHandle(DeliveredAmount.class, "bytes", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long messages;
    private long bytes;

    /** A frame was delivered. */
    void add(final int messageCount, final int lengthBytes) {
        MESSAGES.setOpaque(this, messages + messageCount);
        BYTES.setOpaque(this, bytes + lengthBytes);
    }

    long messages() {
        return (long) MESSAGES.getOpaque(this);
    }

    long bytes() {
        return (long) BYTES.getOpaque(this);
    }
}
