package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.context.LibHxb;
import io.hxb.context.LibHxb.Build;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmException;
import io.hxb.pm.PmStatus;
import io.hxb.pm.collective.PmElement;
import io.hxb.pm.collective.PmFunction;
import io.hxb.pm.collective.PmGroup;
import io.hxb.testing.TestPorts;
import io.hxb.topology.Shape;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

/** Groups of programs in Java and C, over real nodes and UDP. */
@Tag("system")
class GroupSystemTest {
    private static final long TIMEOUT_NS = 30_000_000_000L;
    private static final int BASE_PORT = TestPorts.take(16);
    private static final int ID = 815;

    /** Of the members, by rank: all nodes, and two of them twice. */
    private static final int[] NODES = {0, 1, 2, 3, 0, 3};

    private static final int ROUNDS = 20;
    private static final int MAX_COUNT = 512;

    @TempDir private Path folder;

    private UdpNodes nodes;
    private LibHxb programs;
    private ExecutorService threads;

    @BeforeEach
    void start() throws Exception {
        LibHxb.build(Build.CHECKED, "scenario");
        nodes = UdpNodes.start("groups", Shape.of(2, 2), folder, BASE_PORT);
        programs = nodes.keep(new LibHxb());
        threads = nodes.keep(Executors.newCachedThreadPool());
    }

    @AfterEach
    void closeAll() throws Exception {
        if (nodes != null) {
            nodes.close();
        }
    }

    private Process startC(final String scenario, final int rank, final String... more)
            throws Exception {
        final List<String> arguments =
                new ArrayList<>(
                        List.of(
                                scenario,
                                nodes.socket(NODES[rank]),
                                Integer.toString(1 + rank),
                                Integer.toString(ID),
                                Integer.toString(rank),
                                Arrays.stream(NODES)
                                        .mapToObj(Integer::toString)
                                        .collect(Collectors.joining(",")),
                                Integer.toString(ROUNDS)));
        arguments.addAll(List.of(more));
        return programs.start(Build.CHECKED, arguments.toArray(String[]::new));
    }

    /** What a member does with its group. */
    private interface Use<T> {
        T of(PmGroup group);
    }

    private <T> Future<T> startJava(final int rank, final Use<T> use) {
        final Callable<T> member =
                () -> {
                    try (PmDevice device = PmDevice.attach(Path.of(nodes.socket(NODES[rank])));
                            PmGroup group =
                                    PmGroup.join(device, 1 + rank, ID, NODES, rank, TIMEOUT_NS)) {
                        return use.of(group);
                    }
                };
        return threads.submit(member);
    }

    /** The same as group_use in C. */
    private static boolean use(final PmGroup group) {
        final MutableDirectBuffer buffer = new UnsafeBuffer(new byte[PmGroup.MAX_BYTES]);
        for (int round = 0; round < ROUNDS; round++) {
            checkSum(group, buffer, round);
            assertEquals(PmStatus.OK, group.barrier(TIMEOUT_NS));
            checkExtreme(group, buffer, PmFunction.MIN, round, 0);
            checkExtreme(group, buffer, PmFunction.MAX, round, NODES.length - 1);
            checkBroadcast(group, buffer, round);
        }
        return true;
    }

    private static void checkSum(
            final PmGroup group, final MutableDirectBuffer buffer, final int round) {
        final int count = 1 + round * 37 % MAX_COUNT;
        for (int i = 0; i < count; i++) {
            buffer.putLong(8 * i, (group.rank() + 1L) * (i + round), ByteOrder.LITTLE_ENDIAN);
        }
        assertEquals(
                PmStatus.OK,
                group.allreduce(PmFunction.SUM, PmElement.INT64, buffer, 0, count, TIMEOUT_NS));
        for (int i = 0; i < count; i++) {
            assertEquals(
                    (i + round) * (long) NODES.length * (NODES.length + 1) / 2,
                    buffer.getLong(8 * i, ByteOrder.LITTLE_ENDIAN));
        }
    }

    private static void checkExtreme(
            final PmGroup group,
            final MutableDirectBuffer buffer,
            final PmFunction function,
            final int round,
            final int rank) {
        buffer.putDouble(8, group.rank() + round * 0.5, ByteOrder.LITTLE_ENDIAN);
        assertEquals(
                PmStatus.OK, group.allreduce(function, PmElement.DOUBLE, buffer, 8, 1, TIMEOUT_NS));
        assertEquals(rank + round * 0.5, buffer.getDouble(8, ByteOrder.LITTLE_ENDIAN));
    }

    private static void checkBroadcast(
            final PmGroup group, final MutableDirectBuffer buffer, final int round) {
        final int root = round % NODES.length;
        final int length = round * 257 % PmGroup.MAX_BYTES;
        buffer.setMemory(0, PmGroup.MAX_BYTES, (byte) (group.rank() == root ? round + 1 : 0));
        assertEquals(PmStatus.OK, group.broadcast(root, buffer, 0, length, TIMEOUT_NS));
        for (int i = 0; i < length; i++) {
            assertEquals(round + 1, buffer.getByte(i));
        }
    }

    @Test
    void shouldGiveJavaAndCTheSameResults() throws Exception {
        // given
        final List<Process> inC = List.of(startC("group-use", 3), startC("group-use", 4));
        final List<Future<Boolean>> inJava = new ArrayList<>();
        for (final int rank : new int[] {0, 1, 2, 5}) {
            inJava.add(startJava(rank, GroupSystemTest::use));
        }
        // then
        for (final Future<Boolean> member : inJava) {
            assertTrue(member.get());
        }
        for (final Process process : inC) {
            assertEquals(List.of(), LibHxb.lines(process));
        }
    }

    private static int barriersUntilItEnds(final PmGroup group) {
        int status = PmStatus.OK;
        while (status == PmStatus.OK) {
            status = group.barrier(TIMEOUT_NS);
        }
        assertEquals(status, group.startBarrier());
        return status;
    }

    @Test
    void shouldEndAtAllMembersWhenOneIsKilled() throws Exception {
        // given
        final List<Future<Integer>> others = new ArrayList<>();
        for (final int rank : new int[] {0, 1, 2, 5}) {
            others.add(startJava(rank, GroupSystemTest::barriersUntilItEnds));
        }
        final Process killed = startC("group-outlive", 3);
        final Process other = startC("group-outlive", 4);
        assertEquals("ready", LibHxb.line(killed));
        assertEquals("ready", LibHxb.line(other));
        // when
        killed.destroyForcibly().waitFor();
        // then
        for (final Future<Integer> member : others) {
            assertEquals(PmStatus.NO_SUCH_CONTEXT, member.get());
        }
        assertEquals(List.of("HXB_NO_SUCH_CONTEXT"), LibHxb.lines(other));
    }

    @Test
    void shouldEndAtAllMembersWhenANodeIsGone() throws Exception {
        // given
        final List<Future<Integer>> others = new ArrayList<>();
        for (final int rank : new int[] {0, 1, 2, 4}) {
            others.add(startJava(rank, GroupSystemTest::barriersUntilItEnds));
        }
        final List<Process> onIt =
                List.of(
                        startC("group-outlive", 3, "node ends"),
                        startC("group-outlive", 5, "node ends"));
        for (final Process process : onIt) {
            assertEquals("ready", LibHxb.line(process));
        }
        // when
        nodes.node(3).close();
        // then
        for (final Future<Integer> member : others) {
            assertTrue(member.get() < 0);
        }
        // the one sees its context closed, or before that the one of the other
        for (final Process process : onIt) {
            final List<String> lines = LibHxb.lines(process);
            assertEquals(1, lines.size(), lines::toString);
            assertTrue(
                    Set.of("HXB_CONTEXT_CLOSED", "HXB_NODE_GONE", "HXB_NO_SUCH_CONTEXT")
                            .contains(lines.getFirst()),
                    lines::toString);
        }
    }

    @Test
    void shouldRefuseWhatIsNotValid() throws Exception {
        assertEquals(List.of(), programs.run(Build.CHECKED, "group-misuse", nodes.socket(0)));
        try (PmDevice device = PmDevice.attach(Path.of(nodes.socket(1)))) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> PmGroup.join(device, 1, ID, new int[] {0}, 0, TIMEOUT_NS));
            final PmException late =
                    assertThrows(
                            PmException.class,
                            () -> PmGroup.join(device, 1, ID, new int[] {1, 1}, 0, 50_000_000));
            assertTrue(late.getMessage().contains("not all members"), late.getMessage());
            try (PmGroup alone = PmGroup.join(device, 1, ID, new int[] {1}, 0, TIMEOUT_NS)) {
                assertEquals(PmStatus.OK, alone.startBarrier());
                assertThrows(IllegalStateException.class, alone::startBarrier);
                assertEquals(PmStatus.OK, alone.await(TIMEOUT_NS));
            }
        }
    }
}
