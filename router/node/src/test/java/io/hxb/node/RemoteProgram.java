package io.hxb.node;

import io.hxb.linux.Memory;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;
import io.hxb.pm.rma.PmAccess;
import io.hxb.pm.rma.PmNotification;
import io.hxb.pm.rma.PmOutcome;
import io.hxb.pm.rma.PmRemoteMemory;
import io.hxb.pm.rma.PmRemoteOptions;
import io.hxb.pm.rma.PmRemoteRegion;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A program in a simulated cluster that does everything with the memory of all others, and checks
 * it: each has a part of each other's region to itself, of which it knows what has to be there.
 */
final class RemoteProgram {
    static final int CONTEXT = 1;
    static final int PART_BYTES = 8_192;
    private static final int OPERATIONS = 16;
    private static final int LONGEST = 5_000;
    private static final int COUNTER_BYTES = 64;
    private static final int NO_PLACE = -1;

    final PmRemoteMemory memory;
    final PmRegion shared;
    final PmRegion local;
    private final PmContext context;
    private final int node;
    private final SplittableRandom random;
    private final long[] lastTag;

    /** What is in this program's part of each other's region once all is done, [nodes][bytes]. */
    private final byte[][] expected;

    private final ArrayDeque<Pending> pending = new ArrayDeque<>();
    private final PmOutcome outcome = new PmOutcome();
    private final PmNotification notification = new PmNotification();
    private List<RemoteProgram> all;
    private long key;

    /** Operations still to be begun. */
    int left;

    /** True if others may restart, so that operations may fail. */
    boolean mayFail;

    long done;
    long failed;
    long added;
    long notified;
    long received;

    /** An operation under way: its place in the local region, and of a get what has to come out. */
    private static final class Pending {
        private final int operation;
        private final int place;
        private final byte[] bytes;

        private Pending(final int operation, final int place, final byte[] bytes) {
            this.operation = operation;
            this.place = place;
            this.bytes = bytes;
        }
    }

    RemoteProgram(
            final int node, final int nodes, final RemoteCluster.Member member, final long seed)
            throws IOException {
        this.node = node;
        random = new SplittableRandom(seed * 31 + node);
        context = member.device.openContext(CONTEXT);
        // So many that each destination may have all that this program begins.
        memory = PmRemoteMemory.open(context, new PmRemoteOptions(4 * OPERATIONS, 16, 8));
        shared = member.device.openWritableRegion((long) PART_BYTES * (nodes + 1) + COUNTER_BYTES);
        local = member.device.openWritableRegion((long) LONGEST * OPERATIONS);
        expected = new byte[nodes][PART_BYTES];
        lastTag = new long[nodes];
    }

    /** Makes all programs known to each other. */
    static void meet(final List<RemoteProgram> programs) throws IOException {
        for (final RemoteProgram program : programs) {
            program.key = program.memory.share(program.shared, PmAccess.ALL);
            program.all = List.copyOf(programs);
        }
    }

    private PmRemoteRegion at(final int other) {
        return new PmRemoteRegion(other, CONTEXT, all.get(other).key);
    }

    private long counterOffset() {
        return (long) PART_BYTES * (all.size() + 1);
    }

    /** What others have added to the counter in this program's region. */
    long counter() {
        return Memory.getLong(shared.address() + counterOffset());
    }

    /** Begins what it can and takes what is done. */
    void turn() {
        while (left > 0 && pending.size() < OPERATIONS - 2 && begin()) {
            left--;
        }
        while (memory.poll(outcome) == PmStatus.OK) {
            take();
        }
        while (random.nextInt(3) > 0 && memory.poll(notification) == PmStatus.OK) {
            received++;
            if (notification.tag() <= lastTag[notification.node()]) {
                throw new AssertionError("received in another order: " + notification.tag());
            }
            lastTag[notification.node()] = notification.tag();
        }
    }

    private boolean begin() {
        final int other = random.nextInt(all.size());
        final int length = random.nextInt(1 + random.nextInt(LONGEST));
        final int at = random.nextInt(PART_BYTES - length + 1);
        final long offset = (long) PART_BYTES * node + at;
        return switch (random.nextInt(5)) {
            case 0, 1 -> put(other, at, offset, length, false);
            case 2 -> put(other, at, offset, length, true);
            case 3 -> get(other, at, offset, length);
            default -> {
                final int operation = memory.fetchAndAdd(at(other), counterOffset(), 1);
                added++;
                yield started(operation, NO_PLACE, null);
            }
        };
    }

    private boolean started(final int operation, final int place, final byte[] bytes) {
        if (operation < 0) {
            throw new AssertionError(PmStatus.name(operation));
        }
        pending.add(new Pending(operation, place, bytes));
        return true;
    }

    private boolean put(
            final int other,
            final int at,
            final long offset,
            final int length,
            final boolean isToTell) {
        final int place = freePlace();
        final long from = (long) LONGEST * place;
        for (int i = 0; i < length; i++) {
            final byte value = (byte) random.nextInt();
            Memory.putByte(local.address() + from + i, value);
            expected[other][at + i] = value;
        }
        notified += isToTell ? 1 : 0;
        return started(
                isToTell
                        ? memory.putAndNotify(local, from, at(other), offset, length, notified)
                        : memory.put(local, from, at(other), offset, length),
                place,
                null);
    }

    private boolean get(final int other, final int at, final long offset, final int length) {
        final byte[] bytes = new byte[length];
        System.arraycopy(expected[other], at, bytes, 0, length);
        final int place = freePlace();
        started(memory.get(at(other), offset, local, (long) LONGEST * place, length), place, bytes);
        return started(memory.fence(other, CONTEXT), NO_PLACE, null);
    }

    private int freePlace() {
        int place = 0;
        while (isTaken(place)) {
            place++;
        }
        return place;
    }

    private boolean isTaken(final int place) {
        return pending.stream().anyMatch(other -> other.place == place);
    }

    private void take() {
        done++;
        final Pending ended =
                pending.stream()
                        .filter(other -> other.operation == outcome.operation())
                        .findFirst()
                        .orElseThrow();
        pending.remove(ended);
        if (outcome.status() != PmStatus.OK) {
            failed++;
            if (!mayFail) {
                throw new AssertionError("node " + node + ": " + outcome);
            }
        } else if (ended.bytes != null && !mayFail) {
            final long from = local.address() + (long) LONGEST * ended.place;
            for (int i = 0; i < ended.bytes.length; i++) {
                if (Memory.getByte(from + i) != ended.bytes[i]) {
                    throw new AssertionError("node " + node + " read something else at " + i);
                }
            }
        }
    }

    boolean isDone() {
        return left == 0 && pending.isEmpty();
    }

    /** Compares this program's part of another's region with what has to be there. */
    void checkPartOf(final RemoteProgram other) {
        final long part = other.shared.address() + (long) PART_BYTES * node;
        for (int i = 0; i < PART_BYTES; i++) {
            if (Memory.getByte(part + i) != expected[other.node][i]) {
                throw new AssertionError("part of " + node + " at " + other.node + " byte " + i);
            }
        }
    }

    /** Checks that nothing was written where nobody writes. */
    void checkGuard() {
        final long guard = shared.address() + (long) PART_BYTES * all.size();
        for (int i = 0; i < PART_BYTES; i++) {
            if (Memory.getByte(guard + i) != 0) {
                throw new AssertionError("node " + node + ": something was written at " + i);
            }
        }
    }
}
