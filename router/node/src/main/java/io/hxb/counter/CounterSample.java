package io.hxb.counter;

/**
 * One value read from a counter file. Immutable.
 *
 * @param id number of the counter, see {@link CounterType}; the file may know more than we do.
 * @param name export name.
 * @param unit what it counts.
 * @param scope what it is counted for.
 * @param kind whether it only grows.
 * @param instance number of the link, dimension or bucket, or place of the neighbour ({@link
 *     NeighbourPlaces}); 0 for the node's.
 * @param value the sum over all writers.
 */
public record CounterSample(
        int id,
        String name,
        String unit,
        CounterScope scope,
        CounterKind kind,
        int instance,
        long value) {}
