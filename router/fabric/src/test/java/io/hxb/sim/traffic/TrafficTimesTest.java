package io.hxb.sim.traffic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;
import io.hxb.sim.flit.SimulationException;
import io.hxb.sim.flit.TrafficSource;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** When messages are sent, how long they are, and how they are cut into packets. */
@Tag("unit")
class TrafficTimesTest {
    private static final SwitchGraph FOUR =
            new SwitchGraphBuilder().addSwitches(1).addHosts(4).build();

    private record Packet(long cycle, int source, int destination, int flits, int message) {}

    /** Takes every packet and numbers the messages. */
    private static final class Recorder implements TrafficSource.Sink {
        private final List<Packet> packets = new ArrayList<>();
        private long now;
        private int messages;
        private int left;

        @Override
        public boolean offer(final int source, final int destination, final int flits) {
            packets.add(new Packet(now, source, destination, flits, left > 0 ? messages : 0));
            left -= left > 0 ? 1 : 0;
            return true;
        }

        @Override
        public void beginMessage(final int packetCount) {
            assertEquals(0, left, "packets missing of message " + messages);
            messages++;
            left = packetCount;
        }
    }

    private static Recorder record(final TrafficSource traffic, final long cycles) {
        final Recorder recorder = new Recorder();
        while (traffic.next() < cycles) {
            recorder.now = traffic.next();
            traffic.emit(recorder.now, recorder);
        }
        return recorder;
    }

    private static TrafficConfig config(final String messages, final double burst) {
        return new TrafficConfig("host-neighbour", null, false, 16, messages, burst);
    }

    private static List<Packet> of(final Recorder recorder, final int source) {
        return recorder.packets.stream().filter(packet -> packet.source == source).toList();
    }

    private static double load(final Recorder recorder, final long cycles) {
        return recorder.packets.stream().mapToLong(Packet::flits).sum() / (double) cycles / 4;
    }

    @Test
    void shouldSendAtPoissonTimes() {
        // when
        final long cycles = 4_000_000;
        final Recorder recorder = record(config("", 0).source(FOUR, 0.2, 5), cycles);
        // then the load is right, and gaps of 80 cycles on average deviate as much as that
        assertEquals(0.2, load(recorder, cycles), 0.002);
        final List<Packet> own = of(recorder, 2);
        double sum = 0;
        double squares = 0;
        for (int i = 1; i < own.size(); i++) {
            final double gap = own.get(i).cycle - own.get(i - 1).cycle;
            sum += gap;
            squares += gap * gap;
        }
        final double mean = sum / (own.size() - 1);
        final double deviation = Math.sqrt(squares / (own.size() - 1) - mean * mean);
        assertEquals(80, mean, 1.5);
        assertEquals(80, deviation, 3);
        assertEquals(16, own.getFirst().flits);
    }

    @Test
    void shouldSendBurstsAtFullSpeedWithPausesBetweenThem() {
        // given bursts of eight messages on average, a fifth of the time
        final long cycles = 8_000_000;
        // when
        final Recorder recorder = record(config("", 8).source(FOUR, 0.2, 5), cycles);
        // then
        assertEquals(0.2, load(recorder, cycles), 0.01);
        final List<Packet> own = of(recorder, 1);
        int bursts = 1;
        int single = 0;
        int length = 1;
        for (int i = 1; i < own.size(); i++) {
            final long gap = own.get(i).cycle - own.get(i - 1).cycle;
            assertTrue(gap >= 15, "faster than its link: " + gap);
            if (gap > 17) {
                bursts++;
                single += length == 1 ? 1 : 0;
                length = 0;
            }
            length++;
        }
        assertEquals(8, own.size() / (double) bursts, 0.4);
        // and lengths are geometric: an eighth of the bursts has one message
        assertEquals(1.0 / 8, single / (double) bursts, 0.02);
    }

    @Test
    void shouldSendTogetherAtTheMultiplesOfAStep() {
        // given
        final long cycles = 4_000_000;
        final TrafficConfig config = config("", 0).withStep(200);
        // when
        final Recorder recorder = record(config.source(FOUR, 0.2, 5), cycles);
        // then nothing is sent at other times, and the load is right
        for (final Packet packet : recorder.packets) {
            assertEquals(0, packet.cycle % 200, "sent between steps: " + packet);
        }
        assertEquals(0.2, load(recorder, cycles), 0.002);
        // and the messages of a step are as many as Poisson's of 200 cycles: 2.5 of each host
        final List<Packet> own = of(recorder, 2);
        final long silent = cycles / 200 - own.stream().mapToLong(Packet::cycle).distinct().count();
        assertEquals(Math.exp(-2.5), silent / (cycles / 200.0), 0.01);
    }

    @Test
    void shouldRefuseStepsThatNeverEnd() {
        assertThrows(SimulationException.class, () -> config("", 0).withStep(-1));
        assertThrows(SimulationException.class, () -> config("", 0).withStep(1L << 31));
    }

    @Test
    void shouldCutMessagesIntoPacketsAndKeepTheLoad() {
        // given messages of one, two and a half, and three packets
        final long cycles = 4_000_000;
        // when
        final Recorder recorder = record(config("16,40,48", 0).source(FOUR, 0.3, 9), cycles);
        // then
        assertEquals(0.3, load(recorder, cycles), 0.005);
        final int[] messages = new int[3];
        for (int i = 0; i < recorder.packets.size(); ) {
            final Packet first = recorder.packets.get(i);
            int flits = 0;
            int packets = 0;
            while (i < recorder.packets.size()
                    && recorder.packets.get(i).message == first.message) {
                assertEquals(first.cycle, recorder.packets.get(i).cycle);
                assertEquals((first.source + 1) % 4, recorder.packets.get(i).destination);
                flits += recorder.packets.get(i).flits;
                packets++;
                i++;
            }
            assertEquals(flits == 16 ? 1 : 3, packets, "packets of " + flits + " flits");
            messages[(flits - 16) / 16]++;
        }
        final double third = recorder.messages / 3.0;
        for (final int count : messages) {
            assertEquals(third, count, 0.03 * third);
        }
    }

    @Test
    void shouldReplayATraceInOrderOfTime() {
        // given
        final String text =
                """
                # trace of a program
                700 2 0 8
                10 0 3 16   # one packet
                12 3 1 40
                """;
        final TrafficConfig config = new TrafficConfig("own.txt", text, false, 16, "", 0);
        // when
        final TrafficSource traffic = config.source(FOUR, 0.5, 1);
        final Recorder recorder = record(traffic, 100_000);
        // then
        assertEquals(
                List.of(
                        new Packet(10, 0, 3, 16, 1),
                        new Packet(12, 3, 1, 16, 2),
                        new Packet(12, 3, 1, 16, 2),
                        new Packet(12, 3, 1, 8, 2),
                        new Packet(700, 2, 0, 8, 3)),
                recorder.packets);
        assertEquals(TrafficSource.NEVER, traffic.next());
        assertEquals(8, traffic.shortestFlits());
        assertEquals(16, traffic.maxFlits());
    }

    @Test
    void shouldNameEveryBadLineOfATrace() {
        // given
        final TrafficConfig config =
                new TrafficConfig(
                        "own.txt", "# trace\n1 0 4 8\n2 0 1\n3 0 1 0\n4 0 x 8\n", false, 16, "", 0);
        // when
        final SimulationException problem =
                assertThrows(SimulationException.class, () -> config.source(FOUR, 0.5, 1));
        // then
        final String message = problem.getMessage();
        assertTrue(message.contains("own.txt:2: there is no host 4"), message);
        assertTrue(message.contains("own.txt:3: a message is 'cycle source"), message);
        assertTrue(message.contains("own.txt:4: a message has at least one flit"), message);
        assertTrue(message.contains("own.txt:5: 'x' is not a number"), message);
    }
}
