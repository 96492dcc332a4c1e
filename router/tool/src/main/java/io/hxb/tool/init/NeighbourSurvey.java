package io.hxb.tool.init;

import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What is known of the machines around: their names, their NICs and which NIC hears which. It only
 * grows, up to a limit, because anybody on the cables may add to it. Owned by one thread.
 */
final class NeighbourSurvey {
    /** Limit of machines, of NICs and of sightings. */
    static final int LIMIT = 8192;

    private final SortedMap<String, String> machines = new TreeMap<>();
    private final SortedMap<DiscoveredPort, Nic> nics = new TreeMap<>();
    private final SortedSet<Sighting> sightings = new TreeSet<>();

    /**
     * What a NIC can do. Immutable.
     *
     * @param mtuBytes its MTU.
     * @param speedMbps its speed in Mbit/s, 0 if it is unknown.
     */
    record Nic(int mtuBytes, int speedMbps) {}

    /**
     * A frame of one NIC was heard by another: they are on one cable or switch. Immutable.
     *
     * @param heardBy who heard it.
     * @param sentBy who sent it.
     */
    record Sighting(DiscoveredPort heardBy, DiscoveredPort sentBy) implements Comparable<Sighting> {
        @Override
        public int compareTo(final Sighting other) {
            final int first = heardBy.compareTo(other.heardBy);
            return first != 0 ? first : sentBy.compareTo(other.sentBy);
        }
    }

    /**
     * Notes a machine's name.
     *
     * @return true if that is new.
     */
    boolean addMachine(final String id, final String name) {
        return machines.size() < LIMIT && machines.putIfAbsent(id, name) == null;
    }

    /**
     * Notes a NIC.
     *
     * @return true if that is new.
     */
    boolean addNic(final DiscoveredPort port, final Nic nic) {
        return nics.size() < LIMIT && nics.putIfAbsent(port, nic) == null;
    }

    /**
     * Notes that a NIC was heard.
     *
     * @return true if that is new.
     */
    boolean addSighting(final Sighting sighting) {
        return sightings.size() < LIMIT && sightings.add(sighting);
    }

    /** Name of each machine by its id. */
    SortedMap<String, String> machines() {
        return Collections.unmodifiableSortedMap(machines);
    }

    /** All NICs. */
    SortedMap<DiscoveredPort, Nic> nics() {
        return Collections.unmodifiableSortedMap(nics);
    }

    /** Who heard whom. */
    SortedSet<Sighting> sightings() {
        return Collections.unmodifiableSortedSet(sightings);
    }

    /** Name of a machine, its id if it has sent none. */
    String name(final String machine) {
        return machines.getOrDefault(machine, machine);
    }
}
