package io.hxb.flow.order;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

@Tag("unit")
class OrderingArrayTest {
    private static final int FIRST = -3;
    private final Recorder sink = new Recorder();
    private final OrderingArray<String> array = new OrderingArray<>(8, FIRST);

    @Test
    void shouldDeliverInOrderWhatArrivesOutOfOrderAcrossTheWrap() {
        // given
        for (final int ahead : new int[] {3, 1, 2, 5}) {
            assertEquals(OrderingArray.STORED, put(FIRST + ahead, ahead));
        }
        assertEquals(List.of(), sink.delivered);
        assertEquals(0b101110, array.held(FIRST));
        // when
        put(FIRST, 0);
        put(FIRST + 4, 4);
        // then
        assertEquals(List.of(0, 1, 2, 3, 4, 5), sink.delivered);
        assertEquals(FIRST + 6, array.next());
        assertTrue(array.isEmpty());
    }

    @Test
    void shouldRecogniseADuplicateThatWaitsAndOneThatWasDelivered() {
        // given
        put(FIRST, 0);
        put(FIRST + 2, 2);
        // when, then
        assertEquals(OrderingArray.DUPLICATE, put(FIRST, 10));
        assertEquals(OrderingArray.DUPLICATE, put(FIRST + 2, 12));
        assertEquals(List.of(0), sink.delivered);
        assertEquals(List.of(), sink.discarded);
    }

    @Test
    void shouldRefuseWhatLiesAheadOfTheArray() {
        assertEquals(OrderingArray.OUTSIDE, put(FIRST + 8, 8));
        assertEquals(OrderingArray.STORED, put(FIRST + 7, 7));
    }

    @Test
    void shouldKeepWhatTheSinkRefusesUntilTheNextDrain() {
        // given
        sink.room = 1;
        put(FIRST, 0);
        put(FIRST + 1, 1);
        assertEquals(List.of(0), sink.delivered);
        // when
        sink.room = 5;
        final int frames = array.drain(sink, "flow");
        // then
        assertEquals(1, frames);
        assertEquals(List.of(0, 1), sink.delivered);
    }

    @Test
    void shouldDiscardEverythingOnceEnded() {
        // given
        put(FIRST + 1, 1);
        put(FIRST + 2, 2);
        // when
        array.end();
        array.drain(sink, "flow");
        put(FIRST, 0);
        // then
        assertEquals(List.of(), sink.delivered);
        assertEquals(3, sink.discarded.size());
        assertTrue(sink.ended > 0);
    }

    @Test
    @Tag("property")
    void shouldDeliverEachOnceInOrderWhateverTheOrderOfArrival() {
        for (int seed = 0; seed < 500; seed++) {
            final SplittableRandom random = new SplittableRandom(seed);
            final Recorder recorder = new Recorder();
            final int first = -random.nextInt(100);
            final OrderingArray<String> sorted = new OrderingArray<>(16, first);
            int kept = 0;
            while (recorder.delivered.size() < 200) {
                final int sequence = sorted.next() + random.nextInt(20) - 4;
                final int result = sorted.store(sequence, sequence - first + 100);
                kept += result == OrderingArray.STORED ? 1 : 0;
                sorted.drain(recorder, "flow");
            }
            for (int i = 0; i < recorder.delivered.size(); i++) {
                assertEquals(i + 100, recorder.delivered.get(i), "seed " + seed);
            }
            assertEquals(
                    kept,
                    recorder.delivered.size() + Long.bitCount(sorted.held(sorted.next())),
                    "seed " + seed);
        }
    }

    private int put(final int sequence, final int bufferId) {
        final int result = array.store(sequence, bufferId);
        if (result == OrderingArray.STORED) {
            array.drain(sink, "flow");
        }
        return result;
    }

    private static final class Recorder implements OrderingArray.Sink<String> {
        private final List<Integer> delivered = new ArrayList<>();
        private final List<Integer> discarded = new ArrayList<>();
        private int room = Integer.MAX_VALUE;
        private int ended;

        @Override
        public boolean deliver(final String flow, final int bufferId) {
            if (room == 0) {
                return false;
            }
            room--;
            delivered.add(bufferId);
            return true;
        }

        @Override
        public void discard(final String flow, final int bufferId) {
            discarded.add(bufferId);
        }

        @Override
        public void onEnded(final String flow) {
            ended++;
        }
    }
}
