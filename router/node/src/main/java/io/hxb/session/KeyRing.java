package io.hxb.session;

import java.util.List;

/**
 * The keys of a cluster that a node has: the first begins sessions, all are accepted. Immutable.
 *
 * @param keys none, one or two.
 */
public record KeyRing(List<ClusterKey> keys) {
    /** Maximum number of keys: the old one and the new one. */
    public static final int MAX_KEYS = 2;

    /** No key: frames are not sealed. */
    public static final KeyRing NONE = new KeyRing(List.of());

    /** Checks and copies the list. */
    public KeyRing {
        keys = List.copyOf(keys);
        if (keys.size() > MAX_KEYS) {
            throw new IllegalArgumentException("at most two keys at once: " + keys.size());
        }
    }

    /** The ring of those keys. */
    public static KeyRing of(final ClusterKey... keys) {
        return new KeyRing(List.of(keys));
    }

    /** True if there is none. */
    public boolean isEmpty() {
        return keys.isEmpty();
    }

    /** Id of a key, 0 if there are fewer keys. */
    public int id(final int index) {
        return index < keys.size() ? keys.get(index).id() : 0;
    }

    /** Position of the key with that id, -1 if there is none. */
    int indexOf(final int id) {
        for (int i = 0; i < keys.size(); i++) {
            if (keys.get(i).id() == id) {
                return i;
            }
        }
        return -1;
    }
}
