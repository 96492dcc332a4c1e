package io.hxb.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which session a process belongs to. */
@Tag("unit")
class AutogroupTest {
    @Test
    void shouldReadTheSessionAfterANameThatLooksLikeFields() {
        assertEquals(17, Autogroup.session("25 (a) b (c 1 2) S 3 4 17 0 -1 4194560 1"));
    }
}
