package io.hxb.node.collective;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterType;
import io.hxb.node.collective.TestMember.Wanted;
import io.hxb.pm.PmStatus;
import io.hxb.pm.collective.wire.GroupProtocol;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Groups of several nodes, whose messages come in random orders. */
@Tag("unit")
class CollectivesTest {
    private static final Wanted BARRIER =
            new Wanted(GroupProtocol.BARRIER, 0, 0, 0, 0, new byte[0]);

    private GroupNetwork network;
    private final List<TestMember> members = new ArrayList<>();

    private static int[] all(final int count) {
        return IntStream.range(0, count).toArray();
    }

    /** Members with these nodes, by rank. */
    private void start(
            final String shape, final long seed, final int maxLengthBytes, final int... nodes) {
        network = new GroupNetwork(Shape.parse(shape), seed, maxLengthBytes);
        members.clear();
        for (int rank = 0; rank < nodes.length; rank++) {
            members.add(new TestMember(network, nodes[rank], 1 + rank, rank, 4711));
        }
    }

    private void join(final int... nodes) {
        final List<TestMember> order = new ArrayList<>(members);
        Collections.shuffle(order, network.random());
        for (final TestMember member : order) {
            member.join(nodes);
        }
    }

    private void assertJoined() {
        for (final TestMember member : members) {
            assertEquals(PmStatus.OK, member.joined());
        }
    }

    private void assertStatuses(final Integer... statuses) {
        for (final TestMember member : members) {
            assertEquals(List.of(statuses), member.statuses(), "rank " + member.rank());
        }
    }

    private void assertNothingLeft() {
        members.forEach(TestMember::leave);
        network.run();
        for (int node = 0; node < network.shape().nodeCount(); node++) {
            assertEquals(0, network.node(node).groupCount());
            assertEquals(0, network.node(node).parts());
        }
    }

    private static Wanted sum(final double... values) {
        final ByteBuffer data =
                ByteBuffer.allocate(8 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        Arrays.stream(values).forEach(data::putDouble);
        return new Wanted(
                GroupProtocol.ALLREDUCE,
                GroupProtocol.DOUBLE,
                GroupProtocol.SUM,
                values.length,
                0,
                data.array());
    }

    private static Wanted longs(final int function, final long value) {
        final ByteBuffer data = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        return new Wanted(
                GroupProtocol.ALLREDUCE,
                GroupProtocol.INT64,
                function,
                1,
                0,
                data.putLong(value).array());
    }

    private static Wanted ints(final int function, final int... values) {
        final ByteBuffer data =
                ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        Arrays.stream(values).forEach(data::putInt);
        return new Wanted(
                GroupProtocol.ALLREDUCE,
                GroupProtocol.INT32,
                function,
                values.length,
                0,
                data.array());
    }

    private static Wanted broadcast(final int root, final int count, final byte[] data) {
        return new Wanted(GroupProtocol.BROADCAST, GroupProtocol.BYTE, 0, count, root, data);
    }

    private static long number(final byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong();
    }

    private void want(final Wanted operation) {
        members.forEach(member -> member.want(operation));
    }

    private static int[] randomNodes(final Random random, final int nodeCount) {
        final int[] nodes = new int[1 + random.nextInt(3 * nodeCount)];
        Arrays.setAll(nodes, _ -> random.nextInt(nodeCount));
        return nodes;
    }

    @Test
    void shouldGiveAllTheSameWhateverTheOrderOfMessages() {
        final long first = System.nanoTime();
        for (long seed = first; seed < first + 60; seed++) {
            try {
                checkRandomGroup(seed);
            } catch (final AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    private void checkRandomGroup(final long seed) {
        // given
        final Random random = new Random(seed);
        final String shape = List.of("2x2x2", "3x2", "4", "3x3", "1").get(random.nextInt(5));
        final int nodeCount = Shape.parse(shape).nodeCount();
        final int[] nodes = random.nextBoolean() ? all(nodeCount) : randomNodes(random, nodeCount);
        start(shape, seed, 64 + random.nextInt(5000), nodes);
        final int operations = 1 + random.nextInt(12);
        final int[] roots = random.ints(operations, 0, nodes.length).toArray();
        final int[] counts = random.ints(operations, 0, 513).toArray();
        // when
        join(nodes);
        for (final TestMember member : members) {
            for (int i = 0; i < operations; i++) {
                member.want(operation(i, member.rank(), roots[i], counts[i]));
            }
        }
        network.run();
        // then
        assertJoined();
        assertStatuses(Collections.nCopies(operations, PmStatus.OK).toArray(Integer[]::new));
        for (int i = 0; i < operations; i++) {
            checkResult(i, roots[i], counts[i]);
        }
        assertNothingLeft();
    }

    private static double value(final int rank, final int i) {
        return 1.0 / (1 + rank) + i;
    }

    private static Wanted operation(
            final int index, final int rank, final int root, final int count) {
        final byte[] data = new byte[count];
        Arrays.fill(data, (byte) (index + 1));
        return switch (index % 4) {
            case 0 -> sum(IntStream.range(0, count).mapToDouble(i -> value(rank, i)).toArray());
            case 1 -> BARRIER;
            case 2 -> broadcast(root, count, root == rank ? data : new byte[0]);
            default -> ints(index % 8 == 3 ? GroupProtocol.MIN : GroupProtocol.MAX, rank, -rank);
        };
    }

    private void checkResult(final int index, final int root, final int count) {
        final byte[] expected = members.getFirst().result(index);
        for (final TestMember member : members) {
            assertArrayEquals(expected, member.result(index));
        }
        final ByteBuffer found = ByteBuffer.wrap(expected).order(ByteOrder.LITTLE_ENDIAN);
        final int last = members.size() - 1;
        switch (index % 4) {
            case 0 -> {
                assertEquals(8 * count, expected.length);
                for (int i = 0; i < count; i++) {
                    double sum = 0;
                    for (final TestMember member : members) {
                        sum += value(member.rank(), i);
                    }
                    assertEquals(sum, found.getDouble(8 * i), 1e-9 * sum);
                }
            }
            case 1 -> assertEquals(0, expected.length);
            case 2 -> assertArrayEquals(operation(index, root, root, count).data(), expected);
            default -> {
                assertEquals(index % 8 == 3 ? 0 : last, found.getInt(0));
                assertEquals(index % 8 == 3 ? -last : 0, found.getInt(4));
            }
        }
    }

    @Test
    void shouldKnowTheArithmeticOfAllTypes() {
        // given
        start("2", 1, 4200, 0, 1);
        join(0, 1);
        // when
        for (final int function : new int[] {1, 2, 3}) {
            members.get(0).want(longs(function, Long.MAX_VALUE));
            members.get(1).want(longs(function, 2));
        }
        network.run();
        // then
        assertEquals(Long.MIN_VALUE + 1, number(members.get(0).result(0)));
        assertEquals(2, number(members.get(1).result(1)));
        assertEquals(Long.MAX_VALUE, number(members.get(1).result(2)));
    }

    @Test
    void shouldNotifyAllWhenMembersDisagreeAndGoOn() {
        for (long seed = 0; seed < 20; seed++) {
            // given
            start("2x2x2", seed, 4200, all(8));
            join(all(8));
            // when
            for (final TestMember member : members) {
                member.want(member.rank() == seed % 8 ? sum(1) : longs(GroupProtocol.SUM, 1));
                member.want(broadcast(member.rank() == 7 ? 6 : 5, 1, new byte[0]));
                member.want(broadcast(9, 1, new byte[0]));
                member.want(longs(GroupProtocol.SUM, 1));
            }
            network.run();
            // then
            assertStatuses(
                    PmStatus.DISAGREEMENT,
                    PmStatus.DISAGREEMENT,
                    PmStatus.DISAGREEMENT,
                    PmStatus.OK);
            assertEquals(8, number(members.getFirst().result(3)));
            assertNothingLeft();
        }
    }

    @Test
    void shouldRefuseMembersWithDifferentLists() {
        for (long seed = 0; seed < 20; seed++) {
            start("2x2", seed, 100, all(4));
            for (final TestMember member : members) {
                member.join(member.rank() == 3 ? new int[] {0, 1, 1, 3} : all(4));
                member.want(BARRIER);
            }
            network.run();
            for (final TestMember member : members) {
                assertFalse(
                        member.statuses().contains(PmStatus.OK),
                        "seed " + seed + " rank " + member.rank());
            }
            assertTrue(
                    members.stream().anyMatch(member -> member.joined() == PmStatus.DISAGREEMENT),
                    "seed " + seed);
            assertNothingLeft();
        }
    }

    @Test
    void shouldRefuseTheSameRankTwice() {
        start("1", 3, 100, 0);
        members.add(new TestMember(network, 0, 9, 0, 4711));
        members.forEach(member -> member.join(0, 0));
        network.run();
        assertEquals(PmStatus.DISAGREEMENT, members.get(1).joined());
        assertNothingLeft();
    }

    @Test
    void shouldKeepTenantsApart() {
        start("2x1", 5, 100, 0, 1);
        network.tenant(members.get(1), 8);
        join(0, 1);
        network.run();
        assertEquals(PmStatus.NOT_ALLOWED, members.get(0).joined());
        assertEquals(PmStatus.NOT_ALLOWED, members.get(1).joined());
        assertNothingLeft();
    }

    @Test
    void shouldEndAtAllMembersWhenOneIsKilled() {
        for (long seed = 0; seed < 20; seed++) {
            // given
            start("2x2x2", seed, 4200, all(8));
            join(all(8));
            want(BARRIER);
            network.run();
            // when
            final TestMember killed = members.remove((int) (seed % 8));
            want(BARRIER);
            network.kill(killed);
            network.run();
            want(BARRIER);
            network.run();
            // then
            assertStatuses(PmStatus.OK, PmStatus.NO_SUCH_CONTEXT, PmStatus.NO_SUCH_CONTEXT);
            assertNothingLeft();
        }
    }

    @Test
    void shouldEndAtAllMembersWhenANodeIsLost() {
        for (long seed = 0; seed < 20; seed++) {
            // given
            start("3x2", seed, 4200, all(6));
            join(all(6));
            want(BARRIER);
            network.run();
            // when
            final TestMember last = members.remove(5);
            network.lose(5);
            want(BARRIER);
            network.run();
            // then
            assertStatuses(PmStatus.OK, PmStatus.PEER_UNREACHABLE);
            members.forEach(TestMember::leave);
            network.run();
            for (int node = 0; node < 5; node++) {
                assertEquals(0, network.node(node).groupCount());
            }
            assertEquals(List.of(PmStatus.OK), last.statuses());
        }
    }

    @Test
    void shouldFinishWhatAllHaveContributedToWhenAMemberLeaves() {
        for (long seed = 0; seed < 20; seed++) {
            // given
            start("2x2x2", seed, 60, all(8));
            join(all(8));
            want(BARRIER);
            want(sum(1, 2, 3));
            // when
            while (members.get(3).statuses().size() < 2) {
                network.turn();
            }
            members.get(3).leave();
            network.run();
            // then
            assertStatuses(PmStatus.OK, PmStatus.OK);
            assertNothingLeft();
        }
    }

    @Test
    void shouldUseAnIdAgainWhenItIsFree() {
        start("2x2", 8, 4200, all(4));
        for (int i = 0; i < 3; i++) {
            members.clear();
            for (int rank = 0; rank < 4; rank++) {
                members.add(new TestMember(network, rank, 1 + i, rank, 4711));
            }
            join(all(4));
            want(BARRIER);
            network.run();
            assertStatuses(PmStatus.OK);
            assertNothingLeft();
        }
    }

    @Test
    void shouldNotBeHarmedByRandomMessages() {
        final long seed = System.nanoTime();
        System.out.println("CollectivesTest seed " + seed);
        final Random random = new Random(seed);
        start("2x2", seed, 4200, all(4));
        join(all(4));
        want(BARRIER);
        network.run();
        // Some come in the name of a member.
        members.forEach(TestMember::passOverAnswers);
        for (int i = 0; i < 20_000; i++) {
            final byte[] bytes = new byte[random.nextInt(80)];
            final ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            for (int at = 0; at + 4 <= bytes.length; at += 4) {
                buffer.putInt(at, random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(4));
            }
            if (bytes.length >= 8 && random.nextInt(3) > 0) {
                buffer.putLong(0, random.nextBoolean() ? 4711 : random.nextInt(5));
            }
            final int tag = GroupProtocol.JOIN + random.nextInt(9);
            network.send(random.nextInt(4), random.nextInt(3), random.nextInt(4), tag, bytes);
            network.turn();
        }
        network.run();
        for (int node = 0; node < 4; node++) {
            assertTrue(
                    network.counters(node).value(CounterType.COLLECTIVE_MALFORMED_MESSAGES) > 0,
                    "seed " + seed);
            assertTrue(network.node(node).groupCount() <= 16, "seed " + seed);
        }
    }

    @Test
    void shouldLimitTheGroupsOfAContext() {
        start("1", 9, 4200, 0);
        members.clear();
        for (int i = 0; i <= Collectives.MAX_GROUPS_OF_CONTEXT; i++) {
            final TestMember member = new TestMember(network, 0, 1, 0, i);
            member.join(0);
            network.run();
            assertEquals(
                    i < Collectives.MAX_GROUPS_OF_CONTEXT ? PmStatus.OK : PmStatus.GROUP_LIMIT,
                    member.joined());
            members.add(member);
        }
        assertNothingLeft();
    }
}
