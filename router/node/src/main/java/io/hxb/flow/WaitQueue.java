package io.hxb.flow;

import java.util.function.ToIntFunction;

/**
 * A line in which things wait for their turn, first come, first served. Owned by one loop. Whatever
 * may wait has a {@link Place} with which it can stand in one line at a time, once, so that waiting
 * allocates nothing.
 *
 * @param <T> what waits.
 */
final class WaitQueue<T> {
    private Place<T> head;
    private Place<T> tail;
    private int length;

    /** Puts {@code place} at the end, unless it is in a line already; true if it was put there. */
    boolean add(final Place<T> place) {
        if (place.isWaiting) {
            return false;
        }
        assert place.next == null : "a place in no line leads nowhere";
        place.isWaiting = true;
        if (tail == null) {
            head = place;
        } else {
            tail.next = place;
        }
        tail = place;
        length++;
        return true;
    }

    /** Removes and returns the first one; null when there is none. */
    T poll() {
        final Place<T> first = head;
        if (first == null) {
            return null;
        }
        head = first.next;
        if (head == null) {
            tail = null;
        }
        first.next = null;
        first.isWaiting = false;
        length--;
        assert (head == null) == (length == 0) : "length " + length;
        return first.who;
    }

    /** Moves all of {@code other} to the end of this line. */
    void takeAll(final WaitQueue<T> other) {
        if (other.head == null) {
            return;
        }
        if (tail == null) {
            head = other.head;
        } else {
            tail.next = other.head;
        }
        tail = other.tail;
        length += other.length;
        other.head = null;
        other.tail = null;
        other.length = 0;
    }

    /** Moves all of {@code other} to the front of this line. */
    void takeAllFirst(final WaitQueue<T> other) {
        other.takeAll(this);
        takeAll(other);
    }

    /** The first one, which stays; null when there is none. */
    T first() {
        return head == null ? null : head.who;
    }

    /** The last one, which stays; null when there is none. */
    T last() {
        return tail == null ? null : tail.who;
    }

    /** Adds up a value of the first {@code max} that wait. */
    long sum(final int max, final ToIntFunction<T> value) {
        long sum = 0;
        Place<T> place = head;
        for (int left = max; place != null && left > 0; left--) {
            sum += value.applyAsInt(place.who);
            place = place.next;
        }
        return sum;
    }

    boolean isEmpty() {
        return head == null;
    }

    int length() {
        return length;
    }

    /**
     * Where one thing stands in a line.
     *
     * @param <T> what waits.
     */
    static final class Place<T> {
        private final T who;
        private Place<T> next;
        private boolean isWaiting;

        /** A place for {@code who}, in no line. */
        Place(final T who) {
            this.who = who;
        }

        /** True while it is in a line. */
        boolean isWaiting() {
            return isWaiting;
        }
    }
}
