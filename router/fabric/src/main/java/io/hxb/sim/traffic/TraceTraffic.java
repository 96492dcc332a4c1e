package io.hxb.sim.traffic;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.TextLines;
import io.hxb.sim.flit.SimulationException;
import io.hxb.sim.flit.TrafficSource;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Messages of a file, {@code cycle source destination flits} in each line. Owned by one run. */
final class TraceTraffic implements TrafficSource {
    private final List<Message> messages;
    private final int packetFlits;
    private int at;

    private record Message(long cycle, int source, int destination, int flits) {}

    private TraceTraffic(final List<Message> messages, final int packetFlits) {
        this.messages = messages;
        this.packetFlits = packetFlits;
    }

    /**
     * Reads a trace; comments start with {@code #}.
     *
     * @throws SimulationException with lines {@code file:line: what is wrong}.
     */
    static TraceTraffic parse(
            final String file, final String text, final int hosts, final int packetFlits) {
        final List<Message> messages = new ArrayList<>();
        try {
            TextLines.read(
                    file,
                    text,
                    (place, raw) -> {
                        final String line = raw.replaceFirst("#.*", "").strip();
                        if (!line.isEmpty()) {
                            messages.add(message(line.split("[\\s,]+", -1), hosts));
                        }
                    });
        } catch (final GraphException e) {
            throw new SimulationException(e.getMessage());
        }
        messages.sort(Comparator.comparingLong(Message::cycle));
        return new TraceTraffic(messages, packetFlits);
    }

    private static Message message(final String[] words, final int hosts) {
        final String problem = problem(words, hosts);
        if (problem != null) {
            throw new GraphException(problem);
        }
        return new Message(
                Long.parseLong(words[0]),
                Integer.parseInt(words[1]),
                Integer.parseInt(words[2]),
                Integer.parseInt(words[3]));
    }

    private static String problem(final String[] words, final int hosts) {
        if (words.length != 4) {
            return "a message is 'cycle source destination flits', not " + words.length + " words";
        }
        for (final String word : words) {
            if (!word.matches("\\d{1,9}")) {
                return TextLines.quote(word) + " is not a number from 0 to 999999999";
            }
        }
        for (int i = 1; i <= 2; i++) {
            if (Integer.parseInt(words[i]) >= hosts) {
                return "there is no host " + words[i] + ", only 0 to " + (hosts - 1);
            }
        }
        return Integer.parseInt(words[3]) == 0 ? "a message has at least one flit" : null;
    }

    @Override
    public long next() {
        return at == messages.size() ? NEVER : messages.get(at).cycle;
    }

    @Override
    public void emit(final long now, final Sink sink) {
        while (at < messages.size() && messages.get(at).cycle <= now) {
            final Message message = messages.get(at++);
            sink.beginMessage((message.flits + packetFlits - 1) / packetFlits);
            for (int left = message.flits; left > 0; left -= packetFlits) {
                sink.offer(message.source, message.destination, Math.min(left, packetFlits));
            }
        }
    }

    @Override
    public int shortestFlits() {
        return messages.stream()
                .mapToInt(m -> m.flits % packetFlits == 0 ? packetFlits : m.flits % packetFlits)
                .min()
                .orElse(packetFlits);
    }

    @Override
    public int maxFlits() {
        return Math.min(packetFlits, messages.stream().mapToInt(Message::flits).max().orElse(1));
    }
}
