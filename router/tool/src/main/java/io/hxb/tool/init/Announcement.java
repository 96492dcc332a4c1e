package io.hxb.tool.init;

import io.hxb.tool.init.NeighbourSurvey.Nic;
import io.hxb.tool.init.NeighbourSurvey.Sighting;
import io.hxb.tool.init.NeighbourSurvey.State;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What {@code hxb init} sends on every NIC: the sender, and all it knows of the neighbourhood, so
 * that machines learn of those that they have no cable to. Stateless.
 *
 * <p>A frame to the broadcast address with the OUI extended EtherType, for local use:
 *
 * <pre>
 * offset length meaning (network byte order)
 *      0     14 Ethernet header, EtherType {@value #ETHER_TYPE}
 *     14      3 OUI, {@value #OUI}
 *     17      2 protocol, {@value #PROTOCOL}
 *     19      2 length of the text
 *     21        text in UTF-8, at most {@value #MAX_TEXT_LENGTH} bytes, lines of words
 *
 * hxb-init 2 ID NIC      who sends this frame, and by which NIC
 * m ID NAME              a machine
 * n ID NIC MTU SPEED MAC a NIC of a machine, SPEED in Mbit/s or 0
 * s ID NIC ID NIC        the first NIC has heard the second
 * d ID MS DIGEST END     what a machine knew MS after 1970, as a hexadecimal number; END is 1 if it
 *                        has ended and only answers
 * </pre>
 *
 * Source: IEEE 802-2014, 9.2.4 (OUI extended EtherType).
 */
final class Announcement {
    /** OUI extended EtherType. */
    static final int ETHER_TYPE = 0x88B7;

    /** Locally administered. */
    static final int OUI = 0x024858;

    /** The only protocol below that OUI. */
    static final int PROTOCOL = 1;

    /** Bytes before the text, the Ethernet header included. */
    static final int HEADER_LENGTH = 21;

    /** Fits into the smallest usual MTU of 1,500 bytes. */
    static final int MAX_TEXT_LENGTH = 1400;

    private static final String FIRST_WORDS = "hxb-init 2";
    private static final Pattern ID = Pattern.compile("[0-9a-f]{12}");
    private static final Pattern NIC = Pattern.compile("[^\\s/\\p{Cntrl}]{1,15}");
    private static final Pattern NAME =
            Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?");

    private Announcement() {}

    /** True if a machine may be called so; others would not be believed. */
    static boolean isName(final String name) {
        return NAME.matcher(name).matches();
    }

    /**
     * All that is known, in as many texts as it takes.
     *
     * @param from the NIC that will send them.
     */
    static List<String> texts(final DiscoveredPort from, final NeighbourSurvey known) {
        final List<String> lines = new ArrayList<>();
        known.machines().forEach((id, name) -> lines.add("m " + id + " " + name));
        known.nics()
                .forEach(
                        (port, nic) ->
                                lines.add(
                                        "n "
                                                + words(port)
                                                + " "
                                                + nic.mtuBytes()
                                                + " "
                                                + nic.speedMbps()
                                                + " "
                                                + nic.mac()));
        for (final Sighting sighting : known.sightings()) {
            lines.add("s " + words(sighting.heardBy()) + " " + words(sighting.sentBy()));
        }
        known.states().forEach((id, state) -> lines.add(line(id, state)));
        final String first = FIRST_WORDS + " " + words(from) + "\n";
        final List<String> texts = new ArrayList<>();
        StringBuilder text = new StringBuilder(first);
        for (final String line : lines) {
            if (bytes(text) + bytes(line) + 1 > MAX_TEXT_LENGTH) {
                texts.add(text.toString());
                text = new StringBuilder(first);
            }
            text.append(line).append('\n');
        }
        texts.add(text.toString());
        return texts;
    }

    private static String line(final String id, final State state) {
        return "d %s %d %016x %d"
                .formatted(id, state.stampMs(), state.digest(), state.hasEnded() ? 1 : 0);
    }

    private static int bytes(final CharSequence text) {
        return text.toString().getBytes(StandardCharsets.UTF_8).length;
    }

    private static String words(final DiscoveredPort port) {
        return port.machine() + " " + port.nic();
    }

    /**
     * Adds the contents of a text, and that its sender was heard.
     *
     * @param heardBy the NIC that received it.
     * @return what of it is new, or -1 if the text is not of {@code hxb init}; then nothing was
     *     added.
     */
    static int take(final String text, final DiscoveredPort heardBy, final NeighbourSurvey known) {
        final List<String> lines = text.lines().toList();
        final String[] first = lines.isEmpty() ? new String[0] : lines.getFirst().split(" ", -1);
        if (first.length != 4
                || !lines.getFirst().startsWith(FIRST_WORDS + " ")
                || !isPort(first[2], first[3])
                || !lines.stream().skip(1).allMatch(line -> isLine(line.split(" ", -1)))) {
            return -1;
        }
        int fresh = 0;
        if (!first[2].equals(heardBy.machine()) || !first[3].equals(heardBy.nic())) {
            final Sighting heard = new Sighting(heardBy, new DiscoveredPort(first[2], first[3]));
            fresh += known.addSighting(heard) ? 1 : 0;
        }
        for (final String line : lines.subList(1, lines.size())) {
            fresh += add(line.split(" ", -1), known) ? 1 : 0;
        }
        return fresh;
    }

    private static boolean isLine(final String[] words) {
        return switch (words[0]) {
            case "m" ->
                    words.length == 3
                            && ID.matcher(words[1]).matches()
                            && NAME.matcher(words[2]).matches();
            case "n" ->
                    words.length == 6
                            && isPort(words[1], words[2])
                            && words[3].matches("\\d{1,5}")
                            && words[4].matches("\\d{1,7}")
                            && ID.matcher(words[5]).matches();
            case "s" ->
                    words.length == 5 && isPort(words[1], words[2]) && isPort(words[3], words[4]);
            case "d" ->
                    words.length == 5
                            && ID.matcher(words[1]).matches()
                            && words[2].matches("\\d{1,15}")
                            && words[3].matches("[0-9a-f]{16}")
                            && words[4].matches("[01]");
            default -> false;
        };
    }

    private static boolean isPort(final String id, final String nic) {
        return ID.matcher(id).matches() && NIC.matcher(nic).matches();
    }

    private static boolean add(final String[] words, final NeighbourSurvey known) {
        return switch (words[0]) {
            case "m" -> known.addMachine(words[1], words[2]);
            case "n" ->
                    known.addNic(
                            new DiscoveredPort(words[1], words[2]),
                            new Nic(
                                    Integer.parseInt(words[3]),
                                    Integer.parseInt(words[4]),
                                    words[5]));
            case "d" -> {
                known.addState(
                        words[1],
                        new State(
                                Long.parseLong(words[2]),
                                Long.parseUnsignedLong(words[3], 16),
                                words[4].equals("1")));
                // Nobody learns from it of a machine, a NIC or a cable.
                yield false;
            }
            default ->
                    known.addSighting(
                            new Sighting(
                                    new DiscoveredPort(words[1], words[2]),
                                    new DiscoveredPort(words[3], words[4])));
        };
    }
}
