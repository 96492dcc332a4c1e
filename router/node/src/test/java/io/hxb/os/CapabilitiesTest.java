package io.hxb.os;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.linux.FileStatus;
import io.hxb.linux.LinuxException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.concurrent.atomic.AtomicLong;

@Tag("unit")
class CapabilitiesTest {
    private static long effective() {
        try {
            return Capabilities.effective();
        } catch (final LinuxException e) {
            throw new AssertionError(e);
        }
    }

    private static long inThread(final Runnable first) throws InterruptedException {
        final AtomicLong found = new AtomicLong(-1);
        final Thread thread =
                new Thread(
                        () -> {
                            first.run();
                            found.set(effective());
                        });
        thread.start();
        thread.join();
        return found.get();
    }

    @Test
    void shouldGiveUpRightsOfTheThreadThatCallsItAlone() throws InterruptedException {
        // given
        assumeTrue(FileStatus.ownUid() == 0, "skipped: rights to give up are root's");
        final long before = effective();
        assertTrue((before & Capabilities.NET_RAW) != 0, "no rights to give up");
        // when, then
        assertEquals(
                Capabilities.NET_RAW,
                inThread(() -> Capabilities.keepOnlyIfPossible(Capabilities.NET_RAW)));
        assertEquals(0, inThread(() -> Capabilities.keepOnlyIfPossible(0)));
        assertEquals(before, effective());
        assertEquals(before, inThread(() -> {}));
    }

    @Test
    void shouldLeaveATaskNothingButToReadTheProgram() throws InterruptedException {
        final AtomicLong found = new AtomicLong(-1);
        final Thread thread = new Thread(Capabilities.givingUp(() -> found.set(effective())));
        thread.start();
        thread.join();
        assertEquals(0, found.get() & ~Capabilities.DAC_READ_SEARCH);
    }

    @Test
    void shouldNotGetRightsThatTheThreadHasGivenUp() throws InterruptedException {
        assertEquals(
                0,
                inThread(
                        () -> {
                            Capabilities.keepOnlyIfPossible(0);
                            Capabilities.keepOnlyIfPossible(-1);
                        }));
    }
}
