package io.hxb.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.longs;

import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.pm.shm.NodePage;
import io.hxb.routing.DimensionOrder;
import io.hxb.testing.RandomClusterFile;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

@Tag("property")
class ClusterConfigPropertyTest {
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

    private static FlowConfig flow(final Random random) {
        return new FlowConfig(
                64,
                1 + random.nextInt(32),
                1_000 + random.nextInt(1_000_000),
                3 + random.nextInt(40),
                10_000 + random.nextInt(1000),
                1_000_000L + random.nextInt(1000),
                10_000_000L * (1 + random.nextInt(1000)),
                16 + random.nextInt(100_000),
                20_000_000_000L + 10_000_000L * random.nextInt(1000),
                new RouteConfig(
                        1_000_000L * (1 + random.nextInt(1000)),
                        1_000_000L * (1 + random.nextInt(1000)),
                        10_000_000L * (1 + random.nextInt(1000))));
    }

    private static ClusterConfig random(final Random random) {
        final int[] extents = random.ints(1 + random.nextInt(8), 1, 4).toArray();
        final Shape shape = Shape.of(extents);
        final Backend backend = random.nextBoolean() ? Backend.RAW : Backend.UDP;
        final LinkPlan links = links(random, shape, backend);
        return ClusterConfig.of("c" + random.nextInt(1000), shape, backend, links)
                .withOrders(orders(random, shape))
                .withFlow(flow(random))
                .withTrunk(
                        new TrunkConfig(
                                2 + random.nextInt(1000),
                                1 + random.nextInt(2),
                                1_000_000 + random.nextInt(1_000_000_000),
                                1 + random.nextInt(1000),
                                1 + random.nextInt(100),
                                random.nextInt(1_000_000_000),
                                1_000_000_000L + random.nextInt(1_000_000_000),
                                1_000_000 + random.nextInt(1_000_000_000)))
                .withPool(pool(random, links.linkCount()))
                .withContext(
                        ContextConfig.DEFAULT.withIsolation(
                                pick(random, ContextConfig.Isolation.values())))
                .withLoop(
                        new LoopConfig(
                                1 + random.nextInt(NodePage.MAX_LOOPS),
                                pick(random, LoopConfig.Waiting.values()),
                                random.nextInt(1_000_000_000),
                                1 + random.nextInt(64),
                                random.ints(random.nextInt(3), 0, 100).boxed().toList(),
                                random.nextInt(100)))
                .withLimits(limits(random))
                .withAttach(
                        new AttachConfig(
                                Path.of("/run/a b'" + random.nextInt(100)),
                                Path.of("relative/" + random.nextInt(100)),
                                random.ints(random.nextInt(3), 0, 70_000).boxed().toList(),
                                List.of()))
                .withSecurity(
                        random.nextBoolean()
                                ? SecurityConfig.DEFAULT
                                : new SecurityConfig(
                                        random.nextBoolean()
                                                ? SecurityConfig.Mode.AUTHENTICATE
                                                : SecurityConfig.Mode.ENCRYPT,
                                        List.of("/etc/a key", "credential:hxb")))
                .withHosts(Map.of("host-" + random.nextInt(10) + ".example", 0L));
    }

    private static LimitConfig limits(final Random random) {
        return new LimitConfig(
                1 + random.nextInt(4096),
                1 + random.nextInt(4096),
                (1L << 20) + (random.nextLong() >>> 24),
                1 + random.nextInt(65_536),
                random.nextInt(1 << 20),
                1 + random.nextInt(1 << 20),
                random.nextInt(1_000_000_000));
    }

    private static PoolConfig pool(final Random random, final int linkCount) {
        return new PoolConfig(
                PoolConfig.BUFFERS_PER_LINK * linkCount
                        + ContextConfig.DEFAULT.minContexts()
                        + random.nextInt(10_000),
                64 * (8 + random.nextInt(1000)),
                pick(random, PoolConfig.HugePages.values()));
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
