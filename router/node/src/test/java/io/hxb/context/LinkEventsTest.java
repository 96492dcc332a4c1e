package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.PollSet;
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
    void shouldNotifyEachDeviceOfLinksWhileItsContextsWaitOrPoll() throws Exception {
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
                assertEquals(0, late.pollLinkEvents(), "earlier changes are not reported");
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

    @Test
    void shouldWakeAnApplicationThatSleeps() throws Exception {
        try (TestNode node = new TestNode();
                PmDevice device = node.attached();
                PollSet poll = new PollSet(1)) {
            // given
            node.start();
            final PmContext context = device.openContext(1);
            final List<PmLinkEvent> events = new ArrayList<>();
            device.onLinkEvent(events::add);
            poll.add(context.descriptor());
            assertTrue(context.arm(false));
            poll.await(0);
            assertEquals(0, poll.ready(0), "nothing has happened yet");
            // when
            node.manager.linkEvents().put(1_000, 1, 0, 1, false, false, "cut");
            node.manager.onLinkEvents();
            poll.await(30_000_000_000L);
            // then
            assertNotEquals(0, poll.ready(0), "the application is woken");
            context.disarm();
            assertTrue(context.arm(false));
            assertEquals(1, events.size(), "and notified while it goes to sleep again");
            context.disarm();
        }
    }

    @Test
    void shouldNotSleepOverALinkThatChangedBefore() throws Exception {
        try (TestNode node = new TestNode();
                PmDevice device = node.attached()) {
            // given
            node.start();
            final PmContext context = device.openContext(1);
            final List<PmLinkEvent> events = new ArrayList<>();
            device.onLinkEvent(events::add);
            // when
            node.manager.linkEvents().put(1_000, 1, 0, 1, false, false, "cut");
            // then
            assertTrue(context.arm(false), "a link is nothing to take");
            context.disarm();
            assertEquals(1, events.size());
        }
    }
}
