package io.hxb.os;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Descriptors;
import io.hxb.linux.LinuxException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class TimerFdTest {
    @Test
    void shouldBecomeReadableWhenTheTimeHasCome() throws LinuxException {
        // given
        try (TimerFd timer = new TimerFd()) {
            timer.set(Long.MAX_VALUE / 2);
            final int early = Descriptors.poll(timer.descriptor(), Descriptors.POLLIN, 0);
            // when
            final long start = System.nanoTime();
            timer.set(3_000_000);
            final int events = Descriptors.poll(timer.descriptor(), Descriptors.POLLIN, 5000);
            // then
            assertEquals(0, early);
            assertEquals(Descriptors.POLLIN, events);
            assertTrue(System.nanoTime() - start >= 3_000_000);
            timer.clear();
            assertEquals(0, Descriptors.poll(timer.descriptor(), Descriptors.POLLIN, 0));
            timer.setDeadline(System.nanoTime() - 1);
            assertEquals(
                    Descriptors.POLLIN,
                    Descriptors.poll(timer.descriptor(), Descriptors.POLLIN, 0));
            timer.cancel();
            assertEquals(0, Descriptors.poll(timer.descriptor(), Descriptors.POLLIN, 0));
        }
    }
}
