package io.hxb.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.os.nic.GroTimer;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;

/** How long the kernel waits for frames by IP that it can join. */
@Tag("system")
class GroTimeoutSystemTest extends RawIpPair {
    @Test
    void shouldHaveTheKernelWaitForMoreWhileBulkArrivesAndNoLonger() throws IOException {
        // given
        openByIp();
        assertEquals(0, flushTimeoutNs());
        // when: one frame at a time
        for (int round = 0; round < 2_100; round++) {
            send(1, 8_000);
            take(1, 8_000);
        }
        b.refresh();
        // then
        assertEquals(0, flushTimeoutNs());
        // when
        awaitBulk();
        // when: the bulk has ended
        b.refresh();
        // then
        assertEquals(0, flushTimeoutNs());
        // when: the link is closed while it has not
        awaitBulk();
        frames.releaseAll();
        b.close();
        // then
        assertEquals(0, flushTimeoutNs());
    }

    @Test
    void shouldPutBackTheTimeThatAKilledNodeHasLeft() throws IOException {
        // given
        try (GroTimer timer = GroTimer.open(right, "n0", "rw")) {
            timer.writeNs(GroTimeout.WAIT_NS);
        }
        // when
        openByIp();
        // then
        assertEquals(0, flushTimeoutNs());
    }

    @Test
    void shouldLeaveATimeThatSomebodyElseHasSet() throws IOException {
        // given
        try (GroTimer timer = GroTimer.open(right, "n0", "rw")) {
            timer.writeNs(20_000);
        }
        openByIp();
        // when
        sendBulk();
        b.refresh();
        // then
        assertEquals(20_000, flushTimeoutNs());
        // when
        frames.releaseAll();
        b.close();
        // then
        assertEquals(20_000, flushTimeoutNs());
    }

    // On a busy machine frames may come one by one, so that they are no bulk.
    private void awaitBulk() {
        TestNamespaces.await(
                "the kernel waits for more",
                () -> {
                    sendBulk();
                    b.refresh();
                    return isWaiting();
                });
    }

    private boolean isWaiting() {
        try {
            return flushTimeoutNs() == GroTimeout.WAIT_NS;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void sendBulk() {
        for (int round = 0; round < 60; round++) {
            send(40, 8_000);
            take(40, 8_000);
        }
    }

    private long flushTimeoutNs() throws IOException {
        try (GroTimer timer = GroTimer.open(right, "n0", "r")) {
            return timer.readNs();
        }
    }
}
