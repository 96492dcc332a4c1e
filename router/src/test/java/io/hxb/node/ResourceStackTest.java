package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
}
