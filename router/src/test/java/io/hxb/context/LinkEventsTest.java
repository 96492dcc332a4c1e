package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmEvent;
import io.hxb.pm.PmLinkEvent;
import io.hxb.pm.PmStatus;
import io.hxb.pm.shm.LinkEventRing;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

@Tag("unit")
class LinkEventsTest {
    @Test
    void shouldTellEachDeviceOfLinksWhileItsContextsWaitOrPoll() throws Exception {
        try (TestNode node = new TestNode();
                PmDevice device = node.invoked();
                PmDevice other = node.invoked();
                PmContext context = device.openContext(1)) {
            // given
            final LinkEventRing ring = node.manager.linkEvents();
            ring.put(1, 1, 0, 0, true, false, "found before anybody listened");
            final List<PmLinkEvent> events = new ArrayList<>();
            final List<PmLinkEvent> others = new ArrayList<>();
            try (PmDevice late = node.invoked()) {
                late.onLinkEvent(others::add);
                assertEquals(0, late.pollLinkEvents(), "what was before is not told");
            }
            device.onLinkEvent(events::add);
            other.onLinkEvent(others::add);
            // when
            ring.put(2_000, 1, 2, 3, false, true, "cut");
            assertEquals(PmStatus.TIMED_OUT, context.await(0));
            ring.put(3_000, 1, 2, 3, true, false, "heals");
            assertEquals(PmStatus.EMPTY, context.pollEvent(new PmEvent()));
            // then
            assertEquals(3, events.size());
            assertEquals(new PmLinkEvent(2_000, 2, 3, 1, false, true, "cut"), events.get(1));
            assertEquals("z.3", events.get(1).link());
            assertEquals("heals", events.getLast().reason());
            assertEquals(3, other.pollLinkEvents());
            assertEquals(events, others);
            assertEquals(3, device.linkEventCount());
            // when
            device.onLinkEvent(null);
            ring.put(4_000, 1, 2, 3, false, true, "again");
            context.await(0);
            // then
            assertEquals(3, events.size());
            assertFalse(events.contains(null));
        }
    }
}
