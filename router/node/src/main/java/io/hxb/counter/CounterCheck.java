package io.hxb.counter;

import io.hxb.topology.Shape;

import java.nio.ByteBuffer;

/** Checks that everything a counter file names lies inside it and can be. Stateless. */
final class CounterCheck {
    private static final int MAX_THINGS = 1 << 16;

    private CounterCheck() {}

    /** What is wrong with the file; empty when it can be read. */
    static String problem(final ByteBuffer image) {
        if (image.getLong(0) != CounterLayout.MAGIC) {
            return "it does not start with HXBCNTR1";
        }
        if (image.getInt(CounterLayout.VERSION_OFFSET) != CounterLayout.VERSION) {
            return "its layout has version "
                    + image.getInt(CounterLayout.VERSION_OFFSET)
                    + ", not "
                    + CounterLayout.VERSION;
        }
        final int types = image.getInt(CounterLayout.TYPES_OFFSET);
        final int links = image.getInt(CounterLayout.LINKS_OFFSET);
        final int writers = image.getInt(CounterLayout.WRITERS_OFFSET);
        final int stride = image.getInt(CounterLayout.STRIDE_OFFSET);
        final int dimensions = image.getInt(CounterLayout.DIMENSIONS_OFFSET);
        final boolean isInside =
                isInside(image, CounterLayout.LENGTH_OFFSET, 0, 0)
                        && isInside(
                                image,
                                CounterLayout.DESCRIPTIONS_AT_OFFSET,
                                types,
                                CounterLayout.DESCRIPTION_BYTES)
                        && isInside(
                                image,
                                CounterLayout.LINKS_AT_OFFSET,
                                links,
                                CounterLayout.LINK_BYTES)
                        && isInside(
                                image, CounterLayout.FINDINGS_AT_OFFSET, 1, TextArea.LENGTH_BYTES)
                        && (image.getInt(CounterLayout.SHARES_AT_OFFSET) == 0
                                || isInside(
                                        image,
                                        CounterLayout.SHARES_AT_OFFSET,
                                        1,
                                        TextArea.LENGTH_BYTES))
                        && isInside(image, CounterLayout.VALUES_AT_OFFSET, writers, stride);
        if (!isInside || dimensions < 0 || dimensions > 8) {
            return "it is cut short or damaged";
        }
        for (int link = 0; link < links; link++) {
            if (!isLinkValid(image, link)) {
                return "the description of link " + link + " is damaged";
            }
        }
        final int places = CounterHeader.places(image).count();
        final int first = image.getInt(CounterLayout.DESCRIPTIONS_AT_OFFSET);
        for (int type = 0; type < types; type++) {
            final int at = first + type * CounterLayout.DESCRIPTION_BYTES;
            if (!isDescriptionValid(image, at, links, dimensions, places, stride)) {
                return "the description of counter " + type + " is damaged";
            }
        }
        return "";
    }

    // Ids of neighbours are counted in steps.
    private static boolean isLinkValid(final ByteBuffer image, final int link) {
        final int at =
                image.getInt(CounterLayout.LINKS_AT_OFFSET) + link * CounterLayout.LINK_BYTES;
        return image.get(at) >= 0
                && image.get(at) < Shape.MAX_DIMENSIONS
                && (CounterHeader.lineNodes(image, link) == 0
                        || image.getInt(at + CounterLayout.LINK_STEP_OFFSET) > 0);
    }

    private static boolean isDescriptionValid(
            final ByteBuffer image,
            final int at,
            final int links,
            final int dimensions,
            final int places,
            final int stride) {
        final CounterScope scope = CounterScope.ofCode(image.get(at + 2));
        final long index = image.getInt(at + 4);
        final int instances =
                switch (scope) {
                    case NODE -> 1;
                    case LINK -> links;
                    case DIMENSION -> dimensions;
                    case BUCKET -> TimeBuckets.COUNT;
                    case NEIGHBOUR -> places;
                    case null -> 0;
                };
        return scope != null
                && CounterKind.ofCode(image.get(at + 3)) != null
                && index >= 0
                && (index + instances) * Long.BYTES <= stride;
    }

    private static boolean isInside(
            final ByteBuffer image, final int field, final int count, final int each) {
        final long at = image.getInt(field);
        return at >= 0
                && count >= 0
                && count <= MAX_THINGS
                && each >= 0
                && at + (long) count * each <= image.capacity();
    }
}
