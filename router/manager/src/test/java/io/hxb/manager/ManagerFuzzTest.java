package io.hxb.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.session.ClusterKey;
import io.hxb.session.KeyRing;
import io.hxb.vlan.RememberingTagger;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;

/** Whatever comes over a connection: answers of the right number, no error, nothing left behind. */
@Tag("property")
class ManagerFuzzTest {
    private static final int ROUNDS = 3_000;
    private static final int HOSTS = 5;
    private static final List<Access> ACCESSES = List.of(Access.CHANGE, Access.READ, Access.KEY);
    private static final List<String> HTTP =
            List.of(
                    "GET /v1/routes HTTP/1.1\r\nHost: localhost\r\n\r\n",
                    "PUT /v1/routes/h1 HTTP/1.1\r\nContent-Length: 11\r\n\r\n{\"vid\": 12}",
                    "POST /v1/batch HTTP/1.1\r\nContent-Length: 43\r\n\r\n%s"
                            .formatted("{\"changes\": [{\"peer\": \"h1\", \"vid\": 12}]}\r\n"),
                    "GET /v1/watch?after=1&x=%41 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
                    "DELETE /v1/routes/02:00:00:00:00:02 HTTP/1.1\r\n\r\n");

    private final long seed = System.nanoTime();
    private final SplittableRandom random = new SplittableRandom(seed);
    private final RememberingTagger tagger = new RememberingTagger();

    private static ConnectionResources reception(final HostManager manager) {
        final byte[] secret = new byte[ClusterKey.LENGTH];
        return new ConnectionResources(manager, KeyRing.of(new ClusterKey(secret)));
    }

    private static EmbeddedChannel channel(
            final ConnectionResources connectionResources, final Access access) {
        return new EmbeddedChannel(new FirstByteHandler(connectionResources, access, false));
    }

    private byte[] requests(final int count) {
        final byte[] bytes = new byte[count * ManagerMessage.LENGTH];
        random.nextBytes(bytes);
        for (int i = 0; i < count; i++) {
            final ManagerMessage message =
                    new ManagerMessage()
                            .wrap(Unpooled.wrappedBuffer(bytes), i * ManagerMessage.LENGTH);
            if (i == 0 || random.nextInt(10) > 0) {
                bytes[i * ManagerMessage.LENGTH] = ManagerMessage.VERSION;
                bytes[i * ManagerMessage.LENGTH + 1] = (byte) operation();
            } else {
                bytes[i * ManagerMessage.LENGTH] = 0;
            }
            if (random.nextInt(3) > 0) {
                message.number(random.nextInt(4));
                message.vid(random.nextInt(15));
                message.index(random.nextInt(7) - 1);
                message.peerHost(random.nextInt(HOSTS + 2) - 1);
            }
        }
        return bytes;
    }

    /** Any but those that draw more answers than one, or seals. */
    private int operation() {
        final int code = random.nextInt(ManagerOperation.CHOICE.code() + 1);
        return code == ManagerOperation.WATCH.code() || code == ManagerOperation.AUTHENTICATE.code()
                ? ManagerOperation.COUNT.code()
                : code;
    }

    @Test
    void shouldAnswerEachRequestOnce() throws IOException {
        final HostManager manager = TestManager.of(TestManager.table(HOSTS), tagger);
        final ConnectionResources connectionResources = reception(manager);
        for (int round = 0; round < ROUNDS; round++) {
            // given
            final int count = 1 + random.nextInt(20);
            final byte[] bytes = requests(count);
            final EmbeddedChannel channel = channel(connectionResources, Access.CHANGE);
            // when
            for (int at = 0; at < bytes.length; ) {
                final int length = Math.min(bytes.length - at, 1 + random.nextInt(200));
                channel.writeInbound(Unpooled.copiedBuffer(bytes, at, length));
                at += length;
            }
            // then
            channel.runPendingTasks();
            int answered = 0;
            for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
                answered += answers(out);
                out.release();
            }
            assertEquals(count, answered, "seed " + seed);
            channel.finishAndReleaseAll();
        }
        assertLeftAlone(manager);
    }

    private static int answers(final ByteBuf out) {
        int answers = 0;
        final ManagerMessage reply = new ManagerMessage();
        for (int at = 0; at < out.readableBytes(); at += ManagerMessage.LENGTH) {
            reply.wrap(out, at);
            assertEquals(ManagerMessage.VERSION, reply.version());
            assertNotNull(Status.of(reply.status()));
            answers++;
        }
        return answers;
    }

    @Test
    void shouldTakeAnyBytes() throws IOException {
        final HostManager manager = TestManager.of(TestManager.table(HOSTS), tagger);
        final ConnectionResources connectionResources = reception(manager);
        for (int round = 0; round < ROUNDS; round++) {
            final Access access = ACCESSES.get(random.nextInt(ACCESSES.size()));
            final EmbeddedChannel channel = channel(connectionResources, access);
            for (int piece = random.nextInt(5); piece >= 0 && channel.isOpen(); piece--) {
                channel.writeInbound(Unpooled.wrappedBuffer(bytes()));
            }
            channel.runPendingTasks();
            channel.checkException();
            channel.finishAndReleaseAll();
        }
        assertLeftAlone(manager);
    }

    private byte[] bytes() {
        final byte[] bytes;
        if (random.nextBoolean()) {
            bytes = HTTP.get(random.nextInt(HTTP.size())).getBytes(StandardCharsets.US_ASCII);
        } else if (random.nextBoolean()) {
            bytes = requests(1 + random.nextInt(3));
        } else {
            bytes = new byte[1 + random.nextInt(300)];
            random.nextBytes(bytes);
        }
        for (int changes = random.nextInt(4); changes > 0; changes--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(128);
        }
        return bytes;
    }

    /**
     * All sessions have ended: only what is to last is left, and there is room for as many again.
     */
    private void assertLeftAlone(final HostManager manager) {
        for (int i = 0; i < SessionLimits.MAX_SESSIONS; i++) {
            assertNotNull(manager.open(true), "seed " + seed);
        }
        for (int host = 1; host < HOSTS; host++) {
            assertTrue(List.of(11, 12).contains(tagger.vid(host)), "seed " + seed);
        }
    }
}
