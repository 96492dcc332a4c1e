package io.hxb.sim.flit;

import java.util.Arrays;
import java.util.List;

/** When a packet may leave a switch. */
public enum Switching {
    /** As soon as its header has a lane; flits wait where they are. */
    WORMHOLE("wh"),
    /** As soon as its header has a lane whose buffer has room for the whole packet. */
    CUT_THROUGH("vct"),
    /** When all of it is in the buffer, and the next one has room for the whole packet. */
    STORE_AND_FORWARD("sf");

    private final String word;

    Switching(final String word) {
        this.word = word;
    }

    /** Name on the command line. */
    public String word() {
        return word;
    }

    /** All names. */
    public static List<String> words() {
        return Arrays.stream(values()).map(Switching::word).toList();
    }

    /**
     * The value with a given name.
     *
     * @throws SimulationException listing all names if there is none.
     */
    public static Switching of(final String word) {
        for (final Switching switching : values()) {
            if (switching.word.equals(word)) {
                return switching;
            }
        }
        throw new SimulationException(
                "switching must be " + String.join(", ", words()) + ", not '" + word + "'");
    }
}
