package io.hxb.tool.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Map;

@Tag("unit")
class OrdinaryTcpTest {
    @Test
    void shouldCompareTheVirtualNicWithOneLink() {
        // given
        final OrdinaryTcp limited = new OrdinaryTcp("", 116.04, 62.06, true);
        // when, then
        assertEquals(
                "an ordinary TCP connection over the virtual NIC: 116.0 MB/s over one hop; over one"
                        + " link without HXB: 62.1 MB/s",
                limited.text());
        assertEquals(Map.of("tcp_MBps", 116.0, "tcp_one_link_MBps", 62.1), limited.fields());
    }

    @Test
    void shouldWarnThatLinksWithoutARateAreNoWires() {
        // given
        final OrdinaryTcp unlimited = new OrdinaryTcp("", 200, 300, false);
        // when, then
        assertEquals(
                "an ordinary TCP connection over the virtual NIC: 200.0 MB/s over one hop; over one"
                        + " link without HXB: 300.0 MB/s (without --rate a link is as fast as the"
                        + " machine)",
                unlimited.text());
    }

    @Test
    void shouldNameWhatIsMissingInsteadOfAFigure() {
        // given
        final OrdinaryTcp unmeasured = OrdinaryTcp.unmeasured("the device /dev/net/tun");
        // when, then
        assertEquals(
                "an ordinary TCP connection over the virtual NIC: not measured, because it needs"
                        + " the device /dev/net/tun",
                unmeasured.text());
        assertEquals(Map.of("tcp_missing", "the device /dev/net/tun"), unmeasured.fields());
    }
}
