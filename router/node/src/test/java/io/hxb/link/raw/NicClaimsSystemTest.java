package io.hxb.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.linux.Descriptors;
import io.hxb.linux.Memory;
import io.hxb.node.Node;
import io.hxb.node.NodeOptions;
import io.hxb.node.loop.NodeThreads;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.Sockets;
import io.hxb.testing.TestNamespaces;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;

@Tag("system")
class NicClaimsSystemTest {
    private static final int AF_UNIX = 1;

    private static ClusterConfig cluster(final String name, final TestNamespaces namespaces) {
        final String a = namespaces.add("0");
        final String b = namespaces.add("1");
        namespaces.veth(a, "n0", b, "n0", 1500);
        final String pattern = a.substring(0, a.length() - 1) + "{node}";
        return ClusterConfig.of(
                name, Shape.of(2), Backend.RAW, LinkPlan.raw(List.of(List.of("n0")), pattern));
    }

    @Test
    void shouldRefuseASecondNodeOfTheSameIdentityOnTheSameNic() throws IOException {
        TestNamespaces.assumeRoot();
        try (TestNamespaces namespaces = new TestNamespaces();
                NodeThreads threads = NodeThreads.start(LoopConfig.DEFAULT)) {
            // given
            final ClusterConfig config = cluster("claims", namespaces);
            final NodeOptions options = NodeOptions.embedded(config, 0, threads);
            try (Node first = Node.start(options)) {
                // when
                final IOException thrown =
                        assertThrows(IOException.class, () -> Node.start(options).close());

                // then
                final String message = thrown.getMessage();
                assertTrue(message.contains("a second node 0 of cluster claims"), message);
                assertTrue(message.contains("NIC n0"), message);
                // Another place in the cluster is another identity.
                Node.start(NodeOptions.embedded(config, 1, threads)).close();
                assertEquals(0, first.nodeId());
            }
            // and: the place is free once it has ended
            Node.start(options).close();
        }
    }

    @Test
    void shouldNotBeKeptOutByAProgramThatTakesTheName() throws IOException {
        TestNamespaces.assumeRoot();
        try (TestNamespaces namespaces = new TestNamespaces();
                NodeThreads threads = NodeThreads.start(LoopConfig.DEFAULT)) {
            // given a name that any program may take
            final ClusterConfig config = cluster("squatted", namespaces);
            final int taken =
                    NetworkNamespace.run(
                            config.netns(0), () -> bind(NicClaims.name(config, 0, "n0")));
            // when, then
            try (Node node = Node.start(NodeOptions.embedded(config, 0, threads))) {
                assertEquals(0, node.nodeId());
            } finally {
                Descriptors.close(taken);
            }
        }
    }

    private static int bind(final String name) throws IOException {
        final int fd = Sockets.open(AF_UNIX, Sockets.SOCK_DGRAM, 0);
        final byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment address = arena.allocate(110, 8);
            Memory.putShort(address.address(), AF_UNIX);
            MemorySegment.copy(bytes, 0, address, ValueLayout.JAVA_BYTE, 3, bytes.length);
            Sockets.bind(fd, address.address(), 3 + bytes.length, name);
        }
        return fd;
    }
}
