package io.hxb.tool.init;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.tool.init.NeighbourSurvey.Nic;
import io.hxb.tool.init.NeighbourSurvey.Sighting;
import io.hxb.tool.init.NeighbourSurvey.State;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;

@Tag("unit")
class AnnouncementTest {
    private static final DiscoveredPort HERE = new DiscoveredPort("00000000000a", "eth9");

    private static NeighbourSurvey many() {
        final NeighbourSurvey known = new NeighbourSurvey();
        for (int i = 0; i < 200; i++) {
            final DiscoveredPort port = new DiscoveredPort("%012x".formatted(i), "enp" + i + "s0");
            known.addMachine(port.machine(), "machine-" + i);
            known.addNic(port, new Nic(9000, 1000, port.machine()));
            known.addSighting(
                    new Sighting(port, new DiscoveredPort("%012x".formatted(i + 1), "eth1")));
        }
        return known;
    }

    @Test
    void shouldAnnounceAllThatIsKnownInFramesThatFit() {
        // given
        final NeighbourSurvey known = many();
        final NeighbourSurvey other = new NeighbourSurvey();
        final DiscoveredPort from = new DiscoveredPort("00000000000b", "eth1");
        // when
        int fresh = 0;
        for (final String text : Announcement.texts(from, known)) {
            assertTrue(
                    text.getBytes(StandardCharsets.UTF_8).length <= Announcement.MAX_TEXT_LENGTH);
            fresh += Announcement.take(text, HERE, other);
        }
        // then
        assertEquals(known.machines(), other.machines());
        assertEquals(known.nics(), other.nics());
        assertEquals(601, fresh);
        assertTrue(other.sightings().contains(new Sighting(HERE, from)));
        assertTrue(other.sightings().containsAll(known.sightings()));
        Announcement.texts(from, known)
                .forEach(text -> assertEquals(0, Announcement.take(text, HERE, other)));
    }

    @Test
    void shouldKeepTheLatestStateOfEachMachine() {
        // given
        final NeighbourSurvey known = many();
        known.addState(HERE.machine(), new State(7, known.digest(), true));
        final NeighbourSurvey other = new NeighbourSurvey();
        other.addState(HERE.machine(), new State(6, 5, false));
        final DiscoveredPort there = new DiscoveredPort("00000000000b", "eth1");
        // when
        for (final String text : Announcement.texts(HERE, known)) {
            Announcement.take(text, there, other);
        }
        Announcement.take(
                "hxb-init 2 00000000000a eth9\nd 00000000000a 6 0000000000000001 0\n",
                there,
                other);
        // then
        assertEquals(new State(7, known.digest(), true), other.states().get(HERE.machine()));
        // and: both know the same once both know who hears whom
        Announcement.texts(there, other).forEach(text -> Announcement.take(text, HERE, known));
        Announcement.texts(HERE, known).forEach(text -> Announcement.take(text, there, other));
        assertEquals(known.digest(), other.digest());
    }

    @Test
    void shouldAddNothingOfATextThatIsWrong() {
        final String head = "hxb-init 2 00000000000b eth1\n";
        for (final String text :
                List.of(
                        "",
                        "hxb-init 1 00000000000b eth1\n",
                        "hxb-init 2 00000000000b\n",
                        "hxb-init 2 zz0000000000 eth1\n",
                        head + "m 00000000000b\n",
                        head + "m 00000000000b pc1\nm 00000000000c ../../etc\n",
                        head + "m 00000000000b pc1 # comment\n",
                        head + "m 00000000000b -rf\n",
                        head + "n 00000000000b eth1 9000\n",
                        head + "n 00000000000b eth1 99999999999999 1\n",
                        head + "n 00000000000b a/b 9000 1000\n",
                        head + "s 00000000000b eth1 00000000000c\n",
                        head + "n 00000000000b eth1 9000 1000\n",
                        head + "d 00000000000b 1 0 0\n",
                        head + "d 00000000000b 1 0000000000000000 2\n",
                        head + "x\n",
                        head + "\n")) {
            final NeighbourSurvey known = new NeighbourSurvey();

            assertEquals(-1, Announcement.take(text, HERE, known), text);
            assertTrue(known.machines().isEmpty() && known.sightings().isEmpty(), text);
        }
    }

    @Test
    void shouldKeepALimitOfWhatStrangersSend() {
        final NeighbourSurvey known = new NeighbourSurvey();
        for (int i = 0; i < 3 * NeighbourSurvey.LIMIT; i++) {
            Announcement.take(
                    "hxb-init 2 %012x eth1\nm %012x pc%d\nn %012x eth1 1 1 %012x\nd %012x 1 %016x 0\n"
                            .formatted(i, i, i, i, i, i, i),
                    HERE,
                    known);
        }

        assertEquals(NeighbourSurvey.LIMIT, known.machines().size());
        assertEquals(NeighbourSurvey.LIMIT, known.nics().size());
        assertEquals(NeighbourSurvey.LIMIT, known.states().size());
        assertEquals(NeighbourSurvey.LIMIT, known.sightings().size());
    }

    @Test
    void shouldSurviveAnyText() {
        final SplittableRandom random = new SplittableRandom(7);
        final String whole = Announcement.texts(HERE, many()).getFirst();
        for (int i = 0; i < 20_000; i++) {
            final StringBuilder text = new StringBuilder(whole);
            for (int change = random.nextInt(4); change >= 0; change--) {
                text.setCharAt(random.nextInt(text.length()), (char) random.nextInt(256));
            }
            final NeighbourSurvey known = new NeighbourSurvey();
            Announcement.take(text.substring(0, random.nextInt(text.length())), HERE, known);
            assertTrue(known.machines().values().stream().allMatch(Announcement::isName));
        }
    }
}
