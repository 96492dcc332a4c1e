package io.hxb.manager.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.generate.Trees;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.VlanPlanner;
import io.hxb.fabric.vlan.tree.TopTrees;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** A management server whose rounds fail now and then. */
@Tag("unit")
class ControlServerTest {
    private final AtomicBoolean isFailing = new AtomicBoolean(true);

    private ControlServer server() throws Exception {
        final VlanPlan plan =
                VlanPlanner.of(PlanKind.HOST_TAGGED, 4000)
                        .plan(Trees.vbft(2, 2, 2), new TopTrees(), "tops");
        final SimulatedHosts network = new SimulatedHosts(plan);
        final HostRunner runner =
                (hosts, action) -> {
                    if (isFailing.get()) {
                        throw new IllegalStateException("nobody has thought of it");
                    }
                    return HostRunner.IN_TURN.run(hosts, action);
                };
        final NetworkControl control =
                new NetworkControl(
                        plan,
                        new ControlSettings(1, 5_000, false, TuningTerms.DEFAULT),
                        runner,
                        network.seenBy(0));
        return new ControlServer(control, TimeUnit.MILLISECONDS.toNanos(1), String::valueOf);
    }

    @Test
    void shouldGoOnWhenARoundFails() throws Exception {
        // given
        final ControlServer server = server();
        final List<String> reports = new ArrayList<>();
        // when
        server.run(
                report -> {
                    reports.add(report.status().get("why") + ", " + report.status().get("state"));
                    isFailing.set(reports.size() < 3);
                    if (reports.size() > 5) {
                        server.end();
                    }
                });
        // then
        assertTrue(reports.get(2).contains("the last round failed"), reports::toString);
        assertTrue(reports.get(2).contains("nobody has thought of it"), reports::toString);
        assertTrue(reports.getLast().endsWith(", leading"), reports::toString);
    }

    @Test
    void shouldAnswerACommandThatFails() throws Exception {
        final ControlServer server = server();
        final CompletableFuture<ControlSocket.Answer> answer =
                CompletableFuture.supplyAsync(
                        () -> server.answer(new ControlSocket.Request("POST", "/v1/stop", "")));
        final CompletableFuture<Void> end = answer.thenRun(server::end);

        server.run(report -> {});

        assertEquals(500, answer.get(60, TimeUnit.SECONDS).status());
        end.get(60, TimeUnit.SECONDS);
    }
}
