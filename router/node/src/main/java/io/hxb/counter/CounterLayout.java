package io.hxb.counter;

/**
 * Where things lie in a counter file. Immutable.
 *
 * <pre>
 * offset length meaning (little-endian)
 *      0      8 magic, "HXBCNTR1"
 *      8      4 version of the layout, {@value #VERSION}
 *     12      4 state: 1 running, 2 closed in order
 *     16      8 process id
 *     24      8 time of start, ms since 1970
 *     32      8 heartbeat, ms since 1970
 *     40      8 coordinates
 *     48      4 node id
 *     52      4 cluster id
 *     56      4 links
 *     60      4 dimensions
 *     64      4 writers: loops, and a few more for what belongs to no loop
 *     68      4 counter types
 *     72      4 offset of the descriptions of the counter types, 128 bytes each
 *     76      4 offset of the links, 64 bytes each
 *     80      4 offset of the findings
 *     84      4 offset of the first writer's values
 *     88      4 bytes of one writer's values, a multiple of 128
 *     92      4 length of the file
 *     96    136 cluster's name: length (2), UTF-8
 *    232      4 offset of the shares; 0 in files of earlier releases
 *    236      4 0
 *    240      8 when the process started, clock ticks since boot; 0 if unknown
 *    248      8 number of the pid namespace of the process id; 0 if unknown
 *    256        descriptions: id (2), scope (1), kind (1), first value's index (4),
 *               unit: length (2), UTF-8 (22); export name: length (2), UTF-8 (94)
 *               links: dimension (1), number (1), nodes of its line less 1 if they are
 *               counted one by one, otherwise 0 (1), 0 (1), name: length (2), UTF-8 (54),
 *               difference of the ids of nodes beside each other on its line (4)
 *               findings and shares: a {@link TextArea} each, with a line for each finding; the
 *               number of users and tenants left out and a line for each of the others
 *               values, 8 bytes each, {@code [writers][values]}; a counter's value is the sum over
 *               the writers
 * </pre>
 */
// The file has ids and indexes; ordinals are positions in memory alone.
@SuppressWarnings("EnumOrdinal")
final class CounterLayout {
    static final long MAGIC = 0x3152_544E_4342_5848L;
    static final int VERSION = 1;
    static final int RUNNING = 1;
    static final int CLOSED = 2;

    static final int VERSION_OFFSET = 8,
            STATE_OFFSET = 12,
            PID_OFFSET = 16,
            START_OFFSET = 24,
            HEARTBEAT_OFFSET = 32,
            COORDINATES_OFFSET = 40,
            NODE_OFFSET = 48,
            CLUSTER_OFFSET = 52,
            LINKS_OFFSET = 56,
            DIMENSIONS_OFFSET = 60,
            WRITERS_OFFSET = 64,
            TYPES_OFFSET = 68,
            DESCRIPTIONS_AT_OFFSET = 72,
            LINKS_AT_OFFSET = 76,
            FINDINGS_AT_OFFSET = 80,
            VALUES_AT_OFFSET = 84,
            STRIDE_OFFSET = 88,
            LENGTH_OFFSET = 92,
            NAME_OFFSET = 96,
            SHARES_AT_OFFSET = 232,
            START_TICKS_OFFSET = 240,
            NAMESPACE_OFFSET = 248;

    static final int HEADER_BYTES = 256;
    static final int NAME_BYTES = 136;
    static final int DESCRIPTION_BYTES = 128;
    static final int DESCRIPTION_UNIT_OFFSET = 8;
    static final int DESCRIPTION_NAME_OFFSET = 32;
    static final int UNIT_BYTES = 24;
    static final int EXPORT_NAME_BYTES = 96;
    static final int LINK_BYTES = 64;
    static final int LINK_NAME_OFFSET = 4;
    static final int LINK_NAME_BYTES = 56;
    static final int LINK_LINE_OFFSET = 2;
    static final int LINK_STEP_OFFSET = 60;

    private static final int ALIGNMENT = 128;

    final int writers;
    final int links;
    final int dimensions;
    final NeighbourPlaces places;
    final int linksAt;
    final int findingsAt;
    final int sharesAt;
    final int valuesAt;
    final int stride;
    final int length;
    final int valueCount;
    private final int[] firstIndex = new int[CounterType.values().length];

    CounterLayout(final NeighbourPlaces places, final int dimensions, final int writers) {
        this.places = places;
        links = places.links();
        this.dimensions = dimensions;
        this.writers = writers;
        final int descriptions = CounterType.values().length * DESCRIPTION_BYTES;
        linksAt = HEADER_BYTES + descriptions;
        findingsAt = align(linksAt + links * LINK_BYTES);
        sharesAt = align(findingsAt + TextArea.LENGTH_BYTES);
        valuesAt = align(sharesAt + TextArea.LENGTH_BYTES);
        int values = firstIndex.length;
        for (final CounterType type : CounterType.values()) {
            final boolean isOfNode = type.scope() == CounterScope.NODE;
            firstIndex[type.ordinal()] = isOfNode ? type.ordinal() : values;
            values += isOfNode ? 0 : instances(type.scope());
        }
        valueCount = values;
        // One cache line more than needed, so that two writers' values never share one.
        stride = align(values * Long.BYTES) + ALIGNMENT;
        length = valuesAt + writers * stride;
    }

    int instances(final CounterScope scope) {
        return switch (scope) {
            case NODE -> 1;
            case LINK -> links;
            case DIMENSION -> dimensions;
            case BUCKET -> TimeBuckets.COUNT;
            case NEIGHBOUR -> places.count();
        };
    }

    /**
     * The index of a type's first value. That of a counter of the node is its ordinal, so that
     * counting needs no table; the index of the others' ordinal stays unused.
     */
    int firstIndex(final CounterType type) {
        return firstIndex[type.ordinal()];
    }

    /** The same by ordinal. */
    int[] firstIndexes() {
        return firstIndex.clone();
    }

    /** The index of one value among those of a writer. */
    int index(final CounterType type, final int instance) {
        if (instance < 0 || instance >= instances(type.scope())) {
            throw new IllegalArgumentException(
                    type
                            + ": "
                            + type.scope()
                            + " must be 0.."
                            + (instances(type.scope()) - 1)
                            + ": "
                            + instance);
        }
        return firstIndex[type.ordinal()] + instance;
    }

    /** Offset of a writer's values from the file's start. */
    int writerOffset(final int writer) {
        return valuesAt + writer * stride;
    }

    private static int align(final int offset) {
        return (offset + ALIGNMENT - 1) & -ALIGNMENT;
    }
}
