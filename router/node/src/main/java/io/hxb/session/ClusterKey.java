package io.hxb.session;

import io.hxb.crypto.Cmac;
import io.hxb.crypto.Hkdf;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The secret that the nodes of a cluster share, and the keys derived from it. Immutable.
 *
 * <p>It never leaves the process; others may only know its id.
 */
public final class ClusterKey {
    /** Bytes of the secret. */
    public static final int LENGTH = 32;

    private static final byte[] NO_SALT = {};

    private final byte[] secret;
    private final int id;

    /**
     * Takes a secret.
     *
     * @param secret {@link #LENGTH} random bytes.
     */
    public ClusterKey(final byte[] secret) {
        if (secret.length != LENGTH) {
            throw new IllegalArgumentException("a key has 32 bytes: " + secret.length);
        }
        this.secret = secret.clone();
        final int hash =
                ByteBuffer.wrap(
                                Hkdf.derive(
                                        this.secret,
                                        NO_SALT,
                                        Hkdf.info("hxb key id"),
                                        Integer.BYTES))
                        .getInt();
        id = hash == 0 ? 1 : hash;
    }

    /** Fingerprint of the key, never 0: distinguishes keys and reveals nothing about the secret. */
    public int id() {
        return id;
    }

    /** The fingerprint as text. */
    public String idText() {
        return text(id);
    }

    /** A fingerprint as text; "none" for 0. */
    public static String text(final int id) {
        return id == 0 ? "none" : String.format("%08x", id);
    }

    /** The key for sealing frames that no session can seal. */
    Cmac clusterMac(final int clusterId) {
        return new Cmac(
                Hkdf.derive(secret, NO_SALT, Hkdf.info("hxb cluster", clusterId), Cmac.KEY_LENGTH));
    }

    /**
     * Derives what a session needs.
     *
     * @param nonces of both nodes, that of the lower node first.
     * @param lengthBytes number of bytes to derive.
     */
    byte[] sessionKeys(
            final int clusterId,
            final int lowNode,
            final int highNode,
            final byte[] nonces,
            final int lengthBytes) {
        return Hkdf.derive(
                secret,
                nonces,
                Hkdf.info("hxb session", clusterId, lowNode, highNode),
                lengthBytes);
    }

    /**
     * Derives what a connection to a host's network manager needs.
     *
     * @param nonces of both sides, that of the program first.
     * @param lengthBytes bytes wanted.
     */
    public byte[] managerKeys(final byte[] nonces, final int lengthBytes) {
        return Hkdf.derive(secret, nonces, Hkdf.info("hxb manager"), lengthBytes);
    }

    /**
     * The key for sealing the frames by which hosts probe paths through plain switches.
     *
     * @param table fingerprint of the table of the network.
     */
    public Cmac probeMac(final long table) {
        return new Cmac(
                Hkdf.derive(secret, NO_SALT, Hkdf.info("hxb probe", table), Cmac.KEY_LENGTH));
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof ClusterKey key
                && java.security.MessageDigest.isEqual(secret, key.secret);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(secret);
    }

    @Override
    public String toString() {
        return "key " + idText();
    }
}
