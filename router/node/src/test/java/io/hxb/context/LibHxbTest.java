package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.context.LibHxb.Build;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmLargeHandler;
import io.hxb.pm.PmLargeMessages;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.pm.shm.ControlMemory;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Programs in C at a node, alone, with each other and with programs in Java. */
@Tag("system")
class LibHxbTest {
    private static final long SECOND_NS = 1_000_000_000L;

    @TempDir private Path directory;

    private final PmMessage message = new PmMessage();
    private final LibHxb programs = new LibHxb();
    private ServedSocket socket;
    private String path;

    @BeforeEach
    void build() throws Exception {
        LibHxb.build(Build.PLAIN, "scenario");
        LibHxb.build(Build.CHECKED, "scenario");
        socket = new ServedSocket(directory);
        path = socket.path().toString();
    }

    @AfterEach
    void killPrograms() {
        programs.close();
        socket.close();
    }

    /** Each of these checks itself; afterwards nothing of it is left in the node. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "facts",
                "misuse",
                "order",
                "events",
                "polling",
                "interrupted",
                "threads",
                "forks",
                "cancelled",
                "large",
                "slow",
                "waits-ended",
                "waits-signalled",
                "detached-amid",
                "whole-api",
                "rpc-use"
            })
    void shouldDoAllThatAProgramCanAsk(final String scenario) throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = socket.serve(node)) {
            assertEquals(List.of(), programs.run(Build.CHECKED, scenario, path));
            TestNode.await("contexts closed", () -> node.manager.openContexts() == 0);
            TestNode.await("buffers back", () -> node.pool.outstanding() == 0);
            assertEquals(0, server.refused());
        }
    }

    /** Messages of up to 65,536 bytes, which take several send buffers. */
    @ParameterizedTest
    @ValueSource(strings = {"facts", "order", "polling", "large", "slow", "direct"})
    void shouldSendLongMessagesAsOne(final String scenario) throws Exception {
        try (TestNode node = TestNode.withLongFrames().start();
                AttachServer server = socket.serve(node)) {
            assertEquals(List.of(), programs.run(Build.CHECKED, scenario, path));
            TestNode.await("contexts closed", () -> node.manager.openContexts() == 0);
            TestNode.await("buffers back", () -> node.pool.outstanding() == 0);
            assertEquals(0, server.refused());
        }
    }

    @Test
    void shouldUseReceiveBuffersOfItsOwn() throws Exception {
        try (TestNode node = TestNode.copying(64).start();
                AttachServer server = socket.serve(node)) {
            programs.run(Build.CHECKED, "order", path, "3");
            programs.run(Build.CHECKED, "large", path);
            assertEquals(0, server.refused());
        }
    }

    /** ThreadSanitizer needs fixed addresses where the kernel makes them very random. */
    @ParameterizedTest
    @ValueSource(strings = {"threads", "direct"})
    void shouldHaveNoRaceOfItsThreads(final String scenario) throws Exception {
        assertNoRace(scenario);
    }

    @Tag("outside")
    @ParameterizedTest
    @ValueSource(strings = {"cancelled", "direct-full", "large", "waits-ended", "detached-amid"})
    void shouldHaveNoRaceOfItsThreadsElsewhere(final String scenario) throws Exception {
        assertNoRace(scenario);
    }

    private void assertNoRace(final String scenario) throws Exception {
        LibHxb.assumePresent("setarch", "util-linux");
        LibHxb.build(Build.THREADS, "scenario");
        try (TestNode node = new TestNode().start();
                AttachServer server = socket.serve(node)) {
            final String program = Build.THREADS.file("scenario").toString();
            final Process process = programs.start("setarch", "-R", program, scenario, path);
            assertEquals(List.of(), LibHxb.lines(process));
            assertEquals(0, server.refused());
        }
    }

    @Test
    void shouldComputeTheSameOffsetsAsJava() throws Exception {
        LibHxb.build(Build.PLAIN, "layout");
        final String[] command = {
            Build.PLAIN.file("layout").toString(),
            "1",
            "64",
            "256",
            "4096",
            "100",
            "128",
            "65536",
            "1048576"
        };
        for (final String line : LibHxb.lines(programs.start(command))) {
            final long[] words = Stream.of(line.split(" ")).mapToLong(Long::parseLong).toArray();
            final int slots = (int) words[0];
            final int entries = (int) words[1];
            assertEquals(ControlMemory.lengthBytes(slots, entries), words[8], line);
            final ControlMemory layout = new ControlMemory(0, slots, entries);
            final String[] rings = {"completions", "shorts", "deliveries", "releases", "events"};
            for (int i = 0; i < rings.length; i++) {
                final Method offset = ControlMemory.class.getDeclaredMethod(rings[i]);
                offset.setAccessible(true);
                assertEquals(offset.invoke(layout), words[3 + i], rings[i] + " in " + line);
            }
        }
    }

    private static int send(final PmContext from, final int context, final int value) {
        final int slot = from.claim(0, context, 8);
        if (slot >= 0) {
            from.sendBuffer(slot).putLong(0, value);
            assertEquals(PmStatus.OK, from.send(slot, 8, value));
        }
        return slot;
    }

    private void pingPong(final PmContext context, final int peer, final int count) {
        for (int i = 0; i < count; i++) {
            assertTrue(send(context, peer, i) >= 0);
            assertEquals(PmStatus.OK, context.await(20 * SECOND_NS));
            assertEquals(PmStatus.OK, context.receive(message));
            assertEquals(i, message.tag());
            assertEquals(i, message.buffer().getLong(0));
            context.release(message);
        }
    }

    @Test
    void shouldTalkFromJavaToCAndBack() throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = socket.serve(node);
                PmDevice device = PmDevice.attach(socket.path());
                PmContext context = device.openContext(1)) {
            programs.startReady(Build.CHECKED, "echo", path, "5");
            pingPong(context, 5, 1000);
            assertEquals(0, server.refused());
        }
    }

    @Test
    void shouldTalkFromCToJavaAndFromCToC() throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = socket.serve(node)) {
            socket.child("echo", 5);
            programs.startReady(Build.CHECKED, "echo", path, "6");
            programs.run(Build.CHECKED, "ping", path, "1", "5");
            programs.run(Build.CHECKED, "ping", path, "1", "6");
            assertEquals(0, server.refused());
        }
    }

    @Test
    void shouldExchangeLargeMessagesWithJava() throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = socket.serve(node);
                PmDevice device = node.attached();
                PmContext context = device.openContext(1);
                Arena arena = Arena.ofConfined()) {
            // given
            programs.startReady(Build.CHECKED, "large-echo", path, "5");
            final Random random = new Random(7);
            final byte[] payload = new byte[2_345_678];
            random.nextBytes(payload);
            final MemorySegment sent = arena.allocate(payload.length);
            MemorySegment.copy(payload, 0, sent, ValueLayout.JAVA_BYTE, 0, payload.length);
            final MemorySegment back = arena.allocate(payload.length);
            final int[] ends = {-1, 0};
            final PmLargeMessages large =
                    new PmLargeMessages(
                            context,
                            new PmLargeHandler() {
                                @Override
                                public MemorySegment onStart(
                                        final int sourceNode,
                                        final int sourceContext,
                                        final long lengthBytes,
                                        final int tag) {
                                    assertEquals(payload.length, lengthBytes);
                                    return back;
                                }

                                @Override
                                public void onEnd(
                                        final int sourceNode,
                                        final int sourceContext,
                                        final long lengthBytes,
                                        final int tag,
                                        final MemorySegment target,
                                        final int status) {
                                    ends[0] = status;
                                    ends[1] = tag;
                                }
                            },
                            PmLargeMessages.Limits.DEFAULT);
            // when
            assertTrue(large.send(0, 5, sent, 41) >= 0);
            TestNode.await(
                    "the message is back",
                    () -> {
                        large.poll();
                        return ends[0] == PmStatus.OK;
                    });
            // then
            assertEquals(42, ends[1]);
            assertEquals(-1, sent.mismatch(back));
            assertEquals(0, server.refused());
        }
    }

    @Test
    void shouldReportLinks() throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = socket.serve(node)) {
            node.manager.linkEvents().put(1_000, 1, 0, 0, true, false, "before");
            final Process program = programs.startReady(Build.CHECKED, "links", path);
            node.manager.linkEvents().put(2_000, 1, 2, 3, false, true, "cut");
            node.manager.onLinkEvents();
            assertEquals(List.of(), LibHxb.lines(program));
            assertEquals(0, server.refused());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"hold", "fork-and-hold"})
    void shouldTakeBackEverythingFromAKilledProgram(final String scenario) throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = socket.serve(node);
                PmDevice device = node.attached();
                PmContext context = device.openContext(1)) {
            // given a program that holds all the buffers it may have
            final Process holder = programs.startReady(Build.PLAIN, scenario, path, "5");
            for (int i = 0; i < TestNode.QUOTA_FRAMES; i++) {
                send(context, 5, i);
            }
            TestNode.await("all sent", () -> context.unfinishedSends() == 0);
            assertEquals(TestNode.QUOTA_FRAMES, node.pool.outstanding());
            // when
            holder.destroyForcibly().waitFor();
            // then
            TestNode.await("context closed", () -> node.manager.openContexts() == 1);
            assertEquals(0, node.pool.outstanding());
            programs.startReady(Build.PLAIN, "echo", path, "5");
            pingPong(context, 5, 10);
            assertEquals(0, server.refused());
        }
    }

    @Test
    void shouldGoOnWhenProgramsAreKilledInTheMiddleOfWhatTheyDo() throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = socket.serve(node);
                PmDevice device = node.attached();
                PmContext context = device.openContext(20)) {
            for (int i = 0; i < 10; i++) {
                final String[] command =
                        i % 2 == 0
                                ? new String[] {"order", path, Integer.toString(i), "1000000000"}
                                : new String[] {"outlive", path, "5"};
                final Process victim = programs.start(Build.PLAIN, command);
                TestNode.await("it is at work", () -> node.manager.openContexts() > 1);
                assertFalse(victim.waitFor(3L * i, TimeUnit.MILLISECONDS));
                victim.destroyForcibly().waitFor();
                TestNode.await("contexts closed", () -> node.manager.openContexts() == 1);
                pingPong(context, 20, 10);
            }
            // then: one that was killed while it attached counts as refused
            TestNode.await("buffers back", () -> node.pool.outstanding() == 0);
            assertTrue(server.refused() <= 10);
        }
    }

    @Test
    void shouldReportANodeThatStandsStillAndOneThatIsKilled() throws Exception {
        // given
        final Process node = socket.child("node", 0);
        final Process program = programs.startReady(Build.CHECKED, "outlive", path);
        // when
        signal(node, "STOP");
        // then
        assertEquals("HXB_NODE_SILENT", LibHxb.line(program));
        signal(node, "CONT");
        node.destroyForcibly().waitFor();
        assertEquals(List.of("HXB_NODE_GONE"), LibHxb.lines(program));
    }

    private static void signal(final Process process, final String name) throws Exception {
        final Process kill =
                new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
        assertEquals(0, kill.waitFor());
    }
}
