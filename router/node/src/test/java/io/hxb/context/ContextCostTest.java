package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterType;
import io.hxb.linux.Memory;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.testing.Allocations;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class ContextCostTest {
    private static final int MESSAGES = 1_000_000;
    private static final int BATCH = 32;

    private final PmMessage message = new PmMessage();

    private void exchange(final PmDevice device, final PmContext context, final int count) {
        for (int done = 0; done < count; done += BATCH) {
            for (int i = 0; i < BATCH; i++) {
                final int slot = context.claim(0, 1, 32);
                Memory.putLong(context.sendAddress(slot), done + i);
                context.send(slot, 32, i);
            }
            device.poll();
            for (int i = 0; i < BATCH; i++) {
                assertEquals(PmStatus.OK, context.receive(message));
                assertEquals(done + i, Memory.getLong(message.address()));
                context.release(message);
            }
            device.poll();
        }
    }

    @Test
    void shouldAllocateNothingForAMillionMessages() throws Exception {
        try (TestNode node = new TestNode();
                PmDevice device = node.invoked();
                PmContext context = device.openContext(1)) {
            // given
            exchange(device, context, MESSAGES);
            final long startNs = System.nanoTime();
            // when, then
            final int rounds = Allocations.awaitNone(() -> exchange(device, context, MESSAGES));
            final double ns = (System.nanoTime() - startNs) / (double) rounds / MESSAGES;
            System.out.printf("%.0f ns a message, both sides and a copying loopback%n", ns);
            assertTrue(
                    node.loop.counters().value(CounterType.CONTEXT_SENT_MESSAGES) >= 2 * MESSAGES);
        }
    }
}
