package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.link.sim.SimFaults;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** The limits of a user and of a tenant hold for all contexts together, and hinder nobody else. */
@Tag("simulation")
class LimitedUserSimulationTest {
    private static final int BUFFERS = 4_096;
    private static final int MAX_CONTEXTS = 64;
    private static final int QUOTA_FRAMES = BUFFERS / 4;
    private static final int TENANT_FRAMES = 200;
    private static final int USER_FRAMES = 150;
    private static final int CONTEXTS_A_USER = 8;
    private static final int VICTIM = 61;
    private static final int MESSAGE_BYTES = 1_400;

    /** One user of a tenant. */
    private static final class User extends UnlimitedRights {
        private final CreditPool credit;
        private int limited;

        User(final CreditPool tenant) {
            credit = new CreditPool(USER_FRAMES, tenant);
        }

        @Override
        public CreditPool receiveCredit() {
            return credit;
        }

        @Override
        public void onCreditLimited() {
            limited++;
        }
    }

    @Test
    void shouldLimitTheUsersOfATenantTogetherAndNobodyElse() {
        final FlowSizes sizes = new FlowSizes(1_500, 512, 8, MAX_CONTEXTS, 256);
        final SimFaults line = SimFaults.NONE.withRate(1_000_000_000, 256);
        try (SimWorld world = new SimWorld(7, 2, 1, 1, new FlowSetup(sizes), line, BUFFERS)) {
            // given: contexts that earn all the credit there is
            final CreditPool tenant = new CreditPool(TENANT_FRAMES);
            final List<User> users = List.of(new User(tenant), new User(tenant));
            final List<SimContext> sinks = new ArrayList<>();
            for (int id = 1; id <= users.size() * CONTEXTS_A_USER; id++) {
                world.open(0, id, QUOTA_FRAMES);
                sinks.add(world.open(1, id, QUOTA_FRAMES, users.get(id % users.size())));
                sinks.getLast().capacityFrames = Integer.MAX_VALUE;
            }
            world.runUntil(
                    () -> sinks.stream().allMatch(sink -> sink.received >= QUOTA_FRAMES),
                    2 * SimWorld.SECOND,
                    () -> {
                        fill(world, sinks);
                        sinks.forEach(sink -> sink.release(Integer.MAX_VALUE));
                        checkLimits(tenant, users);
                    });
            // when they stop
            world.runUntil(
                    () -> false,
                    60 * SimWorld.MILLISECOND,
                    () -> {
                        fill(world, sinks);
                        checkLimits(tenant, users);
                    });
            // then they hold what is guaranteed to each, and no more than the tenant may besides
            final int guaranteed = (1 + CreditSizes.MAX_PART_FRAMES) * sinks.size();
            final int held = sinks.stream().mapToInt(SimContext::heldFrames).sum();
            assertTrue(held <= guaranteed + TENANT_FRAMES, held + " held");
            assertTrue(tenant.lentFrames() > TENANT_FRAMES / 2, tenant.lentFrames() + " lent");
            users.forEach(user -> assertTrue(user.limited > 0, "it is notified of its limit"));
            users.forEach(
                    user -> assertTrue(user.limited < 1_000, user.limited + " notifications"));
            // and somebody else has the rest of the node
            final SimContext source = world.open(0, VICTIM, QUOTA_FRAMES);
            final SimContext sink = world.open(1, VICTIM, QUOTA_FRAMES);
            sink.capacityFrames = Integer.MAX_VALUE;
            world.runUntil(
                    () -> sink.heldFrames() > 2 * TENANT_FRAMES,
                    SimWorld.SECOND,
                    () -> {
                        fill(source);
                        sink.release(sink.received < QUOTA_FRAMES ? Integer.MAX_VALUE : 0);
                    });
            // and when all receive again, everything goes back
            sinks.add(sink);
            world.runUntil(
                    () -> false,
                    200 * SimWorld.MILLISECOND,
                    () -> sinks.forEach(each -> each.release(Integer.MAX_VALUE)));
            assertEquals(0, world.leftovers(), "buffers and frames in use");
            assertEquals(0, tenant.lentFrames());
            users.forEach(user -> assertEquals(0, user.credit.lentFrames()));
        }
    }

    private static void checkLimits(final CreditPool tenant, final List<User> users) {
        int lent = 0;
        for (final User user : users) {
            assertTrue(user.credit.lentFrames() <= USER_FRAMES);
            lent += user.credit.lentFrames();
        }
        assertEquals(lent, tenant.lentFrames(), "the tenant has what its users have");
        assertTrue(lent <= TENANT_FRAMES, lent + " lent");
    }

    private static void fill(final SimWorld world, final List<SimContext> sinks) {
        sinks.forEach(sink -> fill(world.nodes.get(0).contexts.get(sink.id)));
    }

    private static void fill(final SimContext source) {
        while (source.hasFreeSlot()) {
            source.send(1, source.id, MESSAGE_BYTES);
        }
    }
}
