package io.hxb.bench.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.frame.DropReason;
import io.hxb.frame.FrameCrc;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameValidator;
import io.hxb.frame.HelloFlyweight;
import io.hxb.linux.Memory;
import io.hxb.routing.DimensionOrder;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.HexFormat;

@Tag("unit")
class RelayedFramesTest {
    private static final Shape SHAPE = Shape.of(2, 2);

    private final RelayedFrames frames = new RelayedFrames(1, 9000);
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private int lengthBytes;

    @Test
    void shouldMakeDataThatTheMiddleNodeRelaysInTheSecondDimension() {
        try (Arena arena = Arena.ofConfined()) {
            // given
            final String hex = frames.data(RelayedFrames.LEFT, RelayedFrames.RIGHT);

            // when
            lay(arena, hex);

            // then
            assertEquals(DropReason.NONE, checkHeader());
            final long middle = SHAPE.parseCoordinates(RelayedFrames.MIDDLE);
            assertEquals(
                    1, DimensionOrder.nextDimension(header.order(), middle, header.destination()));
        }
    }

    @Test
    void shouldMakeHelloFramesThatAreRight() {
        try (Arena arena = Arena.ofConfined()) {
            // given
            final String hex = frames.hello(RelayedFrames.RIGHT, 1, 0);

            // when
            lay(arena, hex);

            // then
            assertEquals(DropReason.NONE, checkHeader());
            assertEquals(
                    DropReason.NONE,
                    FrameValidator.checkEndToEnd(header.address(), SHAPE, new FrameCrc()));
            final HelloFlyweight hello = new HelloFlyweight().wrap(header.bodyAddress());
            assertEquals(frames.cluster().fingerprint(), hello.fingerprint());
            assertEquals(1, hello.dimension());
            assertEquals(9000, hello.mtuBytes());
        }
    }

    private void lay(final Arena arena, final String hex) {
        final byte[] bytes = HexFormat.of().parseHex(hex);
        lengthBytes = bytes.length;
        header.wrap(arena.allocate(lengthBytes, Long.BYTES).address());
        for (int i = 0; i < lengthBytes; i++) {
            Memory.putByte(header.address() + i, bytes[i]);
        }
    }

    private int checkHeader() {
        return FrameValidator.checkHeader(
                header.address(), lengthBytes, frames.cluster().clusterId());
    }
}
