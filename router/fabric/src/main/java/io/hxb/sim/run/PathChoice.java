package io.hxb.sim.run;

import io.hxb.fabric.route.PathSelection;
import io.hxb.sim.flit.SimulationException;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Which of the shortest permitted paths packets take. */
public enum PathChoice {
    /** All where the algorithm leaves a choice, otherwise the one that it has for each pair. */
    AUTO(null),
    /** All: the output selection function decides at every switch. */
    ADAPTIVE(null),
    /** One for each pair, the smallest ports first. */
    LOW_PORT(PathSelection.LOW_PORT),
    /** One for each pair, at random. */
    RANDOM(PathSelection.RANDOM),
    /** One for each pair by Sancho's thinning of virtual channels. */
    SANCHO(PathSelection.SANCHO),
    /** One for each pair by thinning of physical channels first. */
    HIGH_PHYSICAL(PathSelection.HIGH_PHYSICAL),
    /** One for each host of the destination, by channels that the fewest pairs of hosts use. */
    BALANCED(PathSelection.BALANCED);

    private final PathSelection selection;

    PathChoice(final PathSelection selection) {
        this.selection = selection;
    }

    /** The fabric's selection; the smallest ports where a routing has stored paths anyway. */
    PathSelection selection() {
        return selection == null ? PathSelection.LOW_PORT : selection;
    }

    /** Name on the command line. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** All names. */
    public static List<String> words() {
        return Arrays.stream(values()).map(PathChoice::word).toList();
    }

    /**
     * The choice with a given name.
     *
     * @throws SimulationException listing all names if there is none.
     */
    public static PathChoice of(final String word) {
        for (final PathChoice choice : values()) {
            if (choice.word().equals(word)) {
                return choice;
            }
        }
        throw new SimulationException(
                "paths must be " + String.join(", ", words()) + ", not '" + word + "'");
    }
}
