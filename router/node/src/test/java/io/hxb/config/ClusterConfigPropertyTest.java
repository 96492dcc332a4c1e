package io.hxb.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.longs;

import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.routing.DimensionOrder;
import io.hxb.tap.IpPrefix;
import io.hxb.tap.IpRoute;
import io.hxb.testing.RandomClusterFile;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

@Tag("property")
class ClusterConfigPropertyTest {
    private static final List<IpRoute> ROUTES =
            List.of(IpRoute.parse("192.168.9.0/24 via 0"), IpRoute.parse("fd09::/64 via 1"));

    private static final List<IpPrefix> PREFIXES =
            List.of(IpPrefix.parse("10.0.0.0/8"), IpPrefix.parse("fd68:7862::/64"));
    private static final String[] TEXTS = {
        "", "a", "/run/a b'7", "relative/5", "credential:hxb", "a#b: c", "[::1]:70", "null", "12"
    };

    @Test
    void shouldReadBackEveryConfigurationItWrites() {
        qt().withExamples(300)
                .forAll(longs().all())
                .checkAssert(
                        seed -> {
                            // given
                            final ClusterConfig config = random(new Random(seed));
                            // when
                            final String text = ClusterConfigYaml.write(config);
                            // then
                            assertEquals(config, ClusterConfigYaml.parse(text, "c.yaml"), text);
                        });
    }

    @Test
    void shouldReadEveryValidFileAndWriteWhatItMeans() {
        qt().withExamples(300)
                .forAll(longs().all())
                .checkAssert(
                        seed -> {
                            // given
                            final String text = new RandomClusterFile(seed, Map.of()).text();
                            // when
                            final ClusterConfig config = ClusterConfigYaml.parse(text, "c.yaml");
                            // then
                            final String written = ClusterConfigYaml.write(config);
                            assertEquals(config, ClusterConfigYaml.parse(written, "c.yaml"), text);
                        });
    }

    @Test
    void shouldAnswerDamagedTextWithProblemsOnly() {
        qt().withExamples(2_000)
                .forAll(longs().all())
                .checkAssert(
                        seed -> {
                            // given
                            final Random random = new Random(seed);
                            final String text =
                                    damage(ClusterConfigYaml.write(random(random)), random);
                            // when
                            try {
                                ClusterConfigYaml.parse(text, "c.yaml");
                            } catch (final ConfigException e) {
                                // then
                                e.problems().forEach(ClusterConfigPropertyTest::checkProblem);
                            }
                        });
    }

    private static void checkProblem(final String problem) {
        if (!problem.startsWith("c.yaml:")) {
            fail("no place: " + problem);
        }
    }

    private static String damage(final String text, final Random random) {
        final StringBuilder damaged = new StringBuilder(text);
        for (int i = 0; i <= random.nextInt(4); i++) {
            final int at = random.nextInt(damaged.length());
            switch (random.nextInt(3)) {
                case 0 ->
                        damaged.setCharAt(
                                at, ":{}[]'\"\n\t&*!#-x09\u0000\u2028".charAt(random.nextInt(19)));
                case 1 -> damaged.deleteCharAt(at);
                default ->
                        damaged.delete(at, Math.min(damaged.length(), at + random.nextInt(40)))
                                .append(' ');
            }
        }
        return damaged.toString();
    }

    private static ClusterConfig random(final Random random) {
        final int[] extents = random.ints(1 + random.nextInt(8), 1, 4).toArray();
        final Shape shape = Shape.of(extents);
        final Backend backend = random.nextBoolean() ? Backend.RAW : Backend.UDP;
        final LinkPlan links = links(random, shape, backend);
        ClusterConfig config =
                ClusterConfig.of("c" + random.nextInt(1000), shape, backend, links)
                        .withOrders(orders(random, shape))
                        .withHosts(Map.of("host-" + random.nextInt(10) + ".example", 0L));
        for (final ClusterKeys.Part<?> part : ClusterKeys.PARTS) {
            config = with(config, part, random);
        }
        return config;
    }

    /** Another section, unless other sections do not allow it. */
    private static <S extends Record> ClusterConfig with(
            final ClusterConfig config, final ClusterKeys.Part<S> part, final Random random) {
        final ClusterConfig.Builder builder = new ClusterConfig.Builder(config);
        part.setter()
                .accept(builder, random(part.section(), part.accessor().apply(config), random));
        try {
            return builder.build();
        } catch (final Check.Failure e) {
            return config;
        }
    }

    /** Values of all keys: numbers within the limits, others unless a rule forbids them. */
    private static <S extends Record> S random(
            final ConfigSection<S> section, final S base, final Random random) {
        S record = base;
        final Map<String, Object> others = new LinkedHashMap<>();
        for (final ConfigKey<S, ?> key : section.keys()) {
            final Object value = value(key, record, random);
            if (key.type().isNumber()) {
                record = section.with(record, key.name(), value);
            } else {
                others.put(key.name(), value);
            }
        }
        while (true) {
            try {
                return section.with(record, others);
            } catch (final Check.Failure e) {
                final Set<String> wrong =
                        e.problems().stream().map(Check.Problem::key).collect(Collectors.toSet());
                if (!others.keySet().removeAll(wrong)) {
                    others.clear();
                }
            }
        }
    }

    private static <S> Object value(
            final ConfigKey<S, ?> key, final S record, final Random random) {
        return switch (key.of(record)) {
            case final Number number -> key.type().ofNumber(number(key, record, random));
            case final Boolean flag -> random.nextBoolean();
            case final Enum<?> choice ->
                    pick(random, choice.getDeclaringClass().getEnumConstants());
            case final Path path -> Path.of(pick(random, TEXTS));
            case final List<?> list when key.type().isText() ->
                    List.of(TEXTS).subList(0, random.nextInt(3));
            case final List<?> list when key.name().equals("prefix") ->
                    PREFIXES.subList(random.nextInt(2), 1 + random.nextInt(2));
            case final List<?> list when key.name().equals("routes") ->
                    ROUTES.subList(random.nextInt(2), 1 + random.nextInt(2));
            case final List<?> list ->
                    Collections.nCopies(
                            random.nextInt(3), Math.toIntExact(number(key, record, random)));
            default -> pick(random, TEXTS);
        };
    }

    /** One of the ends of the range of a key, or a number between them. */
    private static <S> long number(final ConfigKey<S, ?> key, final S record, final Random random) {
        final long min = key.limits().min(record);
        final long max = key.limits().max(record);
        final long number =
                switch (random.nextInt(4)) {
                    case 0 -> min;
                    case 1 -> max;
                    default -> min + Math.floorMod(random.nextLong(), max - min + 1);
                };
        if (key.type().isPowerOfTwo()) {
            return Math.max(min, Long.highestOneBit(number));
        }
        return switch (key.name()) {
            case "bufferBytes" -> number / 64 * 64;
            case "relayEtherType" ->
                    number == ((FrameConfig) record).etherType() ? number ^ 1 : number;
            default -> number;
        };
    }

    private static OrderConfig orders(final Random random, final Shape shape) {
        return switch (random.nextInt(3)) {
            case 0 -> OrderConfig.DEFAULT;
            case 1 -> OrderConfig.all(shape.dimensions());
            default ->
                    new OrderConfig(
                            OrderConfig.Mode.EXPLICIT,
                            List.of(
                                    DimensionOrder.of(shape.dimensions() - 1),
                                    DimensionOrder.DEFAULT));
        };
    }

    private static LinkPlan links(final Random random, final Shape shape, final Backend backend) {
        final List<List<String>> endpoints = new ArrayList<>();
        int link = 0;
        for (int dimension = 0; dimension < shape.dimensions(); dimension++) {
            final List<String> trunk = new ArrayList<>();
            for (int i = 0; i <= random.nextInt(8); i++) {
                trunk.add(backend == Backend.RAW ? "n" + link++ : "");
            }
            endpoints.add(trunk);
        }
        final Map<Long, LinkPlan.NodeOverride> nodes = new LinkedHashMap<>();
        if (random.nextBoolean()) {
            nodes.put(0L, new LinkPlan.NodeOverride(List.of(), "h{node}", "ns"));
        }
        return new LinkPlan(
                endpoints, random.nextBoolean() ? "n-{node}" : "", "h{node}", 5000, nodes);
    }

    private static <T> T pick(final Random random, final T[] choices) {
        return choices[random.nextInt(choices.length)];
    }
}
