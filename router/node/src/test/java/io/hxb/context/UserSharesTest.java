package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.ContextConfig;
import io.hxb.config.IdRange;
import io.hxb.config.LimitConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.ResourceShare;
import io.hxb.config.TenantConfig;
import io.hxb.config.TenantPlan;
import io.hxb.counter.ResourceUse;
import io.hxb.pm.PmException;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

@Tag("unit")
class UserSharesTest {
    private static final int OPERATOR = 0;
    private static final int ALICE = 1000;
    private static final int BOB = 1001;
    private static final int PHYSICS = physics(Map.of()).id();

    private static UserShares shares(final Map<ResourceShare, Long> limits, final int maxContexts) {
        final ClusterConfig cluster =
                ClusterConfig.of("test", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 1, 20_000))
                        .withContext(new ContextConfig(maxContexts, 0))
                        .withLimits(LimitConfig.of(limits));
        return new UserShares(cluster, 100, Set.of(OPERATOR));
    }

    @Test
    void shouldRefuseWhatIsBeyondALimitAndNameItsKey() throws Exception {
        // given
        final UserShares shares = shares(Map.of(ResourceShare.REGIONS, 3L), 64);
        final UserAccount alice = shares.of(ALICE);
        alice.charge(ResourceShare.REGIONS, 2);
        // when
        final PmException refused =
                assertThrows(PmException.class, () -> alice.charge(ResourceShare.REGIONS, 2));
        // then
        assertEquals(
                "user 1000 may have 3 regions (limits.regions in the cluster file), has 2 and asks"
                        + " for 2 more",
                refused.getMessage());
        assertEquals(2, alice.book(ResourceShare.REGIONS).used());
        assertEquals(1, alice.book(ResourceShare.REGIONS).refused());
        assertDoesNotThrow(() -> alice.charge(ResourceShare.REGIONS, 1));
    }

    @Test
    void shouldNotRefuseOneUserForWhatAnotherHas() throws Exception {
        final UserShares shares = shares(Map.of(ResourceShare.FLOWS, 1L), 64);
        assertTrue(shares.of(ALICE).takeFlow());
        assertFalse(shares.of(ALICE).takeFlow());
        assertTrue(shares.of(BOB).takeFlow());
        shares.of(ALICE).giveBackFlow();
        assertTrue(shares.of(ALICE).takeFlow());
    }

    @Test
    void shouldHaveOneAccountForAllProcessesOfAUser() {
        final UserShares shares = shares(Map.of(), 64);
        assertSame(shares.of(ALICE), shares.of(ALICE));
    }

    @Test
    void shouldKeepContextsForTheOperatorWhateverOthersTake() throws Exception {
        // given
        final UserShares shares = shares(Map.of(ResourceShare.CONTEXTS, 10L), 16);
        // when
        int taken = 0;
        for (int uid = ALICE; uid < ALICE + 10; uid++) {
            while (shares.of(uid).book(ResourceShare.CONTEXTS).take(1)) {
                taken++;
            }
        }
        // then
        assertEquals(14, taken);
        assertTrue(shares.of(OPERATOR).book(ResourceShare.CONTEXTS).take(1_000));
        assertTrue(
                shares.of(BOB)
                        .book(ResourceShare.CONTEXTS)
                        .refusal(1)
                        .contains("context.maxContexts"),
                shares.of(BOB).book(ResourceShare.CONTEXTS).refusal(1));
    }

    @Test
    void shouldNotBeOutwittedByNumbersThatOverflow() {
        final UserAccount alice = shares(Map.of(), 64).of(ALICE);
        assertTrue(alice.book(ResourceShare.MEMORY_BYTES).take(1 << 20));
        assertFalse(alice.book(ResourceShare.MEMORY_BYTES).take(Long.MAX_VALUE));
        assertFalse(alice.book(ResourceShare.MEMORY_BYTES).take(Long.MAX_VALUE - (1 << 20) + 1));
        assertEquals(1 << 20, alice.book(ResourceShare.MEMORY_BYTES).used());
    }

    @Test
    void shouldNeverGiveMoreThanTheLimitToThreadsThatRace() throws Exception {
        // given
        final UserAccount alice = shares(Map.of(ResourceShare.REGIONS, 10L), 64).of(ALICE);
        final QuotaCounter book = alice.book(ResourceShare.REGIONS);
        final List<Thread> threads = new ArrayList<>();
        final List<Throwable> failures = new ArrayList<>();
        // when
        for (int i = 0; i < 4; i++) {
            final Thread thread = new Thread(() -> takeAndGiveBack(book));
            thread.setUncaughtExceptionHandler((it, e) -> failures.add(e));
            threads.add(thread);
            thread.start();
        }
        for (final Thread thread : threads) {
            thread.join();
        }
        // then
        assertEquals(List.of(), failures);
        assertEquals(0, book.used());
        assertTrue(book.refused() > 0, "nobody was ever refused");
    }

    private static void takeAndGiveBack(final QuotaCounter book) {
        for (int i = 0; i < 50_000; i++) {
            final int amount = 1 + i % 7;
            if (book.take(amount)) {
                final long used = book.used();
                if (used > book.limit()) {
                    throw new AssertionError(used + " of " + book.limit());
                }
                book.giveBack(amount);
            }
        }
        // One thread alone may never have met another.
        if (book.take(book.limit() + 1)) {
            throw new AssertionError("more than the limit");
        }
    }

    private static TenantConfig physics(final Map<ResourceShare, Long> limits) {
        return new TenantConfig(
                "physics",
                List.of(new IdRange(ALICE, BOB)),
                List.of(),
                List.of(),
                List.of(),
                limits,
                Map.of(ResourceShare.HELD_BUFFERS, 100L));
    }

    private static UserShares tenantShares(final Map<ResourceShare, Long> limits) {
        final ClusterConfig cluster =
                ClusterConfig.of("test", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 1, 20_000))
                        .withTenants(new TenantPlan(List.of(physics(limits))));
        return new UserShares(cluster, 100, Set.of(OPERATOR));
    }

    private static Map<String, ResourceUse> byName(final UserShares shares) {
        return shares.uses().stream().collect(Collectors.toMap(ResourceUse::who, use -> use));
    }

    @Test
    void shouldShowAndCountHeldBuffersOfUsersAndOfTheirTenant() {
        // given
        final UserShares shares = tenantShares(Map.of(ResourceShare.HELD_BUFFERS, 40L));
        final UserAccount alice = shares.of(ALICE, PHYSICS);
        final UserAccount bob = shares.of(BOB, PHYSICS);
        // when their contexts borrow all that the tenant may have, and one could use more
        assertEquals(30, alice.receiveCredit().lend(30));
        assertEquals(10, bob.receiveCredit().lend(30));
        alice.onCreditLimited();
        // then
        assertFalse(alice.isIdle());
        final String key = "heldBuffers";
        assertEquals(
                new ResourceUse.Figures(30, 100, 1),
                byName(shares).get("user 1000").shares().get(key));
        assertEquals(
                new ResourceUse.Figures(10, 100, 0),
                byName(shares).get("user 1001").shares().get(key));
        assertEquals(
                new ResourceUse.Figures(40, 40, 1),
                byName(shares).get("tenant physics").shares().get(key));
        assertEquals(1, shares.refused(ResourceShare.HELD_BUFFERS));
        assertEquals(
                "tenants.physics.limits.heldBuffers",
                alice.book(ResourceShare.HELD_BUFFERS).limiting().key());
        // and when all have gone back
        alice.receiveCredit().giveBack(30);
        bob.receiveCredit().giveBack(10);
        assertTrue(alice.isIdle() && bob.isIdle());
    }

    @Test
    void shouldShowWhatATenantWithoutLimitsHasByItsUsers() throws Exception {
        final UserShares shares = tenantShares(Map.of());
        shares.of(ALICE, PHYSICS).charge(ResourceShare.REGIONS, 2);
        shares.of(BOB, PHYSICS).charge(ResourceShare.REGIONS, 3);
        shares.of(OPERATOR).charge(ResourceShare.CONTEXTS, 1);
        assertEquals(
                new ResourceUse.Figures(5, -1, 0),
                byName(shares).get("tenant physics").shares().get("regions"));
        assertEquals(
                new ResourceUse.Figures(1, -1, 0),
                byName(shares).get("user 0").shares().get("contexts"));
        assertEquals("physics", byName(shares).get("user 1000").tenant());
        assertEquals(
                new ResourceUse.Figures(-1, -1, 0),
                byName(shares).get("user 1000").shares().get("messagesPerSecond"));
    }

    @Test
    void shouldCountFlowsOfTheVirtualNicAsItsTenants() {
        // given
        final UserShares shares = tenantShares(Map.of(ResourceShare.FLOWS, 3L));
        final UserAccount nic = shares.virtualNic(PHYSICS);
        // when
        assertTrue(nic.takeFlow());
        assertTrue(nic.takeFlow());
        assertTrue(shares.of(ALICE, PHYSICS).takeFlow());
        // then
        assertFalse(nic.takeFlow());
        assertEquals(PHYSICS, nic.tenant());
        assertTrue(nic.maySendTo(PHYSICS, 1, 0) && nic.mayReceiveFrom(PHYSICS, 1, 0));
        assertFalse(nic.maySendTo(TenantPlan.NO_TENANT, 1, 0));
        assertEquals(
                new ResourceUse.Figures(2, -1, 1),
                byName(shares).get("the virtual NIC").shares().get("flows"));
        assertEquals(3, byName(shares).get("tenant physics").shares().get("flows").held());
        // when
        nic.giveBackFlow();
        // then
        assertTrue(shares.of(BOB, PHYSICS).takeFlow());
    }

    @Test
    void shouldShowThoseFirstWhoWereRefusedMostAndNobodyWhoHasNothing() {
        // given
        final UserShares shares = shares(Map.of(ResourceShare.REGIONS, 1L), 64);
        for (int uid = ALICE; uid < ALICE + 20; uid++) {
            for (int i = ALICE; i < uid; i++) {
                shares.of(uid).book(ResourceShare.REGIONS).take(1);
            }
        }
        // then: one takes, the others are refused
        final List<ResourceUse> uses = shares.uses();
        assertEquals(19, uses.size());
        assertEquals("user 1019", uses.getFirst().who());
        assertEquals(18, uses.getFirst().refused());
        assertEquals("user 1001", uses.getLast().who());
    }

    @Test
    void shouldHaveRoomForAThousandProgramsOfOneUserAndForThoseOfOthers() {
        // given
        final ClusterConfig cluster =
                ClusterConfig.of("test", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 2, 20_000));
        final UserShares shares =
                new UserShares(cluster, ContextManager.MAX_CONNECTIONS, Set.of(OPERATOR));
        final UserAccount alice = shares.of(ALICE);
        assertEquals(1_280, cluster.contexts());
        // when, then
        assertDoesNotThrow(
                () -> {
                    for (int i = 0; i < 1_024; i++) {
                        alice.charge(ResourceShare.CONNECTIONS, 1);
                        alice.charge(ResourceShare.CONTEXTS, 1);
                    }
                });
        final PmException refused =
                assertThrows(PmException.class, () -> alice.charge(ResourceShare.CONTEXTS, 1));
        assertEquals(
                "user 1000 may have 1024 contexts (limits.contexts in the cluster file), has 1024"
                        + " and asks for 1 more",
                refused.getMessage());
        assertDoesNotThrow(() -> shares.of(BOB).charge(ResourceShare.CONTEXTS, 96));
        assertDoesNotThrow(() -> shares.of(BOB).charge(ResourceShare.CONNECTIONS, 96));
    }
}
