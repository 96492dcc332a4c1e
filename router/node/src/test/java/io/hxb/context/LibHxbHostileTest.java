package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.context.LibHxb.Build;
import io.hxb.linux.Descriptors;
import io.hxb.linux.EventFd;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.linux.SharedMemory;
import io.hxb.linux.SignalSocket;
import io.hxb.linux.UnixSocket;
import io.hxb.pm.attach.AttachMessage;
import io.hxb.pm.attach.DirectChange;
import io.hxb.pm.shm.ControlMemory;
import io.hxb.pm.shm.DeliveryRing;
import io.hxb.pm.shm.DirectPage;
import io.hxb.pm.shm.NodePage;
import io.hxb.pm.shm.RemoteMemoryArea;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;

/** Programs in C at a server that is no valid node: an error with a text, and never a crash. */
@Tag("system")
class LibHxbHostileTest {
    private static final int POOL_BYTES = 64 * 1024;
    private static final int SEALS = SharedMemory.SEAL_SHRINK | SharedMemory.SEAL_GROW;
    private static final int FUZZED = 300;
    private static final long CONTROL_BYTES = ControlMemory.lengthBytes(256, 4096);

    /** Of 16 operations, 16 notifications and 8 fragments of messages of 64 bytes. */
    private static final long REMOTE_BYTES = new RemoteMemoryArea(0, 16, 16, 8, 1024).lengthBytes();

    @TempDir private Path folder;

    private final LibHxb programs = new LibHxb();
    private final AttachMessage message = new AttachMessage();
    private SharedMemory page;
    private SharedMemory pool;
    private SharedMemory ringPage;
    private SharedMemory control;
    private SharedMemory records;
    private UnixSocket listener;
    private String path;
    private long lentBytes;
    private SharedMemory remote;
    private int replyBytes = AttachMessage.LENGTH_BYTES;
    private int offersLeft;

    /** Memory that is lent, if the server keeps count of it as a node does. */
    private BitSet lent;

    /** Changes the reply to a request, or the descriptors that go with it. */
    @FunctionalInterface
    private interface Spoiler {
        int[] spoil(int type, int... descriptors) throws IOException;
    }

    @BeforeEach
    void listen() throws Exception {
        LibHxb.build(Build.CHECKED, "scenario");
        page = SharedMemory.create("page", NodePage.LENGTH_BYTES);
        page.seal(SEALS);
        pool = SharedMemory.create("pool", POOL_BYTES);
        pool.seal(SEALS);
        ringPage = SharedMemory.create("ring page", DirectPage.LENGTH_BYTES);
        ringPage.seal(SEALS);
        records = SharedMemory.create("records", POOL_BYTES);
        records.seal(SEALS);
        new DirectPage(ringPage.address()).initialize(1, 2, false);
        initialize("2", 2, 64, 1);
        final Path socket = folder.resolve("node.sock");
        listener = UnixSocket.listen(socket);
        path = socket.toString();
    }

    @AfterEach
    void close() {
        programs.close();
        listener.close();
        page.close();
        pool.close();
        ringPage.close();
        records.close();
    }

    private void initialize(
            final String shape, final int nodes, final int buffers, final int loops) {
        new NodePage(page.address())
                .initialize(
                        new NodePage.Facts(
                                0, nodes, shape, 1000, 64, buffers, POOL_BYTES / 64, 1, loops));
    }

    /** Serves one program until it hangs up. */
    private void serve(final Spoiler spoiler) throws IOException {
        final UnixSocket socket = listener.accept();
        try {
            int length = socket.receive(message.address(), AttachMessage.LENGTH_BYTES, true);
            while (length > 0) {
                answer(socket, spoiler);
                socket.closeReceivedDescriptors();
                length = socket.receive(message.address(), AttachMessage.LENGTH_BYTES, true);
            }
        } finally {
            socket.close();
            if (control != null) {
                control.close();
                control = null;
            }
            if (remote != null) {
                remote.close();
                remote = null;
            }
        }
    }

    private void answer(final UnixSocket socket, final Spoiler spoiler) throws IOException {
        final int type = message.type();
        switch (type) {
            case AttachMessage.HELLO -> {
                message.reply(type).argument(0, POOL_BYTES).argument(1, 64).argument(3, POOL_BYTES);
                send(socket, spoiler.spoil(type, page.descriptor(), pool.descriptor()));
            }
            case AttachMessage.ADD_PIECES -> {
                if (control == null && lentBytes == CONTROL_BYTES) {
                    control =
                            SharedMemory.mapReadWrite(socket.receivedDescriptor(0), CONTROL_BYTES);
                    new ControlMemory(control.address(), 256, 4096).initialize(1);
                } else if (control != null && remote == null && lentBytes == REMOTE_BYTES) {
                    remote = SharedMemory.mapReadWrite(socket.receivedDescriptor(0), REMOTE_BYTES);
                }
                message.reply(type);
                send(socket, spoiler.spoil(type));
            }
            case AttachMessage.LEND -> {
                lentBytes = message.argument(1);
                lend(type, (int) message.argument(0));
                send(socket, spoiler.spoil(type));
            }
            case AttachMessage.OPEN_CONTEXT -> {
                if (lent != null) {
                    lent.clear();
                }
                message.reply(type);
                if (control != null) {
                    new ControlMemory(control.address(), 256, 4096).directChanges(1);
                    offersLeft = 2;
                }
                final int[] pair = SignalSocket.pair();
                final int event = EventFd.create();
                send(socket, spoiler.spoil(type, pair[0], event));
                Descriptors.close(pair[0]);
                Descriptors.close(pair[1]);
                Descriptors.close(event);
            }
            case AttachMessage.DIRECT_CHANGE -> {
                if (offersLeft == 0 && control != null) {
                    // A program that asks for more has taken the offers.
                    beginRing();
                }
                message.reply(type)
                        .argument(0, offersLeft-- > 0 ? DirectChange.OFFERED : DirectChange.NONE)
                        .argument(1, 2)
                        .argument(2, POOL_BYTES);
                final int[] pair = SignalSocket.pair();
                send(
                        socket,
                        spoiler.spoil(type, records.descriptor(), ringPage.descriptor(), pair[0]));
                Descriptors.close(pair[0]);
                Descriptors.close(pair[1]);
            }
            case AttachMessage.OPEN_REMOTE, AttachMessage.SHARE, AttachMessage.REVOKE -> {
                message.reply(type);
                send(socket, spoiler.spoil(type));
            }
            case AttachMessage.OFFER_DIRECT ->
                    send(socket, spoiler.spoil(type, refusal(type, "there is no other context")));
            case AttachMessage.TAKE_BACK -> {
                if (lent != null) {
                    lent.clear((int) message.argument(0));
                }
            }
            default -> assertTrue(type <= AttachMessage.TAKE_BACK);
        }
    }

    private void lend(final int type, final int id) {
        message.reply(type);
        if (lent != null && lent.get(id)) {
            message.refusal(type, "the memory with id " + id + " is lent already");
        } else if (lent != null) {
            lent.set(id);
        }
    }

    /** Delivers the message that makes what is in the direct ring the next to be received. */
    private void beginRing() {
        Memory.putLong(pool.address(), 1);
        Memory.putLong(pool.address() + Long.BYTES, 2);
        final DeliveryRing ring = new ControlMemory(control.address(), 256, 4096).deliveryRing();
        ring.write(0, 0, 0, DirectPage.BEGIN_BYTES, 0, 0, 2);
        ring.publish(0);
    }

    private int[] refusal(final int type, final String text) {
        message.refusal(type, text);
        return new int[0];
    }

    private void send(final UnixSocket socket, final int... descriptors) throws LinuxException {
        if (descriptors != null) {
            socket.send(message.address(), replyBytes, descriptors);
        }
    }

    /** What a program reports of a server that spoils its replies. */
    private String outcome(final Spoiler spoiler) throws Exception {
        final Process program = start(Build.CHECKED, 1);
        serve(spoiler);
        final List<String> lines = LibHxb.lines(program);
        assertEquals(1, lines.size());
        return lines.getFirst();
    }

    // ThreadSanitizer needs fixed addresses where the kernel makes them very random.
    private Process start(final Build build, final int count) throws IOException {
        final String program = build.file("scenario").toString();
        return build == Build.THREADS
                ? programs.start("setarch", "-R", program, "hostile", path, Integer.toString(count))
                : programs.start(program, "hostile", path, Integer.toString(count));
    }

    private static void assertSays(final String result, final String text, final String line) {
        assertTrue(line.startsWith(result + " ") && line.contains(text), line);
    }

    private static Spoiler at(final int type, final Runnable change) {
        return (asked, descriptors) -> {
            if (asked == type) {
                change.run();
            }
            return descriptors;
        };
    }

    @Test
    void shouldReportWhatIsWrongWithTheAnswersOfANode() throws Exception {
        final long header = message.address();
        assertSays("HXB_OK", "", outcome((type, descriptors) -> descriptors));
        assertSays(
                "HXB_E_VERSION",
                "uses version 9 of the attach protocol, and this library version 4",
                outcome(at(AttachMessage.HELLO, () -> Memory.putShort(header + 4, 9))));
        assertSays(
                "HXB_E_PROTOCOL",
                "not HXB's",
                outcome(at(AttachMessage.LEND, () -> Memory.putInt(header, 9))));
        assertSays(
                "HXB_E_PROTOCOL",
                "shorter than its buffers",
                outcome(at(AttachMessage.HELLO, () -> message.argument(0, POOL_BYTES - 4096))));
        assertSays(
                "HXB_E_PROTOCOL",
                "receive pool is shorter than the node reports",
                outcome(at(AttachMessage.HELLO, () -> message.argument(0, POOL_BYTES + 1))));
        assertSays(
                "HXB_E_PROTOCOL",
                "impossible sizes",
                outcome(at(AttachMessage.HELLO, () -> message.argument(2, -1))));
        assertSays(
                "HXB_E_REFUSED",
                "not today",
                outcome(
                        at(
                                AttachMessage.OPEN_CONTEXT,
                                () -> message.refusal(AttachMessage.OPEN_CONTEXT, "not today"))));
        assertSays(
                "HXB_E_VERSION",
                "control memory has version 7",
                outcome(
                        at(
                                AttachMessage.OPEN_CONTEXT,
                                () -> Memory.putInt(control.address() + 8, 7))));
        initialize("3x3", 2, 64, 1);
        assertSays(
                "HXB_E_PROTOCOL",
                "impossible contents",
                outcome((type, descriptors) -> descriptors));
        // A message that holds no more than the header of a group.
        initialize("2", 2, 64, 1);
        new NodePage(page.address())
                .initialize(new NodePage.Facts(0, 2, "2", 47, 64, 64, POOL_BYTES / 64, 1, 1));
        assertSays(
                "HXB_E_PROTOCOL",
                "impossible contents",
                outcome((type, descriptors) -> descriptors));
    }

    @Test
    void shouldNeitherWaitForANodeThatDoesNotAnswerNorBeOfNoUseAfterwards() throws Exception {
        // given a node that grants a context, and then is silent
        lent = new BitSet();
        final Process program =
                programs.start(Build.CHECKED.file("scenario").toString(), "unanswered", path);
        final AtomicBoolean isSilent = new AtomicBoolean();
        final Spoiler silent =
                (type, descriptors) -> {
                    final boolean isOfRings =
                            type == AttachMessage.DIRECT_CHANGE
                                    || type == AttachMessage.OFFER_DIRECT;
                    return isSilent.get() || isOfRings ? null : descriptors;
                };
        final FutureTask<Void> server =
                new FutureTask<>(
                        () -> {
                            serve(silent);
                            return null;
                        });
        new Thread(server).start();
        assertEquals("no more answers", LibHxb.line(program));
        // when one thread waits for memory while another closes its context
        isSilent.set(true);
        goOn(program);
        assertEquals("answer", LibHxb.line(program));
        // then the next memory is granted
        isSilent.set(false);
        goOn(program);
        assertEquals(List.of("done"), LibHxb.lines(program));
        server.get();
    }

    private static void goOn(final Process program) throws IOException {
        program.getOutputStream().write('\n');
        program.getOutputStream().flush();
    }

    @Test
    void shouldRefuseDescriptorsOfTheWrongKind() throws Exception {
        final int event = EventFd.create();
        final String wrong = "descriptors of the wrong kind";
        try (SharedMemory open = SharedMemory.create("open", POOL_BYTES)) {
            assertSays(
                    "HXB_E_PROTOCOL",
                    "not a file in memory",
                    outcome((type, fds) -> type == 1 ? new int[] {event, fds[1]} : fds));
            assertSays(
                    "HXB_E_PROTOCOL",
                    "could be cut off",
                    outcome(
                            (type, fds) ->
                                    type == 1 ? new int[] {fds[0], open.descriptor()} : fds));
            assertSays(
                    "HXB_E_PROTOCOL",
                    "1 descriptors instead of 2",
                    outcome((type, fds) -> type == 1 ? new int[] {fds[0]} : fds));
            assertSays(
                    "HXB_E_PROTOCOL",
                    wrong,
                    outcome((type, fds) -> type == 2 ? new int[] {fds[1], fds[0]} : fds));
            assertSays(
                    "HXB_E_PROTOCOL",
                    wrong,
                    outcome((type, fds) -> type == 2 ? new int[] {fds[0], fds[0]} : fds));
            assertSays(
                    "HXB_E_PROTOCOL",
                    "1 descriptors instead of 0",
                    outcome((type, fds) -> type == 4 ? new int[] {event} : fds));
        } finally {
            Descriptors.close(event);
        }
    }

    @Test
    void shouldRefuseAnswersThatAreCutOff() throws Exception {
        for (final int type :
                new int[] {
                    AttachMessage.HELLO,
                    AttachMessage.LEND,
                    AttachMessage.ADD_PIECES,
                    AttachMessage.OPEN_CONTEXT
                }) {
            for (final int length : new int[] {1, 8, 79, AttachMessage.LENGTH_BYTES - 1}) {
                final String outcome = outcome(cutAt(type, length));
                assertTrue(
                        outcome.startsWith("HXB_E_PROTOCOL "),
                        type + ", " + length + ": " + outcome);
            }
        }
    }

    private Spoiler cutAt(final int type, final int lengthBytes) {
        return (asked, descriptors) -> {
            replyBytes = asked == type ? lengthBytes : AttachMessage.LENGTH_BYTES;
            return descriptors;
        };
    }

    /** AddressSanitizer shows what is read outside. */
    @Test
    void shouldSurviveAnyAnswerAndAnythingInItsRings() throws Exception {
        surviveAnyAnswer(Build.CHECKED, FUZZED);
    }

    @Tag("outside")
    @Test
    void shouldSurviveMoreAnswers() throws Exception {
        surviveAnyAnswer(Build.CHECKED, 2 * FUZZED);
    }

    /** ThreadSanitizer shows what is read twice. */
    @Tag("outside")
    @Test
    void shouldReadOnceWhatIsInItsRings() throws Exception {
        LibHxb.assumePresent("setarch", "util-linux");
        LibHxb.build(Build.THREADS, "scenario");
        surviveAnyAnswer(Build.THREADS, 2 * FUZZED);
    }

    private void surviveAnyAnswer(final Build build, final int count) throws Exception {
        final long seed = System.nanoTime();
        final Random random = new Random(seed);
        final Process program = start(build, count);
        for (int i = 0; i < count; i++) {
            serve((type, descriptors) -> spoilAnything(random, descriptors));
        }
        final List<String> lines = LibHxb.lines(program);
        assertEquals(count, lines.size(), () -> "seed " + seed);
        assertTrue(lines.stream().distinct().count() > 5, () -> "seed " + seed + lines);
        // More than the node itself has delivered.
        final long some = lines.stream().filter(line -> line.matches("HXB_OK [2-9].*")).count();
        assertTrue(some > 5, () -> "seed " + seed + lines);
    }

    /** Any bytes of a reply, page and control memory, any descriptors; but always an answer. */
    private int[] spoilAnything(final Random random, final int... descriptors) {
        final int number = message.number();
        replyBytes = AttachMessage.LENGTH_BYTES;
        spoilRings(random);
        if (random.nextInt(3) > 0) {
            return descriptors;
        }
        for (int changes = random.nextInt(4); changes > 0; changes--) {
            final long at = message.address() + random.nextInt(random.nextBoolean() ? 48 : 512);
            Memory.putByte(at, random.nextInt());
        }
        message.number(number);
        if (random.nextInt(4) == 0) {
            initialize("2", 2, 64, 1);
            Memory.putByte(page.address() + random.nextInt(300), random.nextInt());
        }
        if (control != null) {
            for (int changes = random.nextInt(400); changes > 0; changes--) {
                Memory.putInt(
                        control.address() + 4L * random.nextInt(50_000), random.nextInt(4) - 1);
            }
        }
        if (random.nextInt(16) == 0) {
            replyBytes = 1 + random.nextInt(AttachMessage.LENGTH_BYTES - 1);
        }
        return switch (random.nextInt(6)) {
            case 0 -> new int[0];
            case 1 -> new int[] {page.descriptor(), page.descriptor()};
            case 2 -> new int[] {listener.descriptor()};
            default -> descriptors;
        };
    }

    /** Anything in the records of a direct ring, its page, and the rings of remote memory. */
    private void spoilRings(final Random random) {
        for (long at = 0; at < POOL_BYTES; at += Long.BYTES) {
            final int head =
                    switch (random.nextInt(8)) {
                        case 0 -> random.nextInt();
                        case 1 -> -8 * random.nextInt(16);
                        default -> random.nextInt(70);
                    };
            Memory.putLong(records.address() + at, head & 0xFFFF_FFFFL);
        }
        if (random.nextInt(4) == 0) {
            Memory.putByte(ringPage.address() + random.nextInt(600), random.nextInt());
        } else {
            new DirectPage(ringPage.address()).initialize(1, 2, random.nextBoolean());
        }
        for (int changes = remote == null ? 0 : random.nextInt(400); changes > 0; changes--) {
            Memory.putInt(
                    remote.address() + 4L * random.nextInt((int) REMOTE_BYTES / 4),
                    random.nextInt(20) - 1);
        }
    }
}
