package io.hxb.tool.init;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
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
    private final SortedMap<String, State> states = new TreeMap<>();
    private long digest;
    private boolean isDigestValid;

    /**
     * What a NIC can do. Immutable.
     *
     * @param mtuBytes its MTU.
     * @param speedMbps its speed in Mbit/s, 0 if it is unknown.
     * @param mac its address as 12 hexadecimal digits.
     */
    record Nic(int mtuBytes, int speedMbps, String mac) {}

    /**
     * What a machine tells of itself. Immutable.
     *
     * @param stampMs when it did, by its own clock; a later state replaces an earlier one.
     * @param digest the {@link NeighbourSurvey#digest} of what it knows.
     * @param hasEnded it only answers, until the others have ended, too.
     */
    record State(long stampMs, long digest, boolean hasEnded) {}

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
        return note(machines.size() < LIMIT && machines.putIfAbsent(id, name) == null);
    }

    /**
     * Notes a NIC.
     *
     * @return true if that is new.
     */
    boolean addNic(final DiscoveredPort port, final Nic nic) {
        return note(nics.size() < LIMIT && nics.putIfAbsent(port, nic) == null);
    }

    /**
     * Notes that a NIC was heard.
     *
     * @return true if that is new.
     */
    boolean addSighting(final Sighting sighting) {
        return note(sightings.size() < LIMIT && sightings.add(sighting));
    }

    private boolean note(final boolean isNew) {
        isDigestValid &= !isNew;
        return isNew;
    }

    /** Notes what a machine tells of itself, unless it has told something later. */
    void addState(final String machine, final State state) {
        final State before = states.get(machine);
        if (before == null ? states.size() < LIMIT : state.stampMs() - before.stampMs() > 0) {
            states.put(machine, state);
        }
    }

    /** What machines have told of themselves, by their ids. */
    SortedMap<String, State> states() {
        return Collections.unmodifiableSortedMap(states);
    }

    /** A number that is the same for two machines that know the same, and differs otherwise. */
    long digest() {
        if (!isDigestValid) {
            final String all = machines + "\n" + nics + "\n" + sightings;
            digest = ByteBuffer.wrap(sha256(all)).getLong();
            isDigestValid = true;
        }
        return digest;
    }

    /** The SHA-256 of a text. */
    static byte[] sha256(final String text) {
        try {
            return MessageDigest.getInstance("SHA-256")
                    .digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (final NoSuchAlgorithmException e) {
            // Every Java has it.
            throw new IllegalStateException(e);
        }
    }

    /** Name of each machine by its id. */
    SortedMap<String, String> machines() {
        return Collections.unmodifiableSortedMap(machines);
    }

    /** All NICs. */
    SortedMap<DiscoveredPort, Nic> nics() {
        return Collections.unmodifiableSortedMap(nics);
    }

    /** Speed of a NIC in Mbit/s, 0 if it is unknown. */
    int speedMbps(final DiscoveredPort port) {
        final Nic nic = nics.get(port);
        return nic == null ? 0 : nic.speedMbps();
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
