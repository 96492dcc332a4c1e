package io.hxb.manager;

/** What has happened in a manager since its start. Owned by its thread. */
final class ManagerCounts {
    private final long[] values = new long[ManagerCount.size()];

    void add(final ManagerCount count) {
        values[count.code()]++;
    }

    void add(final ManagerCount count, final long amount) {
        values[count.code()] += amount;
    }

    void set(final ManagerCount count, final long value) {
        values[count.code()] = value;
    }

    long value(final ManagerCount count) {
        return values[count.code()];
    }
}
