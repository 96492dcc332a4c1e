package io.hxb.tool.lab.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.generate.GraphSpec;
import io.hxb.observe.live.Urgency;
import io.hxb.tool.lab.LabCabling;
import io.hxb.tool.lab.LabHealth;
import io.hxb.tool.lab.LabState;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What {@code hxb lab status} prints for people. */
@Tag("unit")
class LabStatusTextTest {
    private static LabState lab(final String name, final String network, final long rateBps) {
        return new LabState(
                name, "2x2", 2, "raw", rateBps, 9000, null, null, null, null, null, network, 4711,
                0, List.of(), true);
    }

    @Test
    void shouldShowAllLabsAndWhatIsWrongAtOneLook() {
        // given
        final LabHealth.Problem link =
                new LabHealth.Problem(Urgency.LESS, "link (0,0) x.1 weak", "doctor");
        final LabHealth.Problem node =
                new LabHealth.Problem(Urgency.DEAD, "node (1,1) is dead", "events");
        final Map<String, LabHealth> health = new TreeMap<>();
        health.put("a", new LabHealth(4, 4, 15, 16, List.of(link)));
        health.put("lab", new LabHealth(3, 4, 12, 16, List.of(node)));
        // when
        final String text =
                LabStatusCommand.text(
                        List.of(
                                lab("a", "", 1_000_000_000),
                                lab("lab", "", 0),
                                lab("old", "", 0),
                                lab("s", "ring:4", 0)),
                        List.of("old"),
                        health,
                        "hxb");
        // then
        assertEquals(
                """
                lab  state  running  links good   shape  links each   backend   rate   mtu  owner
                a    ready      4/4       15/16     2x2           2       raw  1gbit  9000   4711
                lab  ready      3/4       12/16     2x2           2       raw   none  9000   4711
                old  stale        -           -     2x2           2       raw   none  9000   4711
                s    ready        4           -  ring:4           2  switches   none  9000   4711
                old: its process has ended, its files or namespaces are left: hxb lab down --stale
                lab: node (1,1) is dead: hxb events
                a: link (0,0) x.1 weak: hxb doctor --name a
                """,
                text);
    }

    @Test
    void shouldSayThatAllIsWellAndLimitWhatIsNot() {
        final List<LabState> labs = List.of(lab("lab", "", 0));
        final LabHealth.Problem one = new LabHealth.Problem(Urgency.STOPPED, "it", "doctor");
        final LabHealth well = new LabHealth(4, 4, 16, 16, List.of());
        final LabHealth bad = new LabHealth(4, 4, 0, 16, Collections.nCopies(13, one));

        assertEquals(
                "no lab is up\n", LabStatusCommand.text(List.of(), List.of(), Map.of(), "hxb"));
        assertTrue(
                LabStatusCommand.text(labs, List.of(), Map.of("lab", well), "hxb")
                        .endsWith("\nnothing needs attention\n"));
        final String text = LabStatusCommand.text(labs, List.of(), Map.of("lab", bad), "hxb");
        assertTrue(text.endsWith("\nand 3 more: hxb doctor\n"), text);
        assertEquals(2 + 10 + 1, text.lines().count());
    }

    @Test
    void shouldShowTheCablesOfALab() {
        // given
        final LabState lab = cabled("lab", "star:5");
        final LabState large = cabled("large", "random:60,3,1");
        // when
        final String text = LabStatusCommand.text(List.of(lab, large), List.of(), Map.of(), "hxb");
        // then
        assertTrue(
                text.startsWith(
                        """
                        lab    state  running  links good          shape  links each  backend  rate\
                           mtu  owner
                        lab    ready        -           -         star:5         1-4      raw  none\
                          9000   4711
                        large  ready        -           -  random:60,3,1           3      raw  none\
                          9000   4711
                        lab: cables 0.x0 - 1.x0, 0.x1 - 2.x0, 0.x2 - 3.x0, 0.x3 - 4.x0
                        large: cables\
                        """),
                text);
        assertTrue(text.contains("\nlarge: and 26 more cables, see --json\n"), text);
    }

    private static LabState cabled(final String name, final String words) {
        return new LabState(
                name,
                "any",
                4,
                "raw",
                0,
                9000,
                null,
                null,
                null,
                null,
                LabCabling.of(words, GraphSpec.parse(words, 0), 1),
                null,
                4711,
                0,
                List.of(),
                true);
    }
}
