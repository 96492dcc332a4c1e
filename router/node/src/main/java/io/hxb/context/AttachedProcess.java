package io.hxb.context;

import io.hxb.config.ResourceShare;
import io.hxb.linux.AddressRange;
import io.hxb.pm.PmException;
import io.hxb.pm.attach.AttachMessage;
import io.hxb.pm.rma.PmAccess;
import io.hxb.remote.Grant;
import io.hxb.remote.GrantTable;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;

/**
 * One attached application: its contexts, its regions and the memory that it lends, which are
 * charged to its user's account. Owned by the thread that talks with the application; loops look
 * regions up and report closed contexts, and memory that was given back is reported by the thread
 * that did.
 */
final class AttachedProcess {
    private static final int ADDRESSES_FOR_MEMORY = 2;
    private static final long MAX_BYTES = 1L << 40;
    private static final long REVOKE_TIMEOUT_NS = 1_000_000_000L;
    private static final long REVOKE_PAUSE_NS = 20_000L;

    private final String name;
    private final int pid;
    private final boolean isLocal;
    private final UserAccount account;
    private final MemoryReclaimer memoryReclaimer;
    private final AddressPool addresses;
    private final AtomicReferenceArray<Region> regions =
            new AtomicReferenceArray<>(AttachMessage.MEMORY_IDS);
    private final LentMemory[] lent = new LentMemory[AttachMessage.MEMORY_IDS];
    private final GrantTable grants = new GrantTable();
    private final List<ContextEndpoint> contexts = new ArrayList<>();
    private int memories;
    private boolean isGone;
    private boolean hasDirectRings;

    /**
     * A new application without memory or contexts.
     *
     * @param isLocal true in the node's own process: it uses the node's mappings.
     * @param name who it is, for messages: such as {@code process 4711 of user 1000}.
     * @param pid its number, as this process sees it; 0 if it cannot.
     * @param account of its user.
     * @param memoryReclaimer gives its memory back.
     */
    AttachedProcess(
            final boolean isLocal,
            final String name,
            final int pid,
            final UserAccount account,
            final MemoryReclaimer memoryReclaimer) {
        this.isLocal = isLocal;
        this.name = name;
        this.pid = pid;
        this.account = account;
        this.memoryReclaimer = memoryReclaimer;
        final long limit = account.book(ResourceShare.MEMORY_BYTES).limit();
        addresses =
                new AddressPool(
                        limit > Long.MAX_VALUE / ADDRESSES_FOR_MEMORY
                                ? Long.MAX_VALUE
                                : limit * ADDRESSES_FOR_MEMORY);
    }

    boolean isLocal() {
        return isLocal;
    }

    /** Its attach protocol has direct rings. */
    void onDirectRings() {
        hasDirectRings = true;
    }

    /** True if its contexts can be offered direct rings; for the thread that talks with it. */
    boolean hasDirectRings() {
        return hasDirectRings;
    }

    String name() {
        return name;
    }

    /** Number of the process; 0 if this one does not see it. */
    int pid() {
        return pid;
    }

    UserAccount account() {
        return account;
    }

    /**
     * Announces memory under an id.
     *
     * @param use what it is for, as AttachMessage names it.
     * @throws PmException if it may not be; the message gives the reason.
     */
    synchronized void lend(final int id, final long lengthBytes, final int use) throws PmException {
        if (use < AttachMessage.READ_REGION || use > AttachMessage.WRITTEN_REGION) {
            throw new PmException("memory is lent for an unknown use: " + use);
        }
        if (id < 1 || id >= lent.length) {
            throw new PmException("ids of memory are 1 to " + (lent.length - 1) + ": " + id);
        }
        if (lent[id] != null) {
            throw new PmException("the memory with id " + id + " is lent already");
        }
        lent[id] = take(lengthBytes, use);
    }

    private LentMemory take(final long lengthBytes, final int use) throws PmException {
        if (lengthBytes < 1 || lengthBytes > MAX_BYTES) {
            throw new PmException("memory has 1 byte to 2^40: " + lengthBytes);
        }
        final long pageBytes = AddressRange.pages(lengthBytes);
        final int regionCount = use == AttachMessage.CONTEXT_MEMORY ? 0 : 1;
        account.charge(ResourceShare.REGIONS, regionCount);
        try {
            account.charge(ResourceShare.MEMORY_BYTES, pageBytes);
        } catch (final PmException e) {
            account.giveBack(ResourceShare.REGIONS, regionCount);
            throw e;
        }
        try {
            final AddressPool.Part part = addresses.take(pageBytes);
            memories++;
            return new LentMemory(this, part, lengthBytes, use);
        } catch (final PmException e) {
            account.giveBack(ResourceShare.MEMORY_BYTES, pageBytes);
            account.giveBack(ResourceShare.REGIONS, regionCount);
            throw e;
        }
    }

    /** Makes memory for an application in this process. */
    synchronized LentMemory make(final long lengthBytes, final int use) throws PmException {
        final LentMemory memory = take(lengthBytes, use);
        try {
            return memory.fill();
        } catch (final PmException e) {
            giveBack(memory);
            throw e;
        }
    }

    /**
     * Accepts a piece of announced memory; a region can be used when its last piece has arrived.
     * Not synchronized, because a loop must not wait while the kernel maps it.
     *
     * @throws PmException with a message for its user, if there is no such memory or the node does
     *     not accept it.
     */
    void addPiece(final int id, final int fd) throws PmException {
        final LentMemory memory = id > 0 && id < lent.length ? lent[id] : null;
        if (memory == null) {
            throw new PmException("no memory is lent with id " + id);
        }
        memory.add(fd);
        if (memory.isComplete() && memory.isRegion()) {
            lent[id] = null;
            regions.set(id, new Region(this, memory));
        }
    }

    /**
     * Removes the memory of a context: its id is free again.
     *
     * @param lengthBytes bytes that it has to have.
     * @throws PmException if there is no such memory, or it is not for a context.
     */
    synchronized LentMemory takeOut(final int id, final long lengthBytes) throws PmException {
        final LentMemory memory = id > 0 && id < lent.length ? lent[id] : null;
        if (memory == null
                || !memory.isComplete()
                || memory.isRegion()
                || memory.lengthBytes() != lengthBytes) {
            throw new PmException(
                    "the memory with id " + id + " is not " + lengthBytes + " bytes for a context");
        }
        lent[id] = null;
        return memory;
    }

    /** Makes a region for an application in this process; returns its id. */
    synchronized int openRegion(final long lengthBytes, final boolean isWritten)
            throws PmException {
        final int use = isWritten ? AttachMessage.WRITTEN_REGION : AttachMessage.READ_REGION;
        for (int id = 1; id < regions.length(); id++) {
            if (regions.get(id) == null) {
                regions.set(id, new Region(this, make(lengthBytes, use)));
                return id;
            }
        }
        throw new PmException("too many regions are open: use fewer and larger ones");
    }

    /** The region with a number that the application has written, or null. */
    Region region(final int id) {
        return id > 0 && id < regions.length() ? regions.get(id) : null;
    }

    /**
     * Shares a region with all that know the key.
     *
     * @param rights of PmAccess.
     * @throws PmException if there is no such region, or it does not allow that.
     */
    synchronized long share(final int regionId, final int rights) throws PmException {
        final Region region = region(regionId);
        if (region == null) {
            throw new PmException("no region is lent with id " + regionId);
        }
        if (rights < 1 || rights > PmAccess.ALL) {
            throw new PmException("rights are 1 to " + PmAccess.ALL + ": " + rights);
        }
        if (rights != PmAccess.READ && !region.isWritten()) {
            throw new PmException("the region " + regionId + " can only be read by the node");
        }
        return grants.add(region, rights);
    }

    /**
     * Ends the sharing by a key, and waits until nobody uses it, which takes moments.
     *
     * @throws PmException if there is no such key, or a loop does not get on.
     */
    void revoke(final long key) throws PmException {
        final Grant grant = grants.revoke(key);
        if (grant == null) {
            throw new PmException("no region is shared by that key");
        }
        final long startNs = System.nanoTime();
        while (!grant.isQuiet()) {
            if (System.nanoTime() - startNs > REVOKE_TIMEOUT_NS) {
                throw new PmException("the node hangs or is overloaded: a key is still in use");
            }
            LockSupport.parkNanos(REVOKE_PAUSE_NS);
        }
    }

    /** The keys that it has given out. */
    GrantTable grants() {
        return grants;
    }

    /** The application takes back memory that no context uses; nothing happens if there is none. */
    synchronized void takeBack(final int id) {
        final Region region = region(id);
        if (region != null) {
            regions.set(id, null);
            grants.revokeAll(region);
            region.retire();
        } else if (id > 0 && id < lent.length && lent[id] != null) {
            giveBack(lent[id]);
            lent[id] = null;
        }
    }

    /** Some of its memory is no longer used; any thread, does not block. */
    void giveBack(final LentMemory memory) {
        account.onReturning(memory.addresses().lengthBytes());
        memoryReclaimer.add(memory);
    }

    /** Some memory was given back; called by the thread that did so. */
    synchronized void onGivenBack(final LentMemory memory) {
        final long bytes = memory.addresses().lengthBytes();
        memory.addresses().free();
        account.giveBack(ResourceShare.MEMORY_BYTES, bytes);
        account.giveBack(ResourceShare.REGIONS, memory.isRegion() ? 1 : 0);
        account.onReturning(-bytes);
        memories--;
        assert memories >= 0 : "memory is given back once";
        closeIfDone();
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
            account.giveBack(ResourceShare.CONTEXTS, 1);
        }
        closeIfDone();
    }

    /** The application is gone: its memory is given back when nothing is sent from it any more. */
    synchronized void detach() {
        isGone = true;
        grants.close();
        for (int id = 1; id < lent.length; id++) {
            takeBack(id);
        }
        closeIfDone();
    }

    // Its addresses last: until its last context is closed, a link may have a frame queued.
    private void closeIfDone() {
        if (isGone && contexts.isEmpty() && memories == 0) {
            memoryReclaimer.execute(addresses::close);
        }
    }
}
