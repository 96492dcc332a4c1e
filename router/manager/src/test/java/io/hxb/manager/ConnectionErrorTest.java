package io.hxb.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.session.KeyRing;
import io.hxb.testing.RecordingLogger;
import io.hxb.vlan.RememberingTagger;
import io.netty.channel.ChannelHandler;
import io.netty.channel.embedded.EmbeddedChannel;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

import java.io.IOException;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** What goes wrong while a connection is served ends it, and the log has what it was. */
@Tag("unit")
class ConnectionErrorTest {
    private final RecordingLogger logger = new RecordingLogger(Level.WARN);
    private ConnectionResources connectionResources;

    @BeforeEach
    void makeManager() throws IOException {
        connectionResources =
                new ConnectionResources(
                        TestManager.of(TestManager.table(2), new RememberingTagger()),
                        KeyRing.NONE,
                        logger);
    }

    private Stream<Supplier<ChannelHandler>> handlers() {
        return Stream.of(
                () -> new FirstByteHandler(connectionResources, Access.READ, false),
                () -> new HttpHandler(connectionResources, Access.READ, false),
                () -> new ManagerHandler(connectionResources, Access.READ));
    }

    @Test
    void shouldReportWhyAConnectionIsClosed() {
        handlers()
                .forEach(
                        handler -> {
                            // given
                            final EmbeddedChannel channel = new EmbeddedChannel(handler.get());
                            final int before = logger.lines().size();
                            // when
                            channel.pipeline()
                                    .fireExceptionCaught(new IllegalStateException("cause"));
                            channel.runPendingTasks();
                            // then
                            assertFalse(channel.isOpen());
                            assertEquals(before + 1, logger.lines().size());
                            final String line = logger.lines().getLast();
                            assertTrue(
                                    line.endsWith("java.lang.IllegalStateException: cause"), line);
                            channel.checkException();
                        });
    }

    @Test
    void shouldReportItAFewTimesOnlyWhenThereAreManySuchConnections() {
        for (int i = 0; i < 1_000; i++) {
            final EmbeddedChannel channel =
                    new EmbeddedChannel(
                            new FirstByteHandler(connectionResources, Access.READ, true));
            channel.pipeline().fireExceptionCaught(new IOException("Connection reset by peer"));
            assertFalse(channel.isOpen());
        }
        assertTrue(logger.lines().size() < 10, logger.lines()::toString);
    }
}
