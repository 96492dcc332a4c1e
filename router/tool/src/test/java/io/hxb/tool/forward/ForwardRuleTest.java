package io.hxb.tool.forward;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.pm.stream.HxbSocketAddress;
import io.hxb.tool.option.NodeNames;
import io.hxb.tool.tunnel.Tunnel;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Map;

/** The rules that hxb forward takes. */
@Tag("unit")
class ForwardRuleTest {
    private static final NodeNames NAMES =
            new NodeNames(
                    ClusterConfig.of("lab", Shape.of(2, 2), Backend.UDP, LinkPlan.udp(2, 1, 20_000))
                            .withHosts(Map.of("beta", 1L)));

    private static void assertRule(
            final String text, final String local, final int node, final int port) {
        final ForwardRule rule = ForwardRule.parse(NAMES, text);
        assertEquals(local, Tunnel.text(rule.local()), text);
        assertEquals(new HxbSocketAddress(node, port), rule.target(), text);
    }

    @Test
    void shouldReadPortsWithAndWithoutHost() {
        assertRule("8080:1,1:80", "127.0.0.1:8080", 3, 80);
        assertRule("8080:3:80", "127.0.0.1:8080", 3, 80);
        assertRule("0:beta:80", "127.0.0.1:0", 1, 80);
        assertRule("0.0.0.0:8080:beta.lab.hxb:65535", "0.0.0.0:8080", 1, 65_535);
        assertRule("[::1]:8080:beta:80", "[0:0:0:0:0:0:0:1]:8080", 1, 80);
    }

    @Test
    void shouldStateWhatIsWrong() {
        assertWrong("", "a rule is [HOST:]PORT:NODE:PORT");
        assertWrong("8080", "a rule is [HOST:]PORT:NODE:PORT");
        assertWrong("8080:beta", "a rule is [HOST:]PORT:NODE:PORT");
        assertWrong("8080:beta:http", "a rule is [HOST:]PORT:NODE:PORT");
        assertWrong("8080:gamma:80", "no node of this cluster is called 'gamma'");
        assertWrong("8080:beta:0", "1..65535");
        assertWrong("8080:beta:65536", "1..65535");
        assertWrong("70000:beta:80", "0..65535");
        assertWrong("::1:8080:beta:80", "an address is PORT or HOST:PORT");
    }

    private static void assertWrong(final String text, final String reason) {
        final var thrown =
                assertThrows(
                        IllegalArgumentException.class, () -> ForwardRule.parse(NAMES, text), text);
        assertTrue(thrown.getMessage().contains(reason), thrown::getMessage);
    }
}
