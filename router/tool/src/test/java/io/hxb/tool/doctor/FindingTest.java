package io.hxb.tool.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.hxb.counter.NodeFinding;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class FindingTest {
    @Test
    void shouldTakeTheFixOutOfWhatANodeReports() {
        final Finding finding =
                Finding.ofNode(
                        "node 0",
                        NodeFinding.of(
                                NodeFinding.Kind.LINK_DOWN,
                                "link x.0 (eth1) is down: set it up and check its cable"));
        assertEquals("link x.0 (eth1) is down", finding.text());
        assertEquals("set it up and check its cable", finding.fix());
    }

    @Test
    void shouldHaveAFixForWhatAnOlderNodeReports() {
        assertFalse(
                Finding.ofNode("node 0", NodeFinding.of(NodeFinding.Kind.OTHER, "something else"))
                        .fix()
                        .isEmpty());
    }

    @Test
    void shouldTakeTheFixOutOfAProblemOfTheClusterFile() {
        final Finding finding =
                Finding.failed("configuration", "a.yaml:3: is not YAML here; correct the line");
        assertEquals("a.yaml:3: is not YAML here", finding.text());
        assertEquals("correct the line", finding.fix());
        assertFalse(Finding.failed("configuration", "a.yaml:3: must be 1").fix().isEmpty());
    }
}
