package io.hxb.tool.bugreport;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Takes secrets out of text: the keys that are known, and whatever looks like a key, with a
 * fingerprint in their place, by which two of them can be compared; and values whose name says that
 * they are secret. These have no fingerprint, by which a short one could be guessed. Immutable.
 */
final class Redactor {
    private static final Pattern NAMED =
            Pattern.compile(
                    "(?im)((?:token|secret|pass(?:word|phrase)?|private[-_]?key|api[-_]?key)s?[\"']?"
                        + "\\s*[:=]\\s*)([\"']?)([^\\s\"',}\\]]+)\\2");
    private static final Pattern HEX =
            Pattern.compile("(?<![0-9a-zA-Z])[0-9a-fA-F]{32,}(?![0-9a-zA-Z])");

    /** As long as a key of 32 bytes, of large and small letters and digits. */
    private static final Pattern BASE64 =
            Pattern.compile(
                    "(?<![0-9a-zA-Z+/_-])(?=[a-zA-Z+/_-]*[0-9])(?=[0-9a-z+/_-]*[A-Z])"
                            + "(?=[0-9A-Z+/_-]*[a-z])[0-9a-zA-Z+/_-]{40,}={0,2}");

    private static final int SHOWN_BYTES = 4;
    private static final String LEFT_OUT = "(left out)";

    private final List<String> known = new ArrayList<>();

    /** A redactor that knows these secrets, in addition to what it recognizes. */
    Redactor(final List<byte[]> secrets) {
        for (final byte[] secret : secrets) {
            final String hex = HexFormat.of().formatHex(secret);
            known.add(hex);
            known.add(hex.toUpperCase(Locale.ROOT));
            known.add(Base64.getEncoder().encodeToString(secret));
            known.add(Base64.getUrlEncoder().encodeToString(secret));
            known.add(Base64.getEncoder().withoutPadding().encodeToString(secret));
            known.add(Base64.getUrlEncoder().withoutPadding().encodeToString(secret));
        }
    }

    /** The text without secrets. */
    String redact(final String text) {
        String rest = text;
        for (final String secret : known) {
            rest = rest.replace(secret, mark(secret));
        }
        rest = replace(NAMED, rest, 3);
        rest = replace(HEX, rest, 0);
        return replace(BASE64, rest, 0);
    }

    private static String replace(final Pattern pattern, final String text, final int group) {
        final Matcher matcher = pattern.matcher(text);
        final StringBuilder rest = new StringBuilder();
        int done = 0;
        while (matcher.find()) {
            final String secret = matcher.group(group);
            rest.append(text, done, matcher.start(group));
            if (secret.startsWith("(left")) {
                rest.append(secret);
            } else {
                rest.append(group > 0 ? LEFT_OUT : mark(secret));
            }
            done = matcher.end(group);
        }
        return rest.append(text, done, text.length()).toString();
    }

    private static String mark(final String secret) {
        try {
            final byte[] digest =
                    MessageDigest.getInstance("SHA-256")
                            .digest(secret.getBytes(StandardCharsets.UTF_8));
            return "(left out, fingerprint "
                    + HexFormat.of().formatHex(digest, 0, SHOWN_BYTES)
                    + ")";
        } catch (final NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
