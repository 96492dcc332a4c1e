package io.hxb.manager.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.generate.Trees;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.VlanPlanner;
import io.hxb.fabric.vlan.tree.TopTrees;
import io.hxb.manager.ManagerConnection;
import io.hxb.manager.ManagerMessage;
import io.hxb.manager.ManagerOperation;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Hosts that take their time, or whose sessions fail in ways nobody has thought of. */
@Tag("unit")
class HostPoolTest {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(20);

    private VlanPlan plan;
    private SimulatedHosts network;

    /** What a session does before each answer. */
    private interface Before {
        void answer(ManagerOperation operation) throws IOException;
    }

    @BeforeEach
    void makeNetwork() throws IOException {
        plan =
                VlanPlanner.of(PlanKind.HOST_TAGGED, 4000)
                        .plan(Trees.vbft(2, 2, 2), new TopTrees(), "tops");
        network = new SimulatedHosts(plan);
    }

    private ManagedHost host(final int number, final Before before) {
        return new ManagedHost(
                "m" + number,
                () -> new Watched(network.connect(0, number), before),
                network.table().fingerprint(),
                network::nowNs);
    }

    private static final class Watched implements ManagerConnection {
        private final ManagerConnection inner;
        private final Before before;
        private ManagerOperation last;

        Watched(final ManagerConnection inner, final Before before) {
            this.inner = inner;
            this.before = before;
        }

        @Override
        public ManagerMessage request(final ManagerOperation operation) {
            last = operation;
            return inner.request(operation);
        }

        @Override
        public int unanswered() {
            return inner.unanswered();
        }

        @Override
        public void post() {
            inner.post();
        }

        @Override
        public ManagerMessage receive() throws IOException {
            before.answer(last);
            return inner.receive();
        }

        @Override
        public void close() throws IOException {
            inner.close();
        }
    }

    @Test
    void shouldShowAHostAsItWasUntilItIsDone() throws Exception {
        // given: a host that is in the middle of its first visit when the round is over
        final CountDownLatch goOn = new CountDownLatch(1);
        final CountDownLatch isHalfDone = new CountDownLatch(1);
        final ManagedHost slow =
                host(
                        1,
                        operation -> {
                            if (operation == ManagerOperation.LEASE) {
                                isHalfDone.countDown();
                                await(goOn);
                            }
                        });
        try (HostPool pool = new HostPool(0)) {
            // when
            assertEquals(List.of(), pool.run(List.of(slow), ManagedHost::visit));
            await(isHalfDone);
            // then
            assertEquals(ManagedHost.Problem.NOT_ASKED, slow.problem());
            assertEquals(-1, slow.number());
            // when
            goOn.countDown();
            // then
            TestNamespaces.await(() -> "number " + slow.number(), () -> slow.number() == 1);
            assertEquals(ManagedHost.Problem.NONE, slow.problem());
        }
    }

    private static void await(final CountDownLatch latch) throws IOException {
        try {
            assertTrue(latch.await(PATIENCE_NS, TimeUnit.NANOSECONDS));
        } catch (final InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Test
    void shouldGoOnWithTheOthersWhenTheSessionOfOneFails() {
        // given
        final List<ManagedHost> hosts = new ArrayList<>();
        for (int number = 0; number < plan.graph().hostCount(); number++) {
            final boolean isFailing = number == 1;
            hosts.add(
                    host(
                            number,
                            operation -> {
                                if (isFailing && operation == ManagerOperation.TRAFFIC) {
                                    throw new IllegalStateException("nobody has thought of it");
                                }
                            }));
        }
        try (HostPool pool = new HostPool(PATIENCE_NS)) {
            final NetworkControl control =
                    new NetworkControl(
                            plan,
                            new ControlSettings(1, 5_000, false, TuningTerms.DEFAULT),
                            pool,
                            hosts);
            // when
            for (int round = 0; round < 3; round++) {
                network.advance(SimulatedHosts.ROUND_NS);
                control.step(network.nowNs());
            }
            // then
            assertTrue(control.isLeader());
            assertEquals(ManagedHost.Problem.ABSENT, hosts.get(1).problem());
            assertTrue(hosts.get(1).words().contains("nobody has thought of it"));
            assertTrue(hosts.get(2).isReady());
        }
    }

    @Test
    void shouldGoOnWhenWhatIsDoneWithAHostFails() {
        final ManagedHost host = host(1, operation -> {});
        try (HostPool pool = new HostPool(PATIENCE_NS)) {
            assertEquals(
                    List.of(),
                    pool.run(
                            List.of(host),
                            one -> {
                                throw new IllegalStateException("nobody has thought of it");
                            }));
            assertEquals(List.of(host), pool.run(List.of(host), ManagedHost::visit));
            assertFalse(host.isReady());
        }
    }
}
