package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hxb.node.loop.LoopStuckException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

@Tag("unit")
class ResourceStackTest {
    private final List<String> closed = new ArrayList<>();
    private final ResourceStack resources = new ResourceStack();

    @Test
    void shouldCloseInReverseOrderAndOnce() {
        // given
        resources.push(() -> closed.add("first"));
        resources.push(() -> closed.add("second"));
        // when
        resources.close();
        resources.close();
        // then
        assertEquals(List.of("second", "first"), closed);
    }

    @Test
    void shouldCloseTheRestWhenOneCannotBeClosed() {
        // given
        resources.push(() -> closed.add("first"));
        resources.push(
                () -> {
                    throw new IllegalStateException("cannot be closed");
                });
        // when
        resources.close();
        // then
        assertEquals(List.of("first"), closed);
    }

    @Test
    void shouldKeepEverythingOpenThatALoopMayUseWhichStillRuns() {
        // given
        resources.push(() -> closed.add("memory"));
        resources.push(
                () -> {
                    throw new LoopStuckException("hxb-loop-0 has not ended");
                });
        resources.push(() -> closed.add("socket"));
        // when
        assertThrows(LoopStuckException.class, resources::close);
        // then also when it is closed again
        assertThrows(LoopStuckException.class, resources::close);
        assertEquals(List.of("socket"), closed);
    }
}
