package io.hxb.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.longs;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Random;

@Tag("property")
class ShapeTest {
    private static Shape random(final Random random) {
        final int[] extents = new int[1 + random.nextInt(Shape.MAX_DIMENSIONS)];
        int most = Shape.MAX_NODES;
        for (int i = 0; i < extents.length; i++) {
            extents[i] = 1 + random.nextInt(Math.min(most, Shape.MAX_EXTENT));
            most /= extents[i];
        }
        return Shape.of(extents);
    }

    @Test
    void shouldGiveEveryNodeCoordinatesOfItsOwnAndBack() {
        qt().withExamples(1_000)
                .forAll(longs().all())
                .checkAssert(
                        seed -> {
                            // given
                            final Random random = new Random(seed);
                            final Shape shape = random(random);
                            final int node = random.nextInt(shape.nodeCount());
                            // when
                            final long coordinates = shape.coordinates(node);
                            // then
                            assertEquals(node, shape.node(coordinates));
                            assertEquals(
                                    coordinates, shape.parseCoordinates(shape.format(coordinates)));
                            assertEquals(shape, Shape.parse(shape.toString()));
                        });
    }

    @Test
    void shouldFindExactlyTheVectorsInsideOfTheShape() {
        qt().withExamples(5_000)
                .forAll(longs().all(), longs().all())
                .checkAssert(
                        (seed, noise) -> {
                            // given
                            final Shape shape = random(new Random(seed));
                            final long vector = noise & new Random(seed + 1).nextLong();
                            // when
                            final int node = shape.node(vector);
                            // then
                            boolean isInside = true;
                            for (int dimension = 0; dimension < 8; dimension++) {
                                final int limit =
                                        dimension < shape.dimensions()
                                                ? shape.extent(dimension)
                                                : 1;
                                isInside &= Shape.coordinate(vector, dimension) < limit;
                            }
                            assertEquals(isInside, node >= 0);
                            assertTrue(!isInside || shape.coordinates(node) == vector);
                        });
    }

    @Test
    void shouldReplaceOneCoordinateOnly() {
        qt().withExamples(2_000)
                .forAll(longs().all(), longs().between(0, 7), longs().between(0, 255))
                .checkAssert(
                        (vector, dimension, value) -> {
                            // when
                            final long changed =
                                    Shape.withCoordinate(
                                            vector, dimension.intValue(), value.intValue());
                            // then
                            for (int other = 0; other < 8; other++) {
                                assertEquals(
                                        other == dimension
                                                ? value
                                                : Shape.coordinate(vector, other),
                                        Shape.coordinate(changed, other));
                            }
                            assertTrue(Shape.distance(vector, changed) <= 1);
                        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "3x | written like 3x3x3",
                "3X3 | written like",
                "'' | written like",
                "0x2 | 1 to 256 coordinates, not 0",
                "257 | not 257",
                "1x1x1x1x1x1x1x1x1 | 1 to 8 dimensions, not 9",
                "128x128x128 | at most 2^20 nodes",
                "99999x1 | written like",
            })
    void shouldReportWhatIsWrongWithAShape(final String text, final String part) {
        final IllegalArgumentException thrown =
                assertThrows(IllegalArgumentException.class, () -> Shape.parse(text));
        assertTrue(thrown.getMessage().contains(part), thrown.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"'1,0'", "'1,0,0,0'", "'2,0,0'", "'1;0;0'", "''", "'-1,0,0'", "'1,0,9999'"})
    void shouldRefuseCoordinatesOutsideOfTheShape(final String text) {
        final Shape shape = Shape.of(2, 3, 4);
        assertThrows(IllegalArgumentException.class, () -> shape.parseCoordinates(text));
    }

    @Test
    void shouldTakeTheShapeOfPacsCsAndTheLargest() {
        assertEquals(2560, Shape.parse("16x16x10").nodeCount());
        assertEquals(Shape.MAX_NODES, Shape.parse("128x128x64").nodeCount());
        assertEquals(0xFF, Shape.of(256).coordinates(255));
        assertThrows(IllegalArgumentException.class, () -> Shape.of(2, 2).coordinates(4));
        assertThrows(IllegalArgumentException.class, () -> Shape.of(2, 2).coordinates(-1));
        assertNotEquals(Shape.of(2, 3), Shape.of(3, 2));
    }
}
