package io.hxb.tool.option;

import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Option;

/** Which graph of switches a command works on. Picocli fills it. */
public final class GraphOptions {
    @Option(
            names = "--graph",
            required = true,
            paramLabel = "FILE|WORDS",
            description = {
                "read a file: .edges (lines 'a b': switches by number or name), .yaml "
                        + "(cabling), .dot, .json (lldpcli of all systems by name);",
                "or take words: mesh:4x4 torus:8x8 cube:K,N hypercube:N "
                        + "hyper-crossbar:4x4x2 hyperx:4x4 fat-tree:U,D,M clos:LEAVES,TOPS "
                        + "vbft:LEAVES,TOPS myrinet-clos:N tree:N,ARITY dragonfly:SWITCHES,LINKS "
                        + "random:N,DEGREE,SEED"
            })
    private String graph;

    @Option(
            names = "--hosts-per-switch",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "connect this many hosts to each switch (each leaf of trees) when the "
                            + "graph names none (default: ${DEFAULT-VALUE})")
    private int hostsPerSwitch;

    /** Picocli makes it. */
    public GraphOptions() {}

    /** The file or words. */
    public String graph() {
        return graph;
    }

    /**
     * Hosts on each switch when the graph names none.
     *
     * @throws UsageException if it is not 0 to 1024.
     */
    public int hostsPerSwitch() {
        if (hostsPerSwitch < 0 || hostsPerSwitch > 1024) {
            throw new UsageException("--hosts-per-switch must be 0..1024: " + hostsPerSwitch);
        }
        return hostsPerSwitch;
    }
}
