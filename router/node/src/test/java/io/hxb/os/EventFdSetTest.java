package io.hxb.os;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.linux.Descriptors;
import io.hxb.linux.EventFd;
import io.hxb.linux.PollSet;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class EventFdSetTest {
    @Test
    void shouldShowManyEventsAsOneAndAgainOnlyForNewOnes() throws Exception {
        try (EventFdSet set = new EventFdSet();
                PollSet poll = new PollSet(1)) {
            final int first = EventFd.create();
            final int second = EventFd.create();
            set.add(first);
            set.add(second);
            poll.add(set.descriptor());
            assertEquals(0, poll.await(0));
            EventFd.signal(first);
            EventFd.signal(second);
            assertEquals(1, poll.await(0));
            set.clear();
            assertEquals(0, poll.await(0));
            EventFd.signal(second);
            assertEquals(1, poll.await(0));
            set.remove(first);
            set.remove(second);
            Descriptors.close(first);
            Descriptors.close(second);
        }
    }
}
