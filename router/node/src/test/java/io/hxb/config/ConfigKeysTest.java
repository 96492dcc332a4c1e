package io.hxb.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.ClusterKeys.Part;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Every key that has a descriptor, at the ends of its limits and beyond; new keys come by it. */
@Tag("unit")
class ConfigKeysTest {
    private static final String BASE = "shape: 2\nlinks: 1\n";

    /** A key of a section. Immutable. */
    record Case<R extends Record>(ConfigSection<R> section, ConfigKey<R, ?> key) {
        private String path() {
            return section.name() + "." + key.name();
        }

        /** The record of the defaults, except for this key and what it rules out. */
        private R with(final long number) {
            return section.with(section.defaults(), key.name(), value(number));
        }

        private Object value(final long number) {
            return key.type().isNumber()
                    ? key.type().ofNumber(number)
                    : List.of(Math.toIntExact(number));
        }

        private Object valueOf(final R record) {
            return key.of(record);
        }

        private long min() {
            return key.limits().min(section.defaults());
        }

        private long max() {
            return key.limits().max(section.defaults());
        }

        /** The text of a file with that number, whatever it is. */
        private String file(final long number) {
            return BASE + section.name() + ":\n  " + key.name() + ": " + text(number) + "\n";
        }

        private String text(final long number) {
            return key.type() == ValueType.DURATION && number >= 0
                    ? Quantity.formatDuration(number)
                    : Long.toString(number);
        }

        @Override
        public String toString() {
            return path();
        }
    }

    private static Stream<Case<?>> keys() {
        return ClusterKeys.PARTS.stream().flatMap(ConfigKeysTest::keysOf);
    }

    private static <S extends Record> Stream<Case<?>> keysOf(final Part<S> part) {
        return part.section().keys().stream().map(key -> new Case<>(part.section(), key));
    }

    private static Stream<Case<?>> ranges() {
        return keys().filter(each -> each.key.limits().isRange());
    }

    @ParameterizedTest
    @MethodSource("ranges")
    <R extends Record> void shouldTakeTheEndsOfTheRange(final Case<R> each) {
        for (final long number : new long[] {each.min(), each.max()}) {
            // when
            final R record = each.with(number);
            // then
            assertEquals(each.value(number), each.valueOf(record));
        }
    }

    @ParameterizedTest
    @MethodSource("ranges")
    <R extends Record> void shouldReportNumbersBeyondTheRangeWithTheirLine(final Case<R> each) {
        for (final long number : new long[] {each.min() - 1, each.max() + 1}) {
            if (number > Integer.MAX_VALUE && each.key.type().isList()) {
                continue;
            }
            // when
            final ConfigException thrown =
                    assertThrows(
                            ConfigException.class,
                            () -> ClusterConfigYaml.parse(each.file(number), "c.yaml"));
            // then
            final String problem = thrown.problems().getFirst();
            assertTrue(problem.startsWith("c.yaml:4: " + each.path() + " must be "), problem);
        }
    }

    @ParameterizedTest
    @MethodSource("keys")
    <R extends Record> void shouldTakeTheDefaultThatIsWritten(final Case<R> each) {
        // given
        final String written = each.key.write(each.section.defaults());
        final String text = written.isEmpty() ? "''" : written;
        // when
        final ClusterConfig config =
                ClusterConfigYaml.parse(
                        BASE + each.section.name() + ": {" + each.key.name() + ": " + text + "}\n",
                        "c.yaml");
        // then
        assertEquals(ClusterConfigYaml.parse(BASE, "c.yaml"), config);
    }

    @ParameterizedTest
    @MethodSource("ranges")
    <R extends Record> void shouldFindMistakesOfProgramsToo(final Case<R> each) {
        // given: a record that no file can give
        final List<ConfigKey<R, ?>> keys = each.section.keys();
        final Object[] values =
                keys.stream().map(key -> (Object) key.of(each.section.defaults())).toArray();
        values[keys.indexOf(each.key)] = each.value(each.key.type().isList() ? -1 : each.max() + 1);
        final ClusterConfig.Builder builder =
                new ClusterConfig.Builder(
                        "c", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 1, 20_000));
        set(builder, each.section, each.section.make(values));
        // when
        final Check.Failure thrown = assertThrows(Check.Failure.class, builder::build);
        // then
        assertTrue(thrown.getMessage().contains(each.path() + " must be"), thrown.getMessage());
    }

    private static <R extends Record> void set(
            final ClusterConfig.Builder builder, final ConfigSection<R> section, final R record) {
        for (final Part<?> part : ClusterKeys.PARTS) {
            if (part.section() == section) {
                @SuppressWarnings("unchecked")
                final Part<R> same = (Part<R>) part;
                same.setter().accept(builder, record);
            }
        }
    }

    @Test
    void shouldKeepDefaultsWithinLimitsThatOtherKeysMove() {
        // when
        final FlowConfig flow =
                ClusterConfigYaml.parse(
                                BASE + "flow: {windowFrames: 8, minRetransmit: 4s}\n", "c.yaml")
                        .flow();
        // then
        assertEquals(4, flow.ackEveryFrames());
        assertEquals(7, flow.reorderingThresholdFrames());
        assertEquals(4_000_000_000L, flow.maxRetransmitNs());
        assertEquals(8_000_000_000L, flow.peerTimeoutNs());
        assertEquals(60_000_000_000L, flow.idleTimeoutNs());
    }

    @Test
    void shouldFindDescriptorsThatDoNotFitTheRecord() {
        final ConfigSection<RouteConfig> tooFew =
                ConfigSection.of(
                        "route",
                        v -> new RouteConfig(v.next(), v.next(), v.next()),
                        RouteConfig.KEYS.key("routeRetry"));
        final ConfigSection<RouteConfig> tooMany =
                ConfigSection.of(
                        "route",
                        v -> new RouteConfig(v.next(), 0, 0),
                        RouteConfig.KEYS.key("routeSilence"),
                        RouteConfig.KEYS.key("routeRetry"));
        assertThrows(IllegalStateException.class, tooFew::defaults);
        assertThrows(IllegalStateException.class, tooMany::defaults);
    }

    @Test
    void shouldRefuseKeysThatAreNotThere() {
        assertThrows(
                IllegalArgumentException.class,
                () -> FlowConfig.KEYS.with(FlowConfig.DEFAULT, Map.of("windowframes", 4)));
    }
}
