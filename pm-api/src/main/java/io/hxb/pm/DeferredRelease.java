package io.hxb.pm;

import io.hxb.pm.attach.Attachment;

import java.lang.ref.Cleaner;

/**
 * Gives back what is left of contexts whose device was closed before them, when the program has
 * forgotten them: their addresses and descriptors. Any thread may call it.
 */
final class DeferredRelease {
    private static final Cleaner CLEANER = Cleaner.create();

    private DeferredRelease() {}

    /**
     * What is left of a context: running it gives it back, which happens also when nothing refers
     * to the context any more.
     */
    static Runnable of(
            final PmContext context,
            final Attachment attachment,
            final Attachment.ContextMemory memory,
            final DirectRings rings,
            final ContextWaiter waiter) {
        final Remains remains = new Remains(attachment, memory, rings, waiter);
        CLEANER.register(context, remains);
        return remains;
    }

    /** What is left of one context; its memory is given back once. */
    static final class Remains implements Runnable {
        private final Attachment attachment;
        private final Attachment.ContextMemory memory;
        private final DirectRings rings;
        private final ContextWaiter waiter;
        private boolean isFreed;

        private Remains(
                final Attachment attachment,
                final Attachment.ContextMemory memory,
                final DirectRings rings,
                final ContextWaiter waiter) {
            this.attachment = attachment;
            this.memory = memory;
            this.rings = rings;
            this.waiter = waiter;
        }

        @Override
        public synchronized void run() {
            if (!isFreed) {
                isFreed = true;
                rings.close();
                attachment.closeContext(memory);
                waiter.close();
            }
        }
    }
}
