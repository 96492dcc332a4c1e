package io.hxb.config;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The keys of one section of the cluster file, in the order of the components of the record that
 * has their values. Immutable.
 *
 * <p>The constructors of the records do not check; {@link #check} does, and {@link ClusterConfig}
 * checks all of its sections. No reflection: it would cost several ms of each start.
 *
 * @param <R> the record.
 */
public final class ConfigSection<R extends Record> {
    private final String name;
    private final Function<Values, R> factory;
    private final List<Item<R>> items;
    private final List<ConfigKey<R, ?>> keys;

    /** A part of a section. */
    public sealed interface Item<R> permits ConfigKey, Rule, Group {
        /** The keys that it has. */
        List<ConfigKey<R, ?>> keys();
    }

    /**
     * What keys must be together. Immutable.
     *
     * @param key that the message names.
     * @param isValid true for records that comply.
     * @param text of the message, after the key.
     */
    public record Rule<R>(String key, Predicate<R> isValid, Function<R, String> text)
            implements Item<R> {
        @Override
        public List<ConfigKey<R, ?>> keys() {
            return List.of();
        }
    }

    /**
     * Keys of this section whose values are in a record of their own. Immutable.
     *
     * @param section of that record.
     * @param accessor gives it.
     */
    public record Group<R, S extends Record>(ConfigSection<S> section, Function<R, S> accessor)
            implements Item<R> {
        @Override
        public List<ConfigKey<R, ?>> keys() {
            final List<ConfigKey<R, ?>> keys = new ArrayList<>();
            for (final ConfigKey<S, ?> key : section.keys) {
                keys.add(key.within(accessor));
            }
            return keys;
        }
    }

    /** The values of a record in the order of its components. Used by one thread. */
    public static final class Values {
        private final Object[] values;
        private int next;

        private Values(final Object[] values) {
            this.values = values;
        }

        /** The value of the next component. */
        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
        public <T> T next() {
            if (next == values.length) {
                throw new IllegalStateException("components have no keys: " + (next + 1));
            }
            return (T) values[next++];
        }
    }

    private ConfigSection(
            final String name, final Function<Values, R> factory, final List<Item<R>> items) {
        this.name = name;
        this.factory = factory;
        this.items = items;
        final List<ConfigKey<R, ?>> all = new ArrayList<>();
        for (final Item<R> item : items) {
            all.addAll(item.keys());
        }
        keys = List.copyOf(all);
    }

    /**
     * A section.
     *
     * @param name of it in the file.
     * @param factory makes a record of its values.
     * @param items a key or a group for each component of the record, in their order, and rules.
     *     Limits that depend on other keys depend on earlier ones.
     */
    @SafeVarargs
    @SuppressWarnings("varargs")
    static <R extends Record> ConfigSection<R> of(
            final String name, final Function<Values, R> factory, final Item<R>... items) {
        return new ConfigSection<>(name, factory, List.of(items));
    }

    /** The name of the section in the file. */
    public String name() {
        return name;
    }

    /** Its keys, in order. */
    public List<ConfigKey<R, ?>> keys() {
        return keys;
    }

    /**
     * The key of that name.
     *
     * @throws IllegalArgumentException if there is none.
     */
    public ConfigKey<R, ?> key(final String key) {
        return keys.get(index(key));
    }

    private int index(final String key) {
        for (int i = 0; i < keys.size(); i++) {
            if (keys.get(i).name().equals(key)) {
                return i;
            }
        }
        throw new IllegalArgumentException(name + " has no key " + key);
    }

    /** The record of the defaults. */
    public R defaults() {
        final Object[] values = new Object[keys.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = keys.get(i).fallback();
        }
        return make(values);
    }

    /**
     * The record with another value. The others stay as they are unless that value rules them out,
     * and otherwise become the nearest that is allowed.
     *
     * @throws Check.Failure if the value is not allowed.
     */
    public R with(final R base, final String key, final Object value) {
        return with(base, Map.of(key, value));
    }

    /** The same with several values by key. */
    public R with(final R base, final Map<String, ?> given) {
        final Object[] values = new Object[keys.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = keys.get(i).of(base);
        }
        given.forEach((key, value) -> values[index(key)] = value);
        for (int i = 0; i < values.length; i++) {
            final ConfigKey<R, ?> key = keys.get(i);
            if (key.limits().dependOnOthers() && !given.containsKey(key.name())) {
                values[i] = fit(key, make(values));
            }
        }
        final R record = make(values);
        final Check check = new Check();
        check(check, record);
        check.done();
        return record;
    }

    private static <R, V> V fit(final ConfigKey<R, V> key, final R record) {
        return key.fit(record, key.of(record));
    }

    /** Adds to {@code check} what is wrong with a record. */
    public void check(final Check check, final R record) {
        for (final ConfigKey<R, ?> key : keys) {
            check(check, key, record);
        }
        for (final Item<R> item : items) {
            if (item instanceof final Rule<R> rule && !rule.isValid.test(record)) {
                check.that(false, rule.key, rule.text.apply(record));
            }
        }
    }

    private static <R, V> void check(final Check check, final ConfigKey<R, V> key, final R record) {
        key.check(check, record, key.of(record));
    }

    /** A record of values in the order of the keys, unchecked. */
    R make(final Object[] values) {
        final List<Object> components = new ArrayList<>();
        int next = 0;
        for (final Item<R> item : items) {
            if (item instanceof ConfigKey) {
                components.add(values[next++]);
            } else if (item instanceof final Group<R, ?> group) {
                final int last = next + group.section.keys.size();
                components.add(group.section.make(Arrays.copyOfRange(values, next, last)));
                next = last;
            }
        }
        final Values all = new Values(components.toArray());
        final R record = factory.apply(all);
        if (all.next < all.values.length) {
            throw new IllegalStateException("keys have no components: " + keys);
        }
        return record;
    }
}
