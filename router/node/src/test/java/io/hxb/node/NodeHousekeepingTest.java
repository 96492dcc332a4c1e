package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.counter.CounterType;
import io.hxb.link.Link;
import io.hxb.log.LoopErrors;
import io.hxb.node.loop.NodeThreads;
import io.hxb.testing.LoopErrorsExtension;
import io.hxb.testing.TestNamespaces;
import io.hxb.testing.TestPorts;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;

/** A node of which one part fails again and again. */
@Tag("system")
class NodeHousekeepingTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int PORT = TestPorts.take(4);

    /** A link that reports seven drops, or throws at some of its methods. */
    private static Link link(final Link link, final Set<String> broken) {
        return (Link)
                Proxy.newProxyInstance(
                        Link.class.getClassLoader(),
                        new Class<?>[] {Link.class},
                        (_, method, arguments) -> call(link, method, arguments, broken));
    }

    private static Object call(
            final Link link,
            final Method method,
            final Object[] arguments,
            final Set<String> broken)
            throws Throwable {
        if (link.index() == 0 && broken.contains(method.getName())) {
            throw new IllegalStateException("for the test: " + method.getName());
        }
        if (method.getName().equals("kernelDrops")) {
            return 7L;
        }
        try {
            return method.invoke(link, arguments);
        } catch (final InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @Test
    @LoopErrorsExtension.Expected
    void shouldLookAfterTheOtherLinksWhenOneFails() throws IOException {
        // given a node whose first link cannot be refreshed
        final ClusterConfig config =
                ClusterConfig.of("upkeep", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 2, PORT));
        final long errors = LoopErrors.INSTANCE.count();
        try (NodeThreads threads = NodeThreads.start(LoopConfig.DEFAULT);
                Node whole = Node.start(NodeOptions.embedded(config, 0, threads));
                Node broken =
                        Node.start(
                                NodeOptions.embedded(config, 1, threads)
                                        .withWrapper(
                                                link ->
                                                        link(
                                                                link,
                                                                Set.of(
                                                                        "refresh",
                                                                        "kernelDrops"))))) {
            // when
            TestNamespaces.await("errors", () -> LoopErrors.INSTANCE.count() >= errors + 3);

            // then: the second link is looked after, and neighbours hear of the node
            TestNamespaces.await(
                    "the drops of the second link",
                    () -> broken.counters().sum(CounterType.LINK_KERNEL_DROPPED_FRAMES, 1) == 7);
            assertTrue(whole.awaitNeighbours(10 * SECOND), whole.silentNeighbours()::toString);
            assertTrue(broken.awaitNeighbours(10 * SECOND), broken.silentNeighbours()::toString);
            assertEquals(0, broken.counters().sum(CounterType.LINK_KERNEL_DROPPED_FRAMES, 0));
        }
    }
}
