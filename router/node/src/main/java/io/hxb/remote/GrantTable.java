package io.hxb.remote;

import io.hxb.pm.PmException;

import java.security.SecureRandom;
import java.util.Arrays;

/**
 * The keys that one application has given out. Changed by the thread that talks with the
 * application, under its lock; loops look keys up in a table that never changes and is replaced.
 */
public final class GrantTable {
    /** Keys that an application may have at once. */
    public static final int MAX_KEYS = 4_096;

    private static final SecureRandom RANDOM = new SecureRandom();

    /** By key, with open addressing; at most half full. */
    private volatile Grant[] table = new Grant[2];

    private volatile boolean isClosed;
    private int count;

    /** Makes a table without keys. */
    public GrantTable() {
        // Nothing is shared at first.
    }

    /**
     * Shares a region.
     *
     * @return the key, not 0.
     * @throws PmException if there are too many keys.
     */
    public synchronized long add(final LentRegion region, final int rights) throws PmException {
        if (count == MAX_KEYS) {
            throw new PmException("an application has at most " + MAX_KEYS + " keys to regions");
        }
        long key = 0;
        while (key == 0 || find(key) != null) {
            key = RANDOM.nextLong();
        }
        count++;
        final Grant[] changed = rebuilt(table, null, Integer.highestOneBit(count) * 4);
        put(changed, new Grant(region, key, rights));
        table = changed;
        return key;
    }

    /** The grant with a key that somebody has sent, or null. Any thread. */
    Grant find(final long key) {
        final Grant[] seen = table;
        int index = (int) key & seen.length - 1;
        Grant grant = seen[index];
        while (grant != null && grant.key() != key) {
            index = index + 1 & seen.length - 1;
            grant = seen[index];
        }
        return grant;
    }

    /**
     * Revokes a key.
     *
     * @return its grant, which is to be waited for until it is quiet; null if there is none.
     */
    public synchronized Grant revoke(final long key) {
        final Grant grant = find(key);
        if (grant != null) {
            remove(grant);
        }
        return grant;
    }

    /** Revokes all keys to a region, without waiting for anybody. */
    public synchronized void revokeAll(final LentRegion region) {
        for (final Grant grant : table) {
            if (grant != null && grant.region().equals(region)) {
                remove(grant);
            }
        }
    }

    /** The application is gone: its contexts, which are about to close, know no key any more. */
    public void close() {
        isClosed = true;
    }

    /** True if the application is gone. Any thread. */
    boolean isClosed() {
        return isClosed;
    }

    private void remove(final Grant grant) {
        grant.revoke();
        table = rebuilt(table, grant, table.length);
        count--;
    }

    private static Grant[] rebuilt(final Grant[] old, final Grant without, final int length) {
        final Grant[] changed = new Grant[length];
        Arrays.stream(old)
                .filter(grant -> grant != null && grant != without)
                .forEach(grant -> put(changed, grant));
        return changed;
    }

    private static void put(final Grant[] into, final Grant grant) {
        int index = (int) grant.key() & into.length - 1;
        while (into[index] != null) {
            index = index + 1 & into.length - 1;
        }
        into[index] = grant;
    }
}
