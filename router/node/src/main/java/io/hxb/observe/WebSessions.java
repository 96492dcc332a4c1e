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
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Sessions of browsers. Who can read the secret in the run folder signs a ticket, which the server
 * exchanges once for a cookie. Both consist of a random number, a time of expiry, who may look with
 * it, and a code over them, so that the server need not remember sessions, and one that takes over
 * accepts them. Used by one thread.
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
    private static final int VIEWER_AT = NONCE_BYTES + Long.BYTES;
    private static final int HEAD_BYTES = VIEWER_AT + Integer.BYTES;
    private static final int BYTES = HEAD_BYTES + CODE_BYTES;
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

    /** A ticket for one session of {@code viewer}. */
    public String ticket(final Viewer viewer) {
        return sign(TICKET, TICKET_TIME, viewer.code());
    }

    /** Exchanges a ticket for a cookie; empty if it is wrong, too old, or was used. */
    String session(final String ticket) {
        final long nowMs = clockMs.getAsLong();
        usedUntilMs.values().removeIf(untilMs -> untilMs <= nowMs);
        final Optional<Integer> viewer = viewerCode(TICKET, ticket, TICKET_TIME);
        if (viewer.isEmpty() || usedUntilMs.containsKey(ticket) || usedUntilMs.size() >= MAX_USED) {
            return "";
        }
        usedUntilMs.put(ticket, nowMs + TICKET_TIME.toMillis());
        return sign(SESSION, SESSION_TIME, viewer.get());
    }

    /** Whose session a cookie is; empty if there is none, or it lasts no longer. */
    Optional<Viewer> viewer(final String cookie) {
        return viewerCode(SESSION, cookie, SESSION_TIME).flatMap(Viewer::ofCode);
    }

    private String sign(final String kind, final Duration time, final int viewer) {
        final byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        final byte[] head =
                ByteBuffer.allocate(HEAD_BYTES)
                        .put(nonce)
                        .putLong(clockMs.getAsLong() + time.toMillis())
                        .putInt(viewer)
                        .array();
        final byte[] all = ByteBuffer.allocate(BYTES).put(head).put(code(kind, head)).array();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(all);
    }

    private Optional<Integer> viewerCode(
            final String kind, final String text, final Duration time) {
        final byte[] all;
        try {
            all = Base64.getUrlDecoder().decode(text);
        } catch (final IllegalArgumentException e) {
            return Optional.empty();
        }
        // One text for each: others that decode to the same would be other tickets.
        if (all.length != BYTES
                || !Base64.getUrlEncoder().withoutPadding().encodeToString(all).equals(text)) {
            return Optional.empty();
        }
        final byte[] head = Arrays.copyOf(all, HEAD_BYTES);
        final byte[] code = Arrays.copyOfRange(all, head.length, BYTES);
        final long leftMs = ByteBuffer.wrap(head).getLong(NONCE_BYTES) - clockMs.getAsLong();
        final boolean isValid =
                MessageDigest.isEqual(code, code(kind, head))
                        && leftMs > 0
                        && leftMs <= time.toMillis();
        return isValid ? Optional.of(ByteBuffer.wrap(head).getInt(VIEWER_AT)) : Optional.empty();
    }

    private byte[] code(final String kind, final byte[] head) {
        final byte[] name = kind.getBytes(StandardCharsets.US_ASCII);
        return Secrets.code(
                secret, ByteBuffer.allocate(name.length + head.length).put(name).put(head).array());
    }
}
