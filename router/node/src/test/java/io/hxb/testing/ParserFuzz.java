package io.hxb.testing;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Gives a parser texts that are damaged, nested, repeated and random: it has to take them or to
 * refuse them by its own exceptions, within memory in proportion to the text. Used by one thread.
 */
public final class ParserFuzz {
    private static final int MAX_TEXT = 6_000;
    private static final long FIXED_BYTES = 48L << 20;
    private static final long BYTES_PER_CHARACTER = 64 << 10;
    private static final String SIGNS = "{}[]()<>\"'\\:;,.=-+#*&!|%@`~^_/$0123456789 axX\n\r\t\0";
    private static final String[] NUMBERS = {
        "0", "-1", "99999999999999999999", "999999999", "2147483648", "1e999", "NaN", "0x", "65537"
    };

    private final Set<Class<? extends Throwable>> own;
    private final Random random;
    private final long seed;

    /**
     * Makes one with a seed that its messages name.
     *
     * @param own what the parser throws.
     */
    public ParserFuzz(final long seed, final Set<Class<? extends Throwable>> own) {
        this.own = own;
        this.seed = seed;
        random = new Random(seed);
    }

    /** Gives it {@code count} texts made from samples. */
    public void damage(final List<String> samples, final int count, final Consumer<String> parser) {
        for (int i = 0; i < count; i++) {
            final StringBuilder text = new StringBuilder(samples.get(i % samples.size()));
            for (int change = random.nextInt(6); change >= 0; change--) {
                change(text, samples);
            }
            check(text.toString(), parser);
        }
    }

    /** Gives it one text. */
    public void check(final String text, final Consumer<String> parser) {
        final long before = allocatedBytes();
        try {
            parser.accept(text);
        } catch (final Throwable e) {
            if (own.stream().noneMatch(type -> type.isInstance(e))) {
                throw new AssertionError("seed " + seed + ", text " + shown(text), e);
            }
            assertTrue(e.getMessage() != null, () -> "no message for " + shown(text));
        }
        final long bytes = allocatedBytes() - before;
        assertTrue(
                bytes <= FIXED_BYTES + BYTES_PER_CHARACTER * text.length(),
                () -> bytes + " bytes, seed " + seed + ", text " + shown(text));
    }

    private void change(final StringBuilder text, final List<String> samples) {
        final int length = Math.max(1, text.length());
        final int at = random.nextInt(length);
        final int to = Math.min(text.length(), at + random.nextInt(40));
        switch (random.nextInt(8)) {
            case 0 -> text.delete(Math.min(at, to), to);
            case 1 -> text.insert(Math.min(at, text.length()), sign());
            case 2 -> text.insert(Math.min(at, text.length()), signs(random.nextInt(60)));
            case 3 -> repeat(text, Math.min(at, to), to);
            case 4 -> replaceNumber(text, at);
            case 5 -> text.setLength(Math.min(at, text.length()));
            case 6 -> splice(text, samples.get(random.nextInt(samples.size())), at);
            default -> text.replace(Math.min(at, to), to, signs(random.nextInt(8)));
        }
        text.setLength(Math.min(text.length(), MAX_TEXT));
    }

    private char sign() {
        final int choice = random.nextInt(20);
        return choice == 0
                ? (char) random.nextInt(0x1_0000)
                : SIGNS.charAt(random.nextInt(SIGNS.length()));
    }

    private String signs(final int count) {
        if (random.nextBoolean()) {
            return Character.toString(sign()).repeat(count);
        }
        final char[] signs = new char[count];
        for (int i = 0; i < count; i++) {
            signs[i] = sign();
        }
        return new String(signs);
    }

    private void repeat(final StringBuilder text, final int from, final int to) {
        text.insert(to, text.substring(from, to).repeat(random.nextInt(100)));
    }

    private void replaceNumber(final StringBuilder text, final int from) {
        int start = from;
        while (start < text.length() && !Character.isDigit(text.charAt(start))) {
            start++;
        }
        int end = start;
        while (end < text.length() && Character.isDigit(text.charAt(end))) {
            end++;
        }
        text.replace(Math.min(start, text.length()), end, NUMBERS[random.nextInt(NUMBERS.length)]);
    }

    private void splice(final StringBuilder text, final String other, final int at) {
        final int from = random.nextInt(other.length() + 1);
        final int to = Math.min(other.length(), from + random.nextInt(400));
        text.insert(Math.min(at, text.length()), other, from, to);
    }

    private static String shown(final String text) {
        final String start = text.substring(0, Math.min(text.length(), 2_000));
        return start
                + " "
                + Arrays.toString(start.getBytes(StandardCharsets.UTF_8)).substring(0, 40);
    }

    private static long allocatedBytes() {
        final var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        return threads.getCurrentThreadAllocatedBytes();
    }
}
