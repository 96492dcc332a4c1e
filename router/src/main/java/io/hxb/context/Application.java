package io.hxb.context;

import io.hxb.config.Share;
import io.hxb.linux.LinuxException;
import io.hxb.linux.SharedMemory;
import io.hxb.pm.PmException;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * One attached application: its contexts and its regions, which are charged to its user's account.
 * Owned by the thread that talks with the application; loops look regions up and report closed
 * contexts.
 */
final class Application {
    static final int MAX_REGIONS = 4096;

    private final String name;
    private final boolean isLocal;
    private final UserAccount account;
    private final AtomicReferenceArray<Region> regions = new AtomicReferenceArray<>(MAX_REGIONS);
    private final List<ContextEndpoint> contexts = new ArrayList<>();
    private int regionCount;
    private boolean isGone;

    /**
     * A new application without anything.
     *
     * @param isLocal true in the node's own process: it uses the node's mappings.
     * @param name who it is, for messages: such as {@code process 4711 of user 1000}.
     * @param account of its user.
     */
    Application(final boolean isLocal, final String name, final UserAccount account) {
        this.isLocal = isLocal;
        this.name = name;
        this.account = account;
    }

    boolean isLocal() {
        return isLocal;
    }

    String name() {
        return name;
    }

    UserAccount account() {
        return account;
    }

    /** Makes a region: its number. */
    synchronized int openRegion(final long lengthBytes) throws PmException {
        if (regionCount == MAX_REGIONS - 1) {
            throw new PmException(
                    "an application may open "
                            + (MAX_REGIONS - 1)
                            + " regions while it is attached; use fewer and larger ones");
        }
        account.charge(Share.REGIONS, 1);
        try {
            account.charge(Share.MEMORY_BYTES, lengthBytes);
        } catch (final PmException e) {
            account.giveBack(Share.REGIONS, 1);
            throw e;
        }
        try {
            final SharedMemory memory = SharedMemory.create("hxb-region", lengthBytes);
            memory.seal(SharedMemory.SEAL_SHRINK | SharedMemory.SEAL_GROW);
            memory.seal(SharedMemory.SEAL_SEALS);
            regions.set(++regionCount, new Region(memory));
            return regionCount;
        } catch (final LinuxException e) {
            account.giveBack(Share.MEMORY_BYTES, lengthBytes);
            account.giveBack(Share.REGIONS, 1);
            throw new PmException("the node cannot make a region: " + e.getMessage(), e);
        }
    }

    /** The region with a number that the application has written, or null. */
    Region region(final int id) {
        return id > 0 && id < MAX_REGIONS ? regions.get(id) : null;
    }

    /** Closes a region, if there is one. */
    synchronized void closeRegion(final int id) {
        final Region region = region(id);
        if (region != null && region.retire()) {
            account.giveBack(Share.MEMORY_BYTES, region.memory().lengthBytes());
        }
    }

    synchronized void add(final ContextEndpoint context) {
        contexts.add(context);
    }

    /** The application's context with this number, or null. */
    synchronized ContextEndpoint context(final int contextId) {
        for (final ContextEndpoint context : contexts) {
            if (context.contextId() == contextId) {
                return context;
            }
        }
        return null;
    }

    synchronized List<ContextEndpoint> contexts() {
        return List.copyOf(contexts);
    }

    /** A context is closed and nothing reads its memory any more; its loop. */
    synchronized void onClosed(final ContextEndpoint context) {
        if (contexts.remove(context)) {
            account.giveBack(Share.MEMORY_BYTES, context.memory().lengthBytes());
            account.giveBack(Share.CONTEXTS, 1);
        }
        unmapIfDone();
    }

    /** The application is gone: regions are unmapped when its last context is closed. */
    synchronized void detach() {
        isGone = true;
        unmapIfDone();
    }

    private void unmapIfDone() {
        if (!isGone || !contexts.isEmpty()) {
            return;
        }
        for (int id = 1; id <= regionCount; id++) {
            final Region region = regions.getAndSet(id, null);
            if (region != null) {
                if (!region.isRetired()) {
                    account.giveBack(Share.MEMORY_BYTES, region.memory().lengthBytes());
                }
                account.giveBack(Share.REGIONS, 1);
                region.memory().close();
            }
        }
    }
}
