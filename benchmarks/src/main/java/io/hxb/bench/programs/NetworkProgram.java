package io.hxb.bench.programs;

import java.util.List;
import java.util.Map;

/** A program of others that uses the network. Stateless. */
interface NetworkProgram {
    /** Names it in tables. */
    String name();

    /** Commands that it consists of, and the package of Debian that has each. */
    Map<String, String> commands();

    /** The command that prints its version in the first line. */
    List<String> versionCommand();

    /** True if it runs on every node, so that none can be killed meanwhile. */
    default boolean usesAllNodes() {
        return false;
    }

    /**
     * Runs it for some time, while faults happen.
     *
     * @param seconds that it is to take, about.
     */
    Outcome run(Site site, double seconds) throws Exception;
}
