package io.hxb.trunk.discovery;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.testing.RecordingLink;
import io.hxb.trunk.Port;
import io.hxb.trunk.discovery.SharedSegments.Verdict;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class SharedSegmentsTest {
    private static final long OTHER = 1;
    private static final int HELLOS = 10;

    private final Port port = new Port(new RecordingLink(0), 0, 0);
    private final SharedSegments segments = new SharedSegments();

    private Verdict misplaced(final int number, final int times) {
        Verdict verdict = segments.onMisplaced(port, OTHER, number);
        for (int i = 1; i < times; i++) {
            verdict = segments.onMisplaced(port, OTHER, number);
        }
        return verdict;
    }

    @Test
    void shouldFindLinksThatShareASwitch() {
        // given: of several links, so that others come between
        segments.onInPlace(port, OTHER);
        assertEquals(Verdict.UNKNOWN, misplaced(1, 1));
        // when
        Verdict verdict = Verdict.UNKNOWN;
        for (int i = 0; i < HELLOS; i++) {
            segments.onInPlace(port, OTHER);
            for (int number = 1; number < HELLOS; number++) {
                verdict = misplaced(number, 1);
            }
        }
        // then
        assertEquals(Verdict.SHARED, verdict);
    }

    @Test
    void shouldTellACableInTheWrongSwitchFromThem() {
        // when, then
        assertEquals(Verdict.UNKNOWN, misplaced(1, 1));
        assertEquals(Verdict.ALONE, misplaced(1, HELLOS));
        // and: in the right one for a while
        for (int i = 0; i < HELLOS; i++) {
            segments.onInPlace(port, OTHER);
        }
        assertEquals(Verdict.ALONE, misplaced(1, HELLOS));
    }
}
