package io.hxb.context;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.flow.FlowPort;
import io.hxb.flow.StageResult;
import io.hxb.linux.Memory;
import io.hxb.pm.PmStatus;
import io.hxb.pm.shm.CloseReason;
import io.hxb.pm.shm.CompletionRing;
import io.hxb.pm.shm.ControlMemory;
import io.hxb.pm.shm.ShortRing;
import io.hxb.pm.shm.SubmissionRing;

/**
 * What the application of one context has handed over to be sent, and which of it is done. Owned by
 * the loop that serves the context. Whatever the application writes is read once and checked.
 */
final class EndpointSends {
    private static final int MESSAGES_PER_TURN = 1024;
    private static final Region FREE_SLOT = null;

    private final int contextId;
    private final AttachedProcess attachedProcess;
    private final ContextParts parts;
    private final int contexts;
    private final int sendSlots;
    private final int sendBufferBytes;
    private final long sendPoolAddress;
    private final SubmissionRing submissions;
    private final ShortRing shorts;
    private final CompletionRing completions;
    private final boolean[] inFlight;
    private final Region[] slotRegion;

    private FlowPort port;
    private CounterBlock counters;
    private boolean isMoreComing;
    private boolean isPaused;

    /** How many messages the user may send; null without a limit. */
    private final MessageRateLimiter rate;

    /** True while messages wait for the rate, until {@link #heldUntilNs}. */
    private boolean isHeld;

    private long heldUntilNs;

    /**
     * Which waits have to learn of sends that are done: SENDS and MESSAGES of ControlMemory, or 0.
     */
    private int untold;

    /** Destination of the short messages that come next; no node before the first run. */
    private int runNode = -1;

    private int runContext;
    private boolean isNewRun;

    /** Runs begun since it was set to 0, which are taken as messages are. */
    private int runsTaken;

    EndpointSends(
            final int contextId,
            final AttachedProcess attachedProcess,
            final ContextParts parts,
            final EndpointMemory memory,
            final ControlMemory control) {
        this.contextId = contextId;
        this.attachedProcess = attachedProcess;
        this.parts = parts;
        contexts = parts.contexts();
        sendSlots = memory.sendSlots();
        sendBufferBytes = memory.sendBufferBytes();
        sendPoolAddress = memory.sendPool().address();
        submissions = control.submissionRing();
        shorts = control.shortRing();
        completions = control.completionRing();
        inFlight = new boolean[sendSlots];
        slotRegion = new Region[sendSlots];
        rate = attachedProcess.account().messageRate();
    }

    /** Starts to be served by a loop. */
    void start(final FlowPort flows, final CounterBlock loopCounters) {
        port = flows;
        counters = loopCounters;
    }

    /** A message is done. */
    void onSendDone(final int slot, final int status) {
        if (!inFlight[slot]) {
            throw new IllegalStateException(
                    "context " + contextId + " has nothing in flight in slot " + slot);
        }
        inFlight[slot] = false;
        final Region region = slotRegion[slot];
        if (region != FREE_SLOT) {
            slotRegion[slot] = FREE_SLOT;
            region.unuse();
        }
        onRunDone(slot, 1, status);
    }

    /** Messages of a run are done; the first had {@code firstSlot}. */
    void onRunDone(final int firstSlot, final int messages, final int status) {
        completions.put(firstSlot, messages, status);
        if (status == PmStatus.OK) {
            untold |= ControlMemory.SENDS;
        } else {
            // An event for an application that waits for messages only.
            untold |= ControlMemory.SENDS | ControlMemory.MESSAGES;
        }
    }

    /**
     * Which waits to wake for sends that are done, once after them: interests of ControlMemory, or
     * 0.
     */
    int takeUnnotified() {
        final int interest = untold;
        untold = 0;
        return interest;
    }

    /** True if something waits to be taken and may be taken. */
    boolean isReady() {
        return !isHeld && hasEntries();
    }

    /** True while messages wait because the user has reached the limit of messages. */
    boolean isHeld() {
        return isHeld;
    }

    /** When the messages that are held are looked at again. */
    long heldUntilNs() {
        return heldUntilNs;
    }

    private boolean hasEntries() {
        return submissions.isReady() || shortsEnd() != shorts.position();
    }

    /**
     * Takes what waits, a bounded amount.
     *
     * @return messages taken, or minus the code of the {@link CloseReason} when the application has
     *     broken the rules.
     */
    int take(final long nowNs) {
        return rate == null ? take(MESSAGES_PER_TURN) : takeAtRate(nowNs);
    }

    private int takeAtRate(final long nowNs) {
        if ((isHeld && heldUntilNs - nowNs > 0) || !hasEntries()) {
            return 0;
        }
        final int max = rate.take(MESSAGES_PER_TURN, nowNs);
        runsTaken = 0;
        final int taken = max == 0 ? 0 : take(max);
        rate.giveBack(max - Math.max(0, taken - runsTaken));
        final boolean isToWait = max < MESSAGES_PER_TURN && taken == max && hasEntries();
        if (isToWait) {
            heldUntilNs = rate.nextNs(nowNs);
            if (!isHeld) {
                rate.onHeld(nowNs);
            }
        }
        isHeld = isToWait;
        return taken;
    }

    /**
     * Takes no more before the next turn, which begins with what the application gives back: one
     * that runs as soon as it is woken may take event after event, and send again, in one turn. Of
     * no consequence when another loop calls it.
     */
    void pause() {
        isPaused = true;
    }

    private int take(final int max) {
        int taken = 0;
        isPaused = false;
        // Read before an entry is looked for: a run is published before its messages. And once:
        // what is written meanwhile comes next time, and its cache lines are the application's.
        final long end = shortsEnd();
        while (taken < max && !isPaused) {
            final boolean hasEntry = submissions.isReady();
            final long before =
                    hasEntry ? submissions.peekShortsBefore() : Math.max(end, shorts.position());
            if (before != shorts.position()) {
                final int messages = takeShorts(before, max - taken);
                if (messages < 0) {
                    return messages;
                }
                taken += messages;
            } else if (hasEntry) {
                final CloseReason reason = takeEntry();
                if (reason != CloseReason.NONE) {
                    return -reason.code();
                }
                taken++;
            } else {
                break;
            }
        }
        final boolean isMore = taken >= MESSAGES_PER_TURN && hasEntries();
        if (isMore != isMoreComing) {
            isMoreComing = isMore;
            port.moreComing(contextId, isMore);
        }
        return taken;
    }

    /** Where the short messages end; a run that has begun at the ring's start may have none yet. */
    private long shortsEnd() {
        return Math.max(shorts.end(), shorts.position());
    }

    private CloseReason takeEntry() {
        submissions.take();
        if (!isDestination(submissions.node(), submissions.context())) {
            return CloseReason.BAD_DESTINATION;
        }
        if (submissions.region() == SubmissionRing.RUN) {
            return beginRun();
        }
        final int slot = submissions.slot();
        final int lengthBytes = submissions.lengthBytes();
        final CloseReason reason = checkSlot(slot);
        if (reason != CloseReason.NONE) {
            return reason;
        }
        if (lengthBytes < 0 || lengthBytes > parts.mtuBytes()) {
            return CloseReason.BAD_LENGTH;
        }
        final long address;
        if (submissions.region() == 0) {
            // A long message continues in the buffers of the slots that follow.
            if (lengthBytes > (long) (sendSlots - slot) * sendBufferBytes) {
                return CloseReason.BAD_LENGTH;
            }
            address = bufferAddress(slot);
        } else {
            final Region region = attachedProcess.region(submissions.region());
            if (region == null || !region.use(submissions.regionOffset(), lengthBytes)) {
                return CloseReason.BAD_REGION;
            }
            slotRegion[slot] = region;
            address = region.address() + submissions.regionOffset();
        }
        submit(
                slot,
                submissions.node(),
                submissions.context(),
                address,
                lengthBytes,
                submissions.tag());
        return CloseReason.NONE;
    }

    private CloseReason beginRun() {
        final long begin = submissions.regionOffset();
        if (!isInShorts(begin)) {
            return CloseReason.BAD_SHORT;
        }
        shorts.take(begin);
        runsTaken++;
        runNode = submissions.node();
        runContext = submissions.context();
        isNewRun = true;
        return CloseReason.NONE;
    }

    /**
     * Takes short messages of the run up to position {@code end}: directly into frames of their
     * flow or, when that is held up, each separately.
     */
    private int takeShorts(final long end, final int most) {
        final long begin = shorts.position();
        if (!isInShorts(end) || runNode < 0) {
            return -CloseReason.BAD_SHORT.code();
        }
        final int lengthBytes = (int) (end - begin);
        final long address = shorts.address(begin);
        if (shorts.address(end - 1) < address) {
            return -CloseReason.BAD_SHORT.code();
        }
        final long staged =
                port.stage(contextId, runNode, runContext, address, lengthBytes, most, isNewRun);
        isNewRun = false;
        if (staged == StageResult.MALFORMED) {
            return -CloseReason.BAD_SHORT.code();
        }
        int messages = StageResult.messages(staged);
        int offset = StageResult.lengthBytes(staged);
        while (offset < lengthBytes && messages < most) {
            final long header = Memory.getLong(address + offset);
            final int recordBytes = ShortRing.recordBytes(ShortRing.lengthBytes(header));
            if (offset + recordBytes > lengthBytes) {
                return -CloseReason.BAD_SHORT.code();
            }
            final CloseReason reason = submitShort(header, address + offset);
            if (reason != CloseReason.NONE) {
                return -reason.code();
            }
            offset += recordBytes;
            messages++;
        }
        counters.add(CounterType.CONTEXT_SENT_MESSAGES, StageResult.messages(staged));
        shorts.take(begin + offset);
        return messages;
    }

    /** Lets a short message wait in its slot's buffer, as others do. */
    private CloseReason submitShort(final long header, final long record) {
        final int slot = ShortRing.slot(header);
        final int lengthBytes = ShortRing.lengthBytes(header);
        if (lengthBytes > ShortRing.MAX_LENGTH
                || lengthBytes > sendBufferBytes
                || lengthBytes > parts.mtuBytes()) {
            return CloseReason.BAD_SHORT;
        }
        final CloseReason reason = checkSlot(slot);
        if (reason == CloseReason.NONE) {
            final long address = bufferAddress(slot);
            Memory.copyShort(record + ShortRing.HEADER_BYTES, address, lengthBytes);
            submit(slot, runNode, runContext, address, lengthBytes, ShortRing.tag(header));
        }
        return reason;
    }

    private void submit(
            final int slot,
            final int node,
            final int context,
            final long address,
            final int lengthBytes,
            final int tag) {
        inFlight[slot] = true;
        counters.increment(CounterType.CONTEXT_SENT_MESSAGES);
        port.submitOrReport(contextId, slot, node, context, address, lengthBytes, tag);
    }

    private long bufferAddress(final int slot) {
        return sendPoolAddress + (long) slot * sendBufferBytes;
    }

    private CloseReason checkSlot(final int slot) {
        if (slot < 0 || slot >= sendSlots) {
            return CloseReason.BAD_SLOT;
        }
        return inFlight[slot] ? CloseReason.SLOT_IN_FLIGHT : CloseReason.NONE;
    }

    private boolean isDestination(final int node, final int context) {
        return node >= 0 && node < parts.nodeCount() && context >= 0 && context < contexts;
    }

    /** True if a position may follow what has been taken. */
    private boolean isInShorts(final long position) {
        final long bytes = position - shorts.position();
        return bytes >= 0 && bytes <= shorts.capacityBytes() && (position & 7) == 0;
    }

    /** Releases the regions, when no link reads them any more. */
    void releaseRegions() {
        for (int slot = 0; slot < sendSlots; slot++) {
            if (slotRegion[slot] != FREE_SLOT) {
                slotRegion[slot].unuse();
                slotRegion[slot] = FREE_SLOT;
            }
        }
    }
}
