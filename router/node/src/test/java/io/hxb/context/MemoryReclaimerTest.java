package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.linux.LinuxException;
import io.hxb.os.Capabilities;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

@Tag("unit")
class MemoryReclaimerTest {
    @Test
    void shouldWorkOnAThreadWithoutRights() throws Exception {
        try (MemoryReclaimer memory = new MemoryReclaimer()) {
            // when
            final CompletableFuture<Long> found = new CompletableFuture<>();
            memory.execute(
                    () -> {
                        try {
                            found.complete(Capabilities.effective());
                        } catch (final LinuxException e) {
                            found.completeExceptionally(e);
                        }
                    });
            // then
            final long rights = found.get(10, TimeUnit.SECONDS);
            assertEquals(0, rights & ~Capabilities.DAC_READ_SEARCH);
        }
    }

    @Test
    void shouldDoWhatComesAfterItsEndOnTheThreadThatAsks() {
        // given
        final MemoryReclaimer memory = new MemoryReclaimer();
        memory.close();
        final Thread[] done = new Thread[1];
        // when
        memory.execute(() -> done[0] = Thread.currentThread());
        // then
        assertEquals(Thread.currentThread(), done[0]);
    }
}
