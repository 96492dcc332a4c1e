package io.hxb.bench.harness;

import io.hxb.tool.lab.LabNames;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.machine.Shell;

import java.util.List;

/** IPv4 addresses on the links of a lab of two nodes, one subnet a link. Stateless. */
public final class Subnets {
    private Subnets() {}

    /** Address of a node on a link. */
    public static String address(final int link, final int node) {
        return "10.77." + link + "." + (node + 1);
    }

    /** Gives all NICs their addresses. */
    public static void address(final LabSpec spec) {
        for (int node = 0; node < 2; node++) {
            final StringBuilder script = new StringBuilder();
            for (int link = 0; link < spec.linkCount(); link++) {
                script.append("addr add ").append(address(link, node)).append("/24 dev ");
                script.append(LabNames.nic(0, link)).append('\n');
            }
            ip(spec, node, script.toString());
        }
    }

    /** Runs lines of {@code ip} commands in a node's namespace. */
    public static void ip(final LabSpec spec, final int node, final String script) {
        final String namespace = LabNames.namespace(spec.name(), node);
        Shell.check(script, List.of("ip", "-n", namespace, "-batch", "-"));
    }
}
