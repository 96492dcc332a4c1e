package io.hxb.pm.stream;

import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.util.Set;

/**
 * Wakes a thread that sleeps in a system call when it is interrupted, in the way that Java offers
 * to selectors: nothing else of this selector is used. One thread at a time uses it.
 */
final class InterruptWake extends AbstractSelector {
    private final Runnable wake;

    /**
     * Makes one.
     *
     * @param wake ends the system call; called by the thread that interrupts.
     */
    InterruptWake(final Runnable wake) {
        super(null);
        this.wake = wake;
    }

    /** The calling thread is going to sleep; if it has been interrupted, it is woken at once. */
    void beforeSleep() {
        begin();
    }

    /** The thread is awake; always called after {@link #beforeSleep}. */
    void afterSleep() {
        end();
    }

    @Override
    public Selector wakeup() {
        wake.run();
        return this;
    }

    @Override
    protected void implCloseSelector() {
        throw new UnsupportedOperationException();
    }

    @Override
    protected SelectionKey register(
            final AbstractSelectableChannel channel, final int ops, final Object attachment) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Set<SelectionKey> keys() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Set<SelectionKey> selectedKeys() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int selectNow() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int select(final long timeoutMs) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int select() {
        throw new UnsupportedOperationException();
    }
}
