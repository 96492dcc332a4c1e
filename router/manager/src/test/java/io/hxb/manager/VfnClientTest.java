package io.hxb.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.session.KeyRing;
import io.hxb.vlan.HostPaths;
import io.hxb.vlan.HostTable;
import io.hxb.vlan.RememberingTagger;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The C side of the protocol, without MPI: its bytes, and what it does when a manager fails. */
@Tag("system")
class VfnClientTest {
    private static final int LIMIT_S = 60;

    @TempDir private Path folder;

    private final VlanPlan plan = LibVfn.plan();
    private final HostTable table = HostTable.of(plan);
    private final int first = plan.vid(0);
    private final int second = plan.vid(1);
    private final RememberingTagger tagger = new RememberingTagger();
    private final List<AutoCloseable> resources = new ArrayList<>();
    private Path socket;
    private int limitMs = 30_000;

    @BeforeEach
    void build() throws Exception {
        LibVfn.assumePresent("gcc", "gcc");
        LibVfn.assumePresent("make", "make");
        LibVfn.build("wire");
        socket = folder.resolve("manager.sock");
    }

    @AfterEach
    void end() throws Exception {
        for (final AutoCloseable resource : resources.reversed()) {
            resource.close();
        }
    }

    private HostManager manager(final RememberingTagger paths) throws IOException {
        final PathOptimiser optimiser = new PathOptimiser(() -> plan, table);
        resources.add(optimiser);
        return new HostManager(
                table,
                HostPaths.of(table, 0, paths),
                paths,
                new PathStore() {
                    @Override
                    public Map<Long, Integer> load() {
                        return Map.of();
                    }

                    @Override
                    public void save(final Map<Long, Integer> vidOfMac) {}
                },
                new KernelState() {
                    @Override
                    public long macOf(final byte[] address) {
                        return 0;
                    }

                    @Override
                    public List<NicState> nics() {
                        return List.of();
                    }
                },
                System::nanoTime,
                optimiser);
    }

    private ManagerServer server(final RememberingTagger paths, final boolean mayChange)
            throws IOException {
        final ManagerServer server = new ManagerServer(manager(paths), KeyRing.NONE, 0);
        resources.add(server);
        server.listen(socket, uid -> mayChange);
        return server;
    }

    private Process start(final String... arguments) throws IOException {
        final List<String> command = new ArrayList<>(List.of(LibVfn.file("wire").toString()));
        command.addAll(List.of(arguments));
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("VFN_MANAGER", socket.toString());
        builder.environment().put("VFN_TIMEOUT_MS", Integer.toString(limitMs));
        final Process process = builder.start();
        resources.add(process::destroyForcibly);
        return process;
    }

    private static List<String> lines(final Process process)
            throws IOException, InterruptedException {
        final String text =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(LIMIT_S, TimeUnit.SECONDS), text);
        assertEquals(0, process.exitValue(), text);
        return text.lines().toList();
    }

    /** Answers one program as a manager does, and keeps the requests. */
    private List<String> record(final ServerSocketChannel listener) throws IOException {
        final HostManager manager = manager(tagger);
        final ManagerSession session = manager.open(true);
        final List<String> requests = new ArrayList<>();
        final ByteBuf bytes = Unpooled.wrappedBuffer(new byte[2 * ManagerMessage.LENGTH]);
        final ManagerMessage request = new ManagerMessage().wrap(bytes, 0);
        final ManagerMessage reply = new ManagerMessage().wrap(bytes, ManagerMessage.LENGTH);
        try (SocketChannel channel = listener.accept()) {
            final ByteBuffer in = ByteBuffer.wrap(bytes.array(), 0, ManagerMessage.LENGTH);
            while (channel.read(in) >= 0) {
                if (in.hasRemaining()) {
                    continue;
                }
                requests.add(ByteBufUtil.hexDump(bytes, 0, ManagerMessage.LENGTH));
                manager.handle(session, request, reply);
                final ByteBuffer out =
                        ByteBuffer.wrap(
                                bytes.array(), ManagerMessage.LENGTH, ManagerMessage.LENGTH);
                while (out.hasRemaining()) {
                    channel.write(out);
                }
                in.position(0);
            }
        }
        manager.close(session);
        return requests;
    }

    private static final class Expected {
        private final List<String> requests = new ArrayList<>();
        private int tag;

        void add(final ManagerOperation operation, final Consumer<ManagerMessage> fields) {
            final ByteBuf bytes = Unpooled.wrappedBuffer(new byte[ManagerMessage.LENGTH]);
            fields.accept(new ManagerMessage().wrap(bytes, 0).clear(operation.code()).tag(++tag));
            requests.add(ByteBufUtil.hexDump(bytes));
        }

        void add(final ManagerOperation operation) {
            add(operation, message -> {});
        }
    }

    /** What the program of libvfn/test/wire.c asks, until paths are computed. */
    private List<String> expected() {
        final Expected expected = new Expected();
        expected.add(ManagerOperation.HELLO);
        expected.add(ManagerOperation.VID_TRAFFIC);
        expected.add(ManagerOperation.VID_TRAFFIC, message -> message.index(1));
        expected.add(ManagerOperation.SET, message -> message.peerHost(1).vid(second));
        expected.add(ManagerOperation.GET, message -> message.peerHost(1));
        expected.add(ManagerOperation.RESET, message -> message.peerHost(1));
        expected.add(ManagerOperation.GET, message -> message.peerHost(1));
        expected.add(ManagerOperation.SET, message -> message.peerHost(0).vid(first));
        expected.add(ManagerOperation.SET, message -> message.peerHost(1).vid(4095));
        for (final int vid : new int[] {second, 4095}) {
            expected.add(ManagerOperation.BEGIN);
            expected.add(ManagerOperation.SET, message -> message.peerHost(1).vid(second));
            expected.add(ManagerOperation.SET, message -> message.peerHost(2).vid(vid));
            expected.add(ManagerOperation.RESET, message -> message.peerHost(1));
            expected.add(ManagerOperation.END);
            expected.add(ManagerOperation.GET, message -> message.peerHost(1));
            if (vid == second) {
                expected.add(ManagerOperation.GET, message -> message.peerHost(2));
            }
        }
        expected.add(ManagerOperation.TRAFFIC, message -> message.index(1));
        expected.add(ManagerOperation.TRAFFIC, message -> message.index(2));
        expected.add(
                ManagerOperation.DEMAND, message -> message.index(0).peerHost(2).value(0, 5000));
        expected.add(
                ManagerOperation.DEMAND, message -> message.index(2).peerHost(0).value(0, 700));
        expected.add(ManagerOperation.OPTIMISE);
        return expected.requests;
    }

    @Test
    void shouldSpeakTheProtocolByteByByte() throws Exception {
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            // given
            listener.bind(UnixDomainSocketAddress.of(socket));
            final Process program = start();
            // when
            final List<String> requests = record(listener);
            // then
            final List<String> expected = expected();
            assertEquals(expected, requests.subList(0, expected.size()));
            assertEquals(
                    List.of(
                            "open 0",
                            "host 0 of 4, plan %016x, VIDs %d %d"
                                    .formatted(table.fingerprint(), first, second),
                            "set 0",
                            "get 0 " + second,
                            "reset 0",
                            "get 0 " + first,
                            "own 14 the network manager at " + socket + " answered with status 4",
                            "vid 9 the VID is not one of the plan",
                            "batch 0",
                            "get 0 " + first,
                            "get 0 " + second,
                            "failing 9 the VID is not one of the plan",
                            "get 0 " + first,
                            "traffic 0",
                            "sent 0 0",
                            "optimise 0",
                            "choices 1 planned 5000 chosen 5000",
                            "choice 0 2 " + first,
                            "close 0"),
                    lines(program));
            assertEquals(first, tagger.vid(2), "what was set is undone at the end");
        }
    }

    @Test
    void shouldSetItsPathsAgainWithAManagerThatWasStartedAgain() throws Exception {
        // given: a program that has set a path
        final ManagerServer dying = server(new RememberingTagger(), true);
        final Process program = start("lost");
        final BufferedReader output =
                new BufferedReader(
                        new InputStreamReader(program.getInputStream(), StandardCharsets.UTF_8));
        assertEquals("open 0", output.readLine());
        assertTrue(output.readLine().startsWith("host 0"));
        assertEquals("set 0", output.readLine());
        // when: the manager ends and another one comes, which knows nothing of it
        dying.close();
        server(tagger, true);
        program.getOutputStream().write('\n');
        program.getOutputStream().flush();
        // then
        assertEquals("set 0", output.readLine());
        assertEquals("get 0 " + second, output.readLine());
        assertEquals("get 0 " + second, output.readLine());
        assertEquals("close 0", output.readLine());
        assertEquals(first, tagger.vid(1));
    }

    @Test
    void shouldReportWhatIsWrongWithAManager() throws Exception {
        // nobody is there
        assertTrue(lines(start()).getFirst().startsWith("open 5 no network manager answers at"));
        // somebody who never answers
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            final Path silent = socket;
            limitMs = 300;
            socket = folder.resolve("silent.sock");
            listener.bind(UnixDomainSocketAddress.of(socket));
            final String text = lines(start()).getFirst();
            assertTrue(text.startsWith("open 13 "), text);
            assertTrue(text.contains("has not answered within 300 ms"), text);
            socket = silent;
            limitMs = 30_000;
        }
        // a manager that lets this user read only
        server(tagger, false);
        final List<String> lines = lines(start());
        assertEquals("open 0", lines.get(0));
        assertTrue(lines.get(2).startsWith("set 11 this user may read paths"), lines.get(2));
    }
}
