package io.hxb.stream;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.hxb.pm.stream.HxbSocketAddress;
import io.hxb.pm.stream.HxbSocketChannel;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.AbstractSocketShutdownOutputByPeerTest;
import io.netty.testsuite.transport.socket.CompositeBufferGatheringWriteTest;
import io.netty.testsuite.transport.socket.SocketAddressesTest;
import io.netty.testsuite.transport.socket.SocketAutoReadTest;
import io.netty.testsuite.transport.socket.SocketBufReleaseTest;
import io.netty.testsuite.transport.socket.SocketCancelWriteTest;
import io.netty.testsuite.transport.socket.SocketConditionalWritabilityTest;
import io.netty.testsuite.transport.socket.SocketConnectTest;
import io.netty.testsuite.transport.socket.SocketDataReadInitialStateTest;
import io.netty.testsuite.transport.socket.SocketEchoTest;
import io.netty.testsuite.transport.socket.SocketExceptionHandlingTest;
import io.netty.testsuite.transport.socket.SocketFileRegionTest;
import io.netty.testsuite.transport.socket.SocketFixedLengthEchoTest;
import io.netty.testsuite.transport.socket.SocketGatheringWriteTest;
import io.netty.testsuite.transport.socket.SocketHalfClosedTest;
import io.netty.testsuite.transport.socket.SocketObjectEchoTest;
import io.netty.testsuite.transport.socket.SocketReadPendingTest;
import io.netty.testsuite.transport.socket.SocketRstTest;
import io.netty.testsuite.transport.socket.SocketSslEchoTest;
import io.netty.testsuite.transport.socket.SocketSslGreetingTest;
import io.netty.testsuite.transport.socket.SocketStartTlsTest;
import io.netty.testsuite.transport.socket.SocketStringEchoTest;
import io.netty.testsuite.transport.socket.TrafficShapingHandlerTest;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

import java.io.IOException;
import java.net.SocketAddress;
import java.util.List;

/**
 * Netty's own tests of transports, with channels over streams on event loops of each kind. What is
 * left out, and why, is in docs/howto/netty.md.
 */
@Tag("system")
@Tag("outside")
class NettySuiteTest {
    private static final List<ByteBufAllocator> ALLOCATORS =
            List.of(PooledByteBufAllocator.DEFAULT);

    private static NettyLoops loops;

    @BeforeAll
    static void start() throws Exception {
        loops = new NettyLoops();
    }

    @AfterAll
    static void close() throws Exception {
        loops.close();
    }

    @Nested
    final class ExceptionHandling extends SocketExceptionHandlingTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return loops.combos();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return ALLOCATORS;
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return NettyLoops.serverAddress();
        }
    }

    @Nested
    final class AutoRead extends SocketAutoReadTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return loops.combos();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return ALLOCATORS;
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return NettyLoops.serverAddress();
        }
    }

    @Nested
    final class DataReadInitialState extends SocketDataReadInitialStateTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return loops.combos();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return ALLOCATORS;
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return NettyLoops.serverAddress();
        }
    }

    @Nested
    final class StringEcho extends SocketStringEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return loops.combos();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return ALLOCATORS;
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return NettyLoops.serverAddress();
        }
    }

    @Nested
    final class SslGreeting extends SocketSslGreetingTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return loops.combos();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return ALLOCATORS;
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return NettyLoops.serverAddress();
        }
    }

    @Nested
    final class BufRelease extends SocketBufReleaseTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return loops.combos();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return ALLOCATORS;
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return NettyLoops.serverAddress();
        }
    }

    @Nested
    final class ReadPending extends SocketReadPendingTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return loops.combos();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return ALLOCATORS;
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return NettyLoops.serverAddress();
        }
    }

    @Nested
    final class FixedLengthEcho extends SocketFixedLengthEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return loops.combos();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return ALLOCATORS;
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return NettyLoops.serverAddress();
        }
    }

    @Nested
    final class ObjectEcho extends SocketObjectEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return loops.combos();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return ALLOCATORS;
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return NettyLoops.serverAddress();
        }
    }

    @Nested
    @Tag("long")
    final class SslEcho extends SocketSslEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return loops.combos();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return ALLOCATORS;
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return NettyLoops.serverAddress();
        }
    }

    @Nested
    final class CompositeBufferGatheringWrite extends CompositeBufferGatheringWriteTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return loops.combos();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return ALLOCATORS;
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return NettyLoops.serverAddress();
        }
    }

    @Nested
    final class Connect extends SocketConnectTest {
        @Override
        @Test
        @Disabled("uses an InetSocketAddress")
        public void testLocalAddressAfterConnect(final TestInfo info) {
            throw new AssertionError("left out");
        }

        @Override
        @Test
        @Disabled("sends data with the connect, an option of TCP")
        public void testWriteWithFastOpenBeforeConnect(final TestInfo info) {
            throw new AssertionError("left out");
        }

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return loops.combos();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return ALLOCATORS;
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return NettyLoops.serverAddress();
        }
    }

    @Nested
    final class ConditionalWritability extends SocketConditionalWritabilityTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return loops.combos();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return ALLOCATORS;
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return NettyLoops.serverAddress();
        }
    }

    @Nested
    final class GatheringWrite extends SocketGatheringWriteTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return loops.combos();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return ALLOCATORS;
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return NettyLoops.serverAddress();
        }
    }

    @Nested
    final class Rst extends SocketRstTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return loops.combos();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return ALLOCATORS;
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return NettyLoops.serverAddress();
        }
    }

    @Nested
    final class Echo extends SocketEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return loops.combos();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return ALLOCATORS;
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return NettyLoops.serverAddress();
        }
    }

    @Nested
    final class CancelWrite extends SocketCancelWriteTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return loops.combos();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return ALLOCATORS;
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return NettyLoops.serverAddress();
        }
    }

    @Nested
    @Tag("long")
    final class TrafficShapingHandler extends TrafficShapingHandlerTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return loops.combos();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return ALLOCATORS;
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return NettyLoops.serverAddress();
        }
    }

    @Nested
    final class HalfClosed extends SocketHalfClosedTest {
        @Override
        @Test
        @Disabled("casts the channel to SocketChannel, whose addresses are those of TCP")
        public void testHalfClosureReceiveDataOnFinalWait2StateWhenSoLingerSet(
                final TestInfo info) {
            throw new AssertionError("left out");
        }

        @Override
        @Test
        @Disabled(
                "waits for the end although no read is asked for, which NIO's channels do not tell"
                        + " either")
        public void testAllDataReadEventTriggeredAfterHalfClosure(final TestInfo info) {
            throw new AssertionError("left out");
        }

        @Override
        @Test
        @Disabled("needs that a reset has arrived when the peer's close returns")
        public void testAutoCloseFalseDoesShutdownOutput(final TestInfo info) {
            throw new AssertionError("left out");
        }

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return loops.combos();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return ALLOCATORS;
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return NettyLoops.serverAddress();
        }
    }

    @Nested
    final class FileRegion extends SocketFileRegionTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return loops.combos();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return ALLOCATORS;
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return NettyLoops.serverAddress();
        }
    }

    @Nested
    final class StartTls extends SocketStartTlsTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return loops.combos();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return ALLOCATORS;
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return NettyLoops.serverAddress();
        }
    }

    @Nested
    final class Addresses extends SocketAddressesTest {
        @Override
        @Test
        @Disabled("binds both ends to addresses of one host")
        public void testAddresses(final TestInfo info) {
            throw new AssertionError("left out");
        }

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return loops.combos();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return ALLOCATORS;
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return NettyLoops.serverAddress();
        }

        @Override
        protected void assertAddress(final SocketAddress address) {
            assertInstanceOf(HxbSocketAddress.class, address);
        }
    }

    @Nested
    final class ShutdownOutputByPeer
            extends AbstractSocketShutdownOutputByPeerTest<HxbSocketChannel> {
        @Override
        protected List<BootstrapFactory<ServerBootstrap>> newFactories() {
            return loops.servers();
        }

        @Override
        protected List<ByteBufAllocator> newAllocators() {
            return ALLOCATORS;
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return NettyLoops.serverAddress();
        }

        @Override
        protected HxbSocketChannel newSocket() {
            return HxbSocketChannel.open(loops.plain());
        }

        @Override
        protected void connect(final HxbSocketChannel socket, final SocketAddress address)
                throws IOException {
            socket.connect((HxbSocketAddress) address);
        }

        @Override
        protected void write(final HxbSocketChannel socket, final int value) throws IOException {
            socket.output().write(value);
        }

        @Override
        protected void shutdownOutput(final HxbSocketChannel socket) throws IOException {
            socket.shutdownOutput();
        }

        @Override
        protected void close(final HxbSocketChannel socket) {
            socket.close();
        }
    }
}
