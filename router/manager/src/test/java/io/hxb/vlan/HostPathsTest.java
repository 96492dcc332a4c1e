package io.hxb.vlan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hxb.fabric.generate.Trees;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.VlanPlanner;
import io.hxb.fabric.vlan.config.SetupMaker;
import io.hxb.fabric.vlan.tree.TopTrees;
import io.hxb.linux.LinuxException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;

@Tag("unit")
class HostPathsTest {
    private static final VlanPlan PLAN =
            VlanPlanner.of(PlanKind.HOST_TAGGED, 4)
                    .plan(Trees.fatTree(2, 4, 2), new TopTrees(), "tops");
    private static final int HOSTS = PLAN.graph().hostCount();

    private static final HostTable TABLE = HostTable.of(PLAN);

    @Test
    void shouldGiveEachPairTheVidOfThePlan() throws LinuxException {
        for (int here = 0; here < HOSTS; here++) {
            final RememberingTagger tagger = new RememberingTagger();
            HostPaths.of(TABLE, here, tagger);
            for (int peer = 0; peer < HOSTS; peer++) {
                if (peer != here) {
                    assertEquals(
                            PLAN.vid(PLAN.vlanOf(here, peer)),
                            tagger.vidOf(SetupMaker.mac(PLAN.graph(), peer)),
                            here + " to " + peer);
                }
            }
            assertEquals(PLAN.vid(PLAN.vlanOf(here)), tagger.vidOf(42), "an unknown host");
        }
    }

    @Test
    void shouldFollowExceptionsAfterEachCommit() throws LinuxException {
        // given
        final RememberingTagger tagger = new RememberingTagger();
        final HostPaths paths = HostPaths.of(TABLE, 3, tagger);
        final SplittableRandom random = new SplittableRandom(7);
        final int[] exceptions = new int[HOSTS];
        for (int batch = 0; batch < 100; batch++) {
            // when
            for (int change = 0; change < 3; change++) {
                final int host = (4 + random.nextInt(HOSTS - 1)) % HOSTS;
                final int vid =
                        random.nextInt(3) == 0
                                ? HostPaths.BY_TABLE
                                : PLAN.vid(random.nextInt(PLAN.vlanCount()));
                paths.set(host, vid);
                exceptions[host] = vid;
            }
            paths.commit();
            // then
            int count = 0;
            for (int host = 0; host < HOSTS; host++) {
                count += exceptions[host] == HostPaths.BY_TABLE ? 0 : 1;
                if (host != 3) {
                    final int expected =
                            exceptions[host] == HostPaths.BY_TABLE
                                    ? PLAN.vid(PLAN.vlanOf(3, host))
                                    : exceptions[host];
                    assertEquals(expected, tagger.vidOf(SetupMaker.mac(PLAN.graph(), host)));
                    assertEquals(expected, paths.vid(host));
                }
            }
            assertEquals(count, paths.exceptionCount());
        }
    }

    @Test
    void shouldRefuseExceptionsOutsideThePlan() throws LinuxException {
        final HostPaths paths = HostPaths.of(TABLE, 3, new RememberingTagger());
        assertThrows(IllegalArgumentException.class, () -> paths.set(3, PLAN.vid(0)));
        assertThrows(IllegalArgumentException.class, () -> paths.set(4, 4000));
        assertThrows(IllegalArgumentException.class, () -> paths.set(4, -1));
        assertFalse(paths.isPlanned(0));
    }
}
