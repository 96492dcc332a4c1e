package io.hxb.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.PathHealthConfig;
import io.hxb.session.KeyRing;
import io.hxb.vlan.HostPaths;
import io.hxb.vlan.HostRow;
import io.hxb.vlan.HostTable;
import io.hxb.vlan.TapTagger;
import io.hxb.vlan.health.HealthListener;
import io.hxb.vlan.health.PathHealth;
import io.hxb.vlan.health.ProbeSeals;
import io.hxb.vlan.health.Witnesses;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** What each host of a network of 4,096 keeps. */
@Tag("unit")
class ManagerMemoryTest {
    private static final int HOSTS = 4_096;
    private static final int COPIES = 64;
    private static final List<Integer> VIDS = IntStream.range(11, 27).boxed().toList();

    /** What the programs in the kernel share with the manager, see TagTable and TagMaps. */
    private static final int SHARED_BYTES =
            (HOSTS + HOSTS / 32 + 3 * 8) * 32 + (1 + VIDS.size()) * 128 + 80 + 27 * 8;

    private static final HealthListener NOBODY =
            new HealthListener() {
                @Override
                public void onDead(final int host, final int vid, final Reason reason) {}

                @Override
                public void onHealed(final int host, final int vid) {}

                @Override
                public void onMoved(final int host, final int from, final int to) {}

                @Override
                public void onDefaultMoved(final int from, final int to) {}

                @Override
                public void onMovesDone() {}

                @Override
                public void onHalf(final int host, final int vid, final int peerVid) {}

                @Override
                public void onWhole(final int host, final int vid) {}
            };

    /** Hosts of three makers of NICs, whose ranks have nothing to do with their numbers. */
    private static HostTable table() {
        final SplittableRandom random = new SplittableRandom(1);
        final long[] makers = {0x3C_EC_EFL, 0xB8_59_9FL, 0x00_25_90L};
        final Set<Long> macs = new LinkedHashSet<>();
        while (macs.size() < HOSTS) {
            macs.add(makers[random.nextInt(makers.length)] << 24 | random.nextInt(1 << 24));
        }
        final List<Integer> ranks = new ArrayList<>(IntStream.range(0, HOSTS).boxed().toList());
        Collections.shuffle(ranks, new Random(1));
        final List<HostRow> rows = new ArrayList<>();
        for (final long mac : macs) {
            final int host = rows.size();
            rows.add(
                    new HostRow(
                            String.format("node%04d", host),
                            mac,
                            VIDS.get(host % VIDS.size()),
                            ranks.get(host)));
        }
        return new HostTable(rows, VIDS, Map.of());
    }

    /** All that a manager has for its network. */
    private record Manager(TapTagger tagger, HostManager manager, PathHealth health) {
        static Manager of(final HostTable table) {
            final TapTagger tagger = TapTagger.create(vids(), HOSTS);
            try {
                final HostPaths paths = HostPaths.of(table, 0, tagger);
                return new Manager(
                        tagger,
                        new HostManager(table, paths, tagger, new NoStore(), new Nowhere()),
                        new PathHealth(
                                table,
                                paths,
                                tagger,
                                Witnesses.ofUnknown(HOSTS, 0),
                                PathHealthConfig.DEFAULT,
                                new ProbeSeals(KeyRing.NONE, table.fingerprint()),
                                1,
                                (mac, vid, address, lengthBytes) -> {},
                                NOBODY,
                                0));
            } catch (final IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    private static final class NoStore implements PathStore {
        @Override
        public Map<Long, Integer> load() {
            return Map.of();
        }

        @Override
        public void save(final Map<Long, Integer> vidOfMac) {}
    }

    private static final class Nowhere implements KernelState {
        @Override
        public long macOf(final byte[] address) {
            return 0;
        }

        @Override
        public List<NicState> nics() {
            return List.of();
        }
    }

    private static int[] vids() {
        return VIDS.stream().mapToInt(Integer::intValue).toArray();
    }

    private static long used() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            least =
                    Math.min(
                            least,
                            Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
        }
        return least;
    }

    private static <T> long bytes(final List<T> copies, final Supplier<T> maker) {
        // given: classes and caches are there
        copies.add(maker.get());
        final long before = used();
        // when
        for (int i = 0; i < COPIES; i++) {
            copies.add(maker.get());
        }
        final long bytes = (used() - before) / COPIES;
        assertEquals(1 + COPIES, copies.size());
        return bytes;
    }

    @Test
    void shouldTakeLittleForEachHostOfTheNetwork() {
        // when
        final HostTable table = table();
        final List<Manager> managers = new ArrayList<>();
        final long manager = bytes(managers, () -> Manager.of(table));
        final long rows = bytes(new ArrayList<>(), ManagerMemoryTest::table);
        // then: a manager, its table in the kernel, and the plan's rows
        final long all = manager + rows + SHARED_BYTES;
        System.out.printf(
                "memory of a manager of %d hosts: %d bytes, of which the rows of the plan %d, the"
                        + " table in the kernel %d%n",
                HOSTS, all, rows, SHARED_BYTES);
        assertTrue(all <= 200_000, () -> all + " bytes: heap " + manager + ", of the rows " + rows);
        managers.forEach(each -> each.tagger().close());
    }
}
