package io.hxb.pm;

import io.hxb.pm.attach.Attachment;

import java.lang.ref.Cleaner;

/**
 * What a context holds outside the heap: its memory, its rings to other contexts and the
 * descriptors of its waits. Given back once, by any thread.
 */
final class ContextResources implements AutoCloseable, Runnable {
    /** Its thread is started by the first context that is given back so. */
    private static final class Late {
        private static final Cleaner CLEANER = Cleaner.create();
    }

    private final Attachment attachment;
    private final Attachment.ContextMemory memory;
    private final DirectRings rings;
    private final ContextSleep sleep;
    private boolean isFreed;

    ContextResources(
            final Attachment attachment,
            final Attachment.ContextMemory memory,
            final DirectRings rings,
            final ContextSleep sleep) {
        this.attachment = attachment;
        this.memory = memory;
        this.rings = rings;
        this.sleep = sleep;
    }

    /**
     * Gives back the memory, though the context's thread may be using it: its addresses read as
     * zeros until {@link #close}, or until the program has forgotten the context.
     *
     * @param state to which all refer that may still use the memory, but for this object.
     */
    void decommit(final ContextState state) {
        attachment.decommitContext(memory);
        Late.CLEANER.register(state, this);
    }

    @Override
    public synchronized void close() {
        if (!isFreed) {
            isFreed = true;
            rings.close();
            attachment.closeContext(memory);
            sleep.close();
        }
    }

    /** Closes what the owner of the context has not. */
    @Override
    public void run() {
        close();
    }
}
