package io.hxb.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Memory;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;

/** What a receiver of measured messages reports on request. */
@Tag("unit")
class StreamCountsTest {
    private static final int LENGTH = 100;

    private final Arena arena = Arena.ofAuto();
    private final long address = arena.allocate(LENGTH, 8).address();
    private final long answer = arena.allocate(ServiceProtocol.REPLY_BYTES, 8).address();
    private final long own = ProcessHandle.current().pid();

    private void receive(final StreamCounts counts, final int node, final int number) {
        MessagePattern.write(address, LENGTH, number);
        counts.onMessage(node, 2, address, LENGTH, true);
    }

    private long field(final int index) {
        return Memory.getLong(answer + (long) index * Long.BYTES);
    }

    @Test
    void shouldReportTheOutcomeToEachSource() {
        // given
        final StreamCounts counts = new StreamCounts(own, 0);
        receive(counts, 1, 0);
        receive(counts, 1, 1);
        receive(counts, 1, 1);
        receive(counts, 7, 3);
        Memory.putByte(address + 50, ~Memory.getByte(address + 50));
        counts.onMessage(7, 2, address, LENGTH, true);
        counts.onMessage(7, 2, address, LENGTH, false);
        // when, then
        counts.write(answer, 1, 2, 0);
        assertEquals(3, field(0));
        assertEquals(300, field(1));
        assertEquals(0, field(2));
        assertEquals(1, field(3));
        assertEquals(0, field(5));
        counts.write(answer, 7, 2, 0);
        assertEquals(3, field(0));
        assertEquals(3, field(2), "numbers 0 to 2 are missing");
        assertEquals(1, field(5), "only one of the two was to be compared whole");
        counts.reset(7, 2);
        counts.write(answer, 7, 2, 0);
        assertEquals(0, field(0));
    }

    @Test
    void shouldReportTheCpuTimeOfThoseProcessesThatThereAre() {
        // given
        final StreamCounts ofProgram = new StreamCounts(own, 0);
        final StreamCounts ofNode = new StreamCounts(0, own);
        // when, then
        ofProgram.write(answer, 1, 2, 0);
        assertTrue(field(6) > 0, "this process");
        assertEquals(StreamCounts.UNKNOWN, field(7));
        ofNode.write(answer, 1, 2, 0);
        assertEquals(StreamCounts.UNKNOWN, field(6));
        assertTrue(field(7) > 0, "this process");
    }

    @Test
    void shouldLookAtTheCpuTimeNoMoreOftenThanTheKernelCountsIt() {
        // given: repeated requests must not make the receiver read files all the time
        final StreamCounts counts = new StreamCounts(own, 0);
        counts.write(answer, 1, 2, 0);
        final long first = field(6);
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < 30_000_000) {
            Thread.onSpinWait();
        }
        // when, then
        counts.write(answer, 1, 2, 9_999_999);
        assertEquals(first, field(6));
        counts.write(answer, 1, 2, 10_000_000);
        assertTrue(field(6) > first);
    }

    @Test
    void shouldNotCountMoreSourcesThanItHasRoomFor() {
        final StreamCounts counts = new StreamCounts(0, 0);
        for (int node = 0; node < 4096; node++) {
            receive(counts, node, 0);
        }
        receive(counts, 5000, 0);
        assertNull(counts.of(5000, 2));
        counts.write(answer, 5000, 2, 0);
        assertEquals(0, field(0));
    }
}
