package io.hxb.vlan.health;

/**
 * Which numbers of a host's frames have come, so that none counts twice. Frames of different paths
 * overtake one another by fewer than 64. Source of the idea: RFC 4303, 3.4.3.
 */
final class DuplicateWindow {
    private long last;
    private long seen;

    void clear() {
        last = 0;
        seen = 0;
    }

    /** True if that number, 1 or more, is new; then it is not new any more. */
    boolean accept(final long number) {
        if (number <= 0) {
            return false;
        }
        if (number > last) {
            final long step = number - last;
            seen = (step >= Long.SIZE ? 0 : seen << step) | 1;
            last = number;
            return true;
        }
        final long age = last - number;
        if (age >= Long.SIZE || (seen >>> age & 1) != 0) {
            return false;
        }
        seen |= 1L << age;
        return true;
    }

    /** The highest number that has come. */
    long last() {
        return last;
    }
}
