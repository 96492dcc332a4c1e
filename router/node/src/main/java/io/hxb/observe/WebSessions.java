package io.hxb.observe;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Sessions of browsers. Who can read the secret in the run folder signs a ticket, which the server
 * exchanges once for a cookie. Both consist of a random number, a time of expiry and a code over
 * them, so that the server need not remember sessions, and one that takes over accepts them. Used
 * by one thread.
 */
public final class WebSessions {
    /** How long a ticket can be exchanged. */
    public static final Duration TICKET_TIME = Duration.ofSeconds(60);

    /** How long a session lasts. */
    public static final Duration SESSION_TIME = Duration.ofHours(12);

    /** Bytes of the secret. */
    public static final int SECRET_BYTES = 32;

    /** Tickets that are remembered as used until they expire; more are refused. */
    static final int MAX_USED = 256;

    private static final int NONCE_BYTES = 16;
    private static final int CODE_BYTES = 32;
    private static final int BYTES = NONCE_BYTES + Long.BYTES + CODE_BYTES;
    private static final String TICKET = "ticket";
    private static final String SESSION = "session";

    private final byte[] secret;
    private final LongSupplier clockMs;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, Long> usedUntilMs = new LinkedHashMap<>();

    /**
     * With a secret.
     *
     * @param clockMs ms since 1970.
     */
    public WebSessions(final byte[] secret, final LongSupplier clockMs) {
        this.secret = secret.clone();
        this.clockMs = clockMs;
    }

    /** Cookies belong to a host whatever its port, so the name has the port. */
    static String cookieName(final int port) {
        return "hxb-" + port;
    }

    /** A ticket for one session. */
    public String ticket() {
        return sign(TICKET, TICKET_TIME);
    }

    /** Exchanges a ticket for a cookie; empty if it is wrong, too old, or was used. */
    String session(final String ticket) {
        final long nowMs = clockMs.getAsLong();
        usedUntilMs.values().removeIf(untilMs -> untilMs <= nowMs);
        if (!isValid(TICKET, ticket, TICKET_TIME)
                || usedUntilMs.containsKey(ticket)
                || usedUntilMs.size() >= MAX_USED) {
            return "";
        }
        usedUntilMs.put(ticket, nowMs + TICKET_TIME.toMillis());
        return sign(SESSION, SESSION_TIME);
    }

    /** True if a cookie is one of a session that lasts. */
    boolean isSession(final String cookie) {
        return isValid(SESSION, cookie, SESSION_TIME);
    }

    private String sign(final String kind, final Duration time) {
        final byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        final byte[] head =
                ByteBuffer.allocate(NONCE_BYTES + Long.BYTES)
                        .put(nonce)
                        .putLong(clockMs.getAsLong() + time.toMillis())
                        .array();
        final byte[] all = ByteBuffer.allocate(BYTES).put(head).put(code(kind, head)).array();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(all);
    }

    private boolean isValid(final String kind, final String text, final Duration time) {
        final byte[] all;
        try {
            all = Base64.getUrlDecoder().decode(text);
        } catch (final IllegalArgumentException e) {
            return false;
        }
        // One text for each: others that decode to the same would be other tickets.
        if (all.length != BYTES
                || !Base64.getUrlEncoder().withoutPadding().encodeToString(all).equals(text)) {
            return false;
        }
        final byte[] head = Arrays.copyOf(all, NONCE_BYTES + Long.BYTES);
        final byte[] code = Arrays.copyOfRange(all, head.length, BYTES);
        final long leftMs = ByteBuffer.wrap(head).getLong(NONCE_BYTES) - clockMs.getAsLong();
        return MessageDigest.isEqual(code, code(kind, head))
                && leftMs > 0
                && leftMs <= time.toMillis();
    }

    private byte[] code(final String kind, final byte[] head) {
        final byte[] name = kind.getBytes(StandardCharsets.US_ASCII);
        return Secrets.code(
                secret, ByteBuffer.allocate(name.length + head.length).put(name).put(head).array());
    }
}
