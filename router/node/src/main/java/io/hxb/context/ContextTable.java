package io.hxb.context;

import io.hxb.config.TenantPlan;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The contexts of a node by their numbers. Each is entered and removed by its loop; any thread may
 * look.
 */
final class ContextTable {
    private final AtomicReferenceArray<ContextEndpoint> endpoints;

    /** Room for contexts 0 to {@code count} - 1. */
    ContextTable(final int count) {
        endpoints = new AtomicReferenceArray<>(count);
    }

    /** The context with a number, which may be closing; null if there is none. */
    ContextEndpoint get(final int contextId) {
        return endpoints.get(contextId);
    }

    /** The open context with a number; null if there is none. */
    ContextEndpoint endpoint(final int contextId) {
        final ContextEndpoint endpoint =
                contextId >= 0 && contextId < endpoints.length() ? endpoints.get(contextId) : null;
        return endpoint == null || endpoint.isClosing() ? null : endpoint;
    }

    /** True from the opening of a context until it is closed completely. */
    boolean isRegistered(final ContextEndpoint endpoint) {
        return endpoints.get(endpoint.contextId()) == endpoint;
    }

    /**
     * Distinguishes one opening of a context from the next; any thread.
     *
     * @param contextId any number.
     * @return 0 if nobody has it open.
     */
    int incarnation(final int contextId) {
        final ContextEndpoint endpoint = endpoint(contextId);
        return endpoint == null ? 0 : endpoint.incarnation();
    }

    /**
     * Number of the tenant whose user has a context open; any thread.
     *
     * @param contextId any number.
     * @return that of nobody if the context is not open.
     */
    int tenant(final int contextId) {
        final ContextEndpoint endpoint = endpoint(contextId);
        return endpoint == null ? TenantPlan.NO_TENANT : endpoint.application().account().tenant();
    }

    /**
     * True if a context is open and its tenant may talk with itself; any thread.
     *
     * @param contextId any number.
     */
    boolean mayTalkWithItself(final int contextId) {
        final ContextEndpoint endpoint = endpoint(contextId);
        return endpoint != null && endpoint.application().account().mayTalkWithItself();
    }

    /** Number of contexts that are open or being closed. */
    int openContexts() {
        int count = 0;
        for (int i = 0; i < endpoints.length(); i++) {
            count += endpoints.get(i) == null ? 0 : 1;
        }
        return count;
    }

    /**
     * Enters a context under its number; called by its loop.
     *
     * @return false if the number is still being given up.
     * @throws IllegalStateException if it is in use; the message names the user.
     */
    boolean register(final ContextEndpoint endpoint) {
        final int contextId = endpoint.contextId();
        if (endpoints.compareAndSet(contextId, null, endpoint)) {
            return true;
        }
        final ContextEndpoint other = endpoints.get(contextId);
        if (!other.isClosing()) {
            throw new IllegalStateException(
                    "context " + contextId + " is in use by " + other.application().name());
        }
        return false;
    }

    void unregister(final ContextEndpoint endpoint) {
        endpoints.set(endpoint.contextId(), null);
    }
}
