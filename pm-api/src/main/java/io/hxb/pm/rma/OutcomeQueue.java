package io.hxb.pm.rma;

/**
 * Outcomes that were taken from the node and not yet by the application, in their order. Owned by
 * the context's thread.
 */
final class OutcomeQueue {
    private final int[] operations;
    private final int[] statuses;
    private final long[] values;
    private int first;
    private int count;

    /** Makes an empty queue for as many outcomes as there are operations. */
    OutcomeQueue(final int max) {
        operations = new int[max];
        statuses = new int[max];
        values = new long[max];
    }

    boolean isEmpty() {
        return count == 0;
    }

    int count() {
        return count;
    }

    /** Adds an outcome; there are never more than operations. */
    void add(final PmOutcome outcome) {
        final int index = index(count++);
        operations[index] = outcome.operation();
        statuses[index] = outcome.status();
        values[index] = outcome.value();
    }

    /** Takes the oldest outcome; false if there is none. */
    boolean take(final PmOutcome outcome) {
        if (count == 0) {
            return false;
        }
        outcome.set(operations[first], statuses[first], values[first]);
        first = index(1);
        count--;
        return true;
    }

    private int index(final int offset) {
        final int index = first + offset;
        return index < operations.length ? index : index - operations.length;
    }
}
