package io.hxb.pm;

import io.hxb.pm.shm.CloseReason;
import io.hxb.pm.shm.ControlMemory;

/** Whether a context is open, and if not, why. Owned by the context's thread. */
final class ContextState {
    private final int contextId;
    private final ControlMemory control;
    private final NodeWatch watch;
    private boolean isClosed;

    /** Set by another thread, which closes the device. */
    private volatile boolean isDetached;

    /** Makes the state of a context that is open. */
    public ContextState(final int contextId, final ControlMemory control, final NodeWatch watch) {
        this.contextId = contextId;
        this.control = control;
        this.watch = watch;
    }

    /** Notes that the application has closed it; its memory is not touched any more. */
    public void close() {
        isClosed = true;
    }

    /** Notes that the device is closed, perhaps by another thread. */
    public void detach() {
        isDetached = true;
    }

    /** True once the application has closed it. */
    public boolean isClosed() {
        return isClosed;
    }

    /**
     * Checks that the application has it open.
     *
     * @throws IllegalStateException if it has closed it.
     */
    void checkOpen() {
        if (isClosed) {
            throw new IllegalStateException("the context is closed: " + contextId);
        }
    }

    /** Watches the node. */
    NodeWatch watch() {
        return watch;
    }

    /** True while the node has it open; asked only while the application has. */
    public boolean isOpenAtNode() {
        return !isDetached && control.state() == ControlMemory.OPEN;
    }

    /** {@link PmStatus#OK}, {@link PmStatus#CONTEXT_CLOSED} or {@link PmStatus#NODE_GONE}. */
    public int status() {
        if (isClosed || isDetached) {
            return PmStatus.CONTEXT_CLOSED;
        }
        if (watch.isGone()) {
            return PmStatus.NODE_GONE;
        }
        return isOpenAtNode() ? PmStatus.OK : PmStatus.CONTEXT_CLOSED;
    }

    /**
     * Called when there was nothing to do; checks from time to time whether the node is still
     * alive.
     *
     * @return {@link #status()} unless it is OK, else {@code status}.
     */
    public int idle(final int status) {
        final int closed = status();
        if (closed != PmStatus.OK) {
            return closed;
        }
        watch.onIdle();
        return status;
    }

    /** Describes why it is closed. */
    public String closeReason() {
        return isClosed || isDetached
                ? CloseReason.DETACHED.text()
                : CloseReason.of(control.closeReason()).text();
    }
}
