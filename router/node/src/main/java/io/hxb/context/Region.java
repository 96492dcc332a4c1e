package io.hxb.context;

import io.hxb.remote.LentRegion;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Memory that an application lends, from which its contexts send, and which they may share with
 * others. Loops count the messages in flight and the accesses; the memory is given back when the
 * application has taken it back and there are none.
 */
final class Region implements LentRegion {
    private static final int CLOSED = 1 << 30;
    private static final int GIVEN_BACK = 1 << 29;

    private final AttachedProcess attachedProcess;
    private final LentMemory memory;
    private final AtomicInteger users = new AtomicInteger();

    Region(final AttachedProcess attachedProcess, final LentMemory memory) {
        this.attachedProcess = attachedProcess;
        this.memory = memory;
    }

    @Override
    public long address() {
        return memory.address();
    }

    @Override
    public long lengthBytes() {
        return memory.lengthBytes();
    }

    @Override
    public boolean isWritten() {
        return memory.isWritten();
    }

    @Override
    public boolean use(final long offset, final long lengthBytes) {
        if (offset < 0 || offset > memory.lengthBytes() - lengthBytes) {
            return false;
        }
        if (users.getAndIncrement() >= CLOSED) {
            unuse();
            return false;
        }
        return true;
    }

    @Override
    public void unuse() {
        final int left = users.decrementAndGet();
        assert (left & ~(CLOSED | GIVEN_BACK)) >= 0 && left >= 0
                : "a region is released as often as it was taken";
        if (left == CLOSED) {
            giveBack();
        }
    }

    /**
     * The application has taken it back: no further messages. Nothing happens if it had done so
     * before.
     */
    void retire() {
        if (users.getAndUpdate(count -> count | CLOSED) == 0) {
            giveBack();
        }
    }

    // A taker of a closed region releases it immediately; only one of them gives it back.
    private void giveBack() {
        if (users.compareAndSet(CLOSED, CLOSED | GIVEN_BACK)) {
            attachedProcess.giveBack(memory);
        }
    }
}
