package io.hxb.session;

import io.hxb.crypto.Cmac;
import io.hxb.crypto.Gcm;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The keys of a session: for each direction one of codes and one of the cipher. Immutable.
 *
 * @param id by which both ends name the session; not 0.
 * @param up keys of frames from the lower node to the other.
 * @param down keys of frames from there to the lower node.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record SessionKeys(int id, byte[] up, byte[] down) {
    private static final int MAC_BYTES = Cmac.KEY_LENGTH;
    private static final int ID_BYTES = Integer.BYTES;
    private static final int DIRECTION_BYTES = MAC_BYTES + Gcm.KEY_LENGTH;

    /** Derives them. */
    static SessionKeys derive(
            final ClusterKey key, final int clusterId, final SessionOrigin origin) {
        final byte[] nonces =
                ByteBuffer.allocate(4 * Long.BYTES)
                        .putLong(origin.lowNonce().low())
                        .putLong(origin.lowNonce().high())
                        .putLong(origin.highNonce().low())
                        .putLong(origin.highNonce().high())
                        .array();
        final byte[] keys =
                key.sessionKeys(
                        clusterId,
                        origin.low(),
                        origin.high(),
                        nonces,
                        ID_BYTES + 2 * DIRECTION_BYTES);
        final int name = ByteBuffer.wrap(keys).getInt();
        return new SessionKeys(
                name == 0 ? 1 : name,
                Arrays.copyOfRange(keys, ID_BYTES, ID_BYTES + DIRECTION_BYTES),
                Arrays.copyOfRange(keys, ID_BYTES + DIRECTION_BYTES, keys.length));
    }

    /** The key of codes among those of a direction. */
    static byte[] macKey(final byte[] direction) {
        return Arrays.copyOf(direction, MAC_BYTES);
    }

    /** The key of the cipher among those of a direction. */
    static byte[] cipherKey(final byte[] direction) {
        return Arrays.copyOfRange(direction, MAC_BYTES, DIRECTION_BYTES);
    }
}
