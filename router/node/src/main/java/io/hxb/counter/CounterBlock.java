package io.hxb.counter;

import io.hxb.linux.Memory;
import io.hxb.recorder.RecorderRing;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * What one part of a node counts, mostly one of its loops: a long for each {@link CounterType}, and
 * for each link or dimension of those that are counted by them. Each value has one writer at a
 * time: the loop of the block, or the holder of the lock that guards the value. Values that any
 * loop counts are changed by {@link #addShared} alone.
 *
 * <p>Counting is a plain store into an array that no other thread writes. {@link #publish} copies
 * the array as one to the {@link Counters} of the node. Each value is stored whole and with release
 * order, so a reader in another thread finds no value torn and none older than one it has seen. A
 * copy may be under way while it reads: sums over several counters add up once the loop is idle.
 */
// An ordinal is a position in an array of this process alone; files and readers know ids.
@SuppressWarnings("EnumOrdinal")
public final class CounterBlock {
    /** Values of the neighbours on one link, by their coordinates. */
    @FunctionalInterface
    public interface LinkSource {
        /**
         * Copies them.
         *
         * @param into where to.
         * @param at index of the first of them.
         * @param count how many.
         */
        void copy(long[] into, int at, int count);
    }

    private static final VarHandle VALUE = MethodHandles.arrayElementVarHandle(long[].class);

    private final CounterLayout layout;
    private final long[] values;
    // By ordinal: where the values of the first link or dimension are, by which the others follow.
    private final int[] first;
    private final List<LongSupplier> sources = new ArrayList<>();
    private final List<Integer> sourceIndexes = new ArrayList<>();
    private final List<LinkValues> linkValues = new ArrayList<>();
    private final long address;
    // Null where no loop owns the block.
    private final RecorderRing events;

    /** Keeps the published memory as long as the block is in use. */
    @SuppressWarnings("unused")
    private final Object owner;

    /** A block that is published at {@code address}; nowhere if that is 0. */
    CounterBlock(
            final CounterLayout layout,
            final long address,
            final Object owner,
            final RecorderRing events) {
        this.layout = layout;
        this.events = events;
        this.address = address;
        this.owner = owner;
        values = new long[layout.valueCount];
        first = layout.firstIndexes();
    }

    /** A block of its own that is not published, for parts that work without a node. */
    public static CounterBlock unpublished(final int links, final int dimensions) {
        return new CounterBlock(
                new CounterLayout(NeighbourPlaces.of(new int[links]), dimensions, 1),
                0,
                null,
                new RecorderRing());
    }

    /** Where the loop of the block records what has happened; only its loop may call it. */
    public RecorderRing events() {
        return Objects.requireNonNull(events, "no loop owns this block");
    }

    /** Adds 1 to a counter of the node. */
    public void increment(final CounterType type) {
        assert type.scope() == CounterScope.NODE : type;
        values[type.ordinal()]++;
    }

    /** Adds 1 to the counter of a link or dimension. */
    public void increment(final CounterType type, final int instance) {
        add(type, instance, 1);
    }

    /** Adds {@code count}, 0 or more, to a counter of the node. */
    public void add(final CounterType type, final long count) {
        assert type.scope() == CounterScope.NODE : type;
        values[type.ordinal()] += count;
    }

    /** Adds {@code count}, 0 or more, to the counter of a link or dimension. */
    public void add(final CounterType type, final int instance, final long count) {
        assert instance >= 0 && instance < layout.instances(type.scope()) : type + " " + instance;
        values[first[type.ordinal()] + instance] += count;
    }

    /** Sets the level of a link or dimension. */
    public void set(final CounterType type, final int instance, final long level) {
        assert instance >= 0 && instance < layout.instances(type.scope()) : type + " " + instance;
        values[first[type.ordinal()] + instance] = level;
    }

    /** Adds {@code count} to a counter of the node that several loops count at the same time. */
    public void addShared(final CounterType type, final long count) {
        assert type.scope() == CounterScope.NODE : type;
        VALUE.getAndAdd(values, type.ordinal(), count);
    }

    /** The value of a counter of the node; for other threads than its writer slightly old. */
    public long value(final CounterType type) {
        assert type.scope() == CounterScope.NODE : type;
        return (long) VALUE.getAcquire(values, type.ordinal());
    }

    /** The value of a counter for one link or dimension, as {@link #value(CounterType)}. */
    public long value(final CounterType type, final int instance) {
        return (long) VALUE.getAcquire(values, layout.index(type, instance));
    }

    /** Frames dropped for any reason. */
    public long droppedFrames() {
        long sum = 0;
        for (final CounterType type : CounterType.drops()) {
            sum += value(type);
        }
        return sum;
    }

    /**
     * Takes a value from {@code source} whenever the block is published: a level, or a count that
     * is kept elsewhere. Called at start.
     */
    public CounterBlock source(final CounterType type, final LongSupplier source) {
        return source(type, 0, source);
    }

    /** The same for one link or dimension. */
    public CounterBlock source(
            final CounterType type, final int instance, final LongSupplier source) {
        sourceIndexes.add(layout.index(type, instance));
        sources.add(source);
        return this;
    }

    /**
     * Takes the values of all neighbours on a link from {@code source} whenever the block is
     * published. Called at start; without effect where they are not counted one by one.
     *
     * @param type counted for each neighbour.
     * @param link index of the link.
     */
    public CounterBlock neighbours(
            final CounterType type, final int link, final LinkSource source) {
        assert type.scope() == CounterScope.NEIGHBOUR : type;
        if (layout.places.nodes(link) > 0) {
            linkValues.add(
                    new LinkValues(
                            source,
                            layout.index(type, layout.places.first(link)),
                            layout.places.nodes(link)));
        }
        return this;
    }

    /** Copies all values to where other threads read them; the block's thread alone. */
    public void publish() {
        for (int i = 0; i < sources.size(); i++) {
            values[sourceIndexes.get(i)] = sources.get(i).getAsLong();
        }
        for (int i = 0; i < linkValues.size(); i++) {
            final LinkValues link = linkValues.get(i);
            link.source.copy(values, link.index, link.count);
        }
        if (address != 0) {
            for (int i = 0; i < values.length; i++) {
                Memory.putLongRelease(address + (long) i * Long.BYTES, values[i]);
            }
        }
    }

    // Where the values of a source go.
    private record LinkValues(LinkSource source, int index, int count) {}
}
