package io.hxb.tool.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

@Tag("unit")
class LabAdviceTest {
    private static LabSpec spec(final String name, final String shape) {
        return new LabSpec(name, Shape.parse(shape), 2, Backend.UDP, 0, 9000);
    }

    @Test
    void shouldSuggestCommandsForTheNameAndTheDimensionsOfTheLab() {
        assertEquals(
                List.of(
                        "hxb ping --name x 1,0",
                        "hxb stat --name x",
                        "hxb lab exec --name x 0,0 -- ip link",
                        "hxb lab down --name x"),
                LabAdvice.commands(LabState.of(spec("x", "2x2")), "hxb"));
        assertEquals(
                "deploy/hxb ping 1,0,0",
                LabAdvice.commands(LabState.of(spec("lab", "2x2x2")), "deploy/hxb").getFirst());
    }

    @Test
    void shouldReportHowFarALabCameThatWasNotReady() {
        final String text = LabAdvice.notReady(spec("x", "3x3x3"), 90, 13, " \n");
        assertTrue(text.contains("13 of 27 nodes"), text);
        assertTrue(text.contains("nothing was logged"), text);
        assertTrue(text.contains("smaller --shape"), text);
        assertTrue(LabAdvice.notReady(spec("x", "2"), 90, 0, "no room").contains("no room"));
    }

    @Test
    void shouldGiveAReasonForAnOwnerThatEndedWithoutAWord() {
        assertTrue(LabAdvice.ended(137, "").contains("status 137"));
        assertTrue(LabAdvice.ended(1, "hxb: no\n").endsWith(": hxb: no"));
    }
}
