package io.hxb.pm;

import io.hxb.linux.Descriptors;
import io.hxb.linux.LinuxException;
import io.hxb.linux.UnixSocket;
import io.hxb.pm.attach.AttachMessage;

import java.util.BitSet;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Makes memory and lends it to the node, piece by piece, and takes it back. Thread-safe. */
final class MemoryLender {
    private static final long MS_NS = 1_000_000;
    private static final long RETRY_PAUSE_NS = 10_000_000L;

    private final NodeRequests requests;
    private final long timeoutMs;
    private final BitSet ids = new BitSet();

    /**
     * Makes the lender of an attachment.
     *
     * @param timeoutMs how long a refusal for now is repeated.
     */
    MemoryLender(final NodeRequests requests, final long timeoutMs) {
        this.requests = requests;
        this.timeoutMs = timeoutMs;
    }

    /**
     * Makes memory and lends it to the node, all of it.
     *
     * @param name shown in /proc.
     * @param use {@link AttachMessage#CONTEXT_MEMORY}, {@link AttachMessage#READ_REGION} or {@link
     *     AttachMessage#WRITTEN_REGION}.
     */
    LendableMemory lend(final String name, final long lengthBytes, final int use)
            throws PmException {
        final int id = takeId();
        LendableMemory memory = null;
        boolean isLent = false;
        try {
            announce(id, lengthBytes, use);
            isLent = true;
            memory = new LendableMemory(id, name, lengthBytes);
            while (memory.isIncomplete()) {
                add(memory);
            }
            return memory;
        } catch (final LinuxException e) {
            takeBack(id, memory);
            throw new PmException(
                    "this process cannot make "
                            + lengthBytes
                            + " bytes of memory to share with its node: "
                            + e.getMessage()
                            + " (see its limit of memory, such as memory.max of its cgroup, and of"
                            + " open files, ulimit -n)",
                    e);
        } catch (final PmException e) {
            if (isLent) {
                takeBack(id, memory);
            } else {
                giveBackId(id);
            }
            throw e;
        }
    }

    private synchronized int takeId() throws PmException {
        final int id = ids.nextClearBit(1);
        if (id >= AttachMessage.MEMORY_IDS) {
            throw new PmException(
                    "an attachment has at most "
                            + (AttachMessage.MEMORY_IDS - 1)
                            + " regions and parts of contexts: use fewer and larger regions");
        }
        ids.set(id);
        return id;
    }

    private synchronized void giveBackId(final int id) {
        ids.clear(id);
    }

    // What the same user's processes had may be on its way back: that takes a moment.
    private void announce(final int id, final long lengthBytes, final int use) throws PmException {
        final long startNs = System.nanoTime();
        boolean isDone = false;
        while (!isDone) {
            final NodeRequests.Asked asked =
                    requests.ask(requests.request(AttachMessage.LEND, id, lengthBytes, use));
            try {
                asked.await();
                asked.expectDescriptors(0);
                isDone = true;
            } catch (final PmException e) {
                if (!asked.isOver()) {
                    // The node may take it later.
                    requests.send(AttachMessage.TAKE_BACK, id);
                }
                if (!asked.isRefusedForNow() || System.nanoTime() - startNs > timeoutMs * MS_NS) {
                    throw e;
                }
                LockSupport.parkNanos(RETRY_PAUSE_NS);
            }
        }
    }

    private void add(final LendableMemory memory) throws PmException, LinuxException {
        final int[] pieces = memory.nextPieces(UnixSocket.MAX_DESCRIPTORS);
        try {
            final AttachMessage request =
                    requests.request(AttachMessage.ADD_PIECES, memory.id(), pieces.length);
            final NodeRequests.Asked asked = requests.ask(request, pieces);
            asked.await();
            asked.expectDescriptors(0);
        } finally {
            for (final int piece : pieces) {
                Descriptors.close(piece);
            }
        }
    }

    /** Unmaps memory and notifies the node. */
    void takeBack(final LendableMemory memory) {
        takeBack(memory.id(), memory);
    }

    private void takeBack(final int id, final LendableMemory memory) {
        if (memory != null) {
            memory.close();
        }
        requests.send(AttachMessage.TAKE_BACK, id);
        giveBackId(id);
    }

    /** Notes that the node has been asked to give up memory, with the context that it was for. */
    synchronized void onTakenBack(final List<LendableMemory> memory) {
        memory.forEach(part -> ids.clear(part.id()));
    }
}
