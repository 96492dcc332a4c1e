package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.counter.CounterLabels;
import io.hxb.counter.CounterType;
import io.hxb.counter.Counters;
import io.hxb.recorder.EventEntry;
import io.hxb.recorder.RecordedEvent;
import io.hxb.testing.RecordingLink;
import io.hxb.trunk.Port;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

@Tag("unit")
class CounterWatchTest {
    private final Counters counters =
            Counters.inMemory(
                    new CounterLabels(
                            "lab", 1, 0, 0, 1, List.of(new CounterLabels.LinkLabel(0, 2, "x2"))),
                    1,
                    () -> 0);
    private final CounterWatch watch =
            new CounterWatch(
                    counters,
                    List.of(new Port(new RecordingLink(0), 0, 2)),
                    counters.ofLoop(0).events());

    private List<String> look(final long nowNs) {
        counters.ofLoop(0).publish();
        watch.look(nowNs);
        return counters.recorder().recent().stream().map(EventEntry::sentence).toList();
    }

    @ParameterizedTest
    @CsvSource({
        "POOL_EMPTY_EVENTS, POOL_EMPTY",
        "NODE_ERRORS_EVENTS, LOOP_FAILED",
        "CONTEXT_ATTACH_REFUSED_EVENTS, ATTACH_REFUSED",
        "CONTEXT_REFUSED_EVENTS, CONTEXT_REFUSED",
        "FLOW_REFUSED_EVENTS, FLOWS_REFUSED",
        "FLOW_NOT_ALLOWED_EVENTS, FLOWS_NOT_ALLOWED",
        "SESSION_BEGUN_EVENTS, SESSIONS_BEGUN",
        "FORWARD_DROPPED_SEAL_FRAMES, SEALS_WRONG",
        "FORWARD_DROPPED_UNSEALED_FRAMES, SEALS_MISSING",
        "CONTEXT_LIMITED_CONTEXTS_EVENTS, LIMIT_REACHED",
        "MISCONFIGURATION_MTU_DIFFERS_EVENTS, MISCONFIGURED",
    })
    void shouldRecordHowManyMoreThereAre(final CounterType type, final RecordedEvent event) {
        // given
        counters.ofLoop(0).add(type, 3);
        look(1);
        // when
        counters.ofLoop(0).add(type, 4);
        look(2);
        look(3);
        // then
        final List<EventEntry> entries = counters.recorder().recent();
        assertEquals(List.of(event, event), entries.stream().map(EventEntry::event).toList());
        assertEquals(3, entries.getFirst().arguments().getFirst());
        assertEquals(4, entries.getLast().arguments().getFirst());
    }

    @Test
    void shouldNameLinksLimitsAndFindings() {
        // when
        counters.ofLoop(0).add(CounterType.LINK_KERNEL_DROPPED_FRAMES, 0, 7);
        counters.ofLoop(0).add(CounterType.LINK_SEND_ERROR_FRAMES, 0, 8);
        counters.ofLoop(0).add(CounterType.CONTEXT_LIMITED_FLOWS_EVENTS, 9);
        counters.ofLoop(0).add(CounterType.MISCONFIGURATION_WRONG_LINE_EVENTS, 1);
        // then
        assertEquals(
                List.of(
                        "the kernel dropped 7 frames of link x.2, which were not read in time",
                        "the NIC refused 8 frames of link x.2",
                        "9 requests refused because of a limit of users or tenants: flows",
                        "noticed 1 times: a segment joins nodes that are not on one line"),
                look(1));
    }
}
