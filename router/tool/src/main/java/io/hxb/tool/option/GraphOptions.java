package io.hxb.tool.option;

import io.hxb.fabric.SwitchGraph;
import io.hxb.tool.graph.GraphFile;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Option;

import java.io.IOException;
import java.util.List;
import java.util.Set;

/** Which graph of switches a command works on. Picocli fills it. */
public final class GraphOptions {
    @Option(
            names = "--graph",
            required = true,
            paramLabel = "FILE|WORDS",
            description = {
                "read a file: .edges (lines 'a b': switches by number or name), .yaml "
                        + "(cabling), .dot, .graphml, .json (lldpcli of all systems by name), "
                        + "ibnetdiscover's output, opensm-subnet.lst, BookSim's anynet;",
                "or take words: mesh:4x4 torus:8x8 cube:K,N hypercube:N "
                        + "hyper-crossbar:4x4x2 hyperx:4x4 fat-tree:U,D,M clos:LEAVES,TOPS "
                        + "vbft:LEAVES,TOPS myrinet-clos:N tree:N,ARITY dragonfly:SWITCHES,LINKS "
                        + "full:N ring:N chain:N star:N random:N,DEGREE,SEED"
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

    @Option(
            names = "--host-names",
            paramLabel = "NAME",
            split = ",",
            description =
                    "take these nodes of the file for hosts, whatever they announce (LLDP, "
                            + ".dot, .graphml); all others that announce Bridge or Router are "
                            + "switches then; may be repeated")
    private List<String> hostNames = List.of();

    /** Picocli makes it. */
    public GraphOptions() {}

    /** The file or words. */
    public String graph() {
        return graph;
    }

    /**
     * Reads the graph.
     *
     * @throws UsageException if an option is wrong.
     */
    public SwitchGraph read() throws IOException {
        return GraphFile.read(graph, hostsPerSwitch(), Set.copyOf(hostNames));
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
