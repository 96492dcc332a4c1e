package io.hxb.pm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.StringWriter;
import java.lang.foreign.Arena;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Calls every method of the interface on a buffer of ours and on Agrona's, and compares. */
@Tag("property")
class MappedBufferTest {
    private static final int BYTES = 64;
    private static final int ROUNDS = 1_000;
    private static final List<String> TEXTS =
            Arrays.asList(
                    "", "7", "-12", "hello", "0042", "h\u00e9llo \u20ac", "99999999999", null);

    private final Arena arena = Arena.ofAuto();
    private final byte[] first = new byte[BYTES];

    private MutableDirectBuffer ours() {
        final long address = arena.allocate(BYTES, 8).address();
        final MutableDirectBuffer buffer = new MappedBuffer(address, BYTES);
        buffer.putBytes(0, first);
        return buffer;
    }

    private MutableDirectBuffer agronas() {
        return new UnsafeBuffer(first.clone());
    }

    @Test
    void shouldDoWhatAgronasBufferDoes() throws Exception {
        final long seed = Long.getLong("hxb.seed", System.nanoTime());
        final SplittableRandom random = new SplittableRandom(seed);
        final Map<String, Integer> succeeded = new TreeMap<>();
        for (final Method method : methods()) {
            succeeded.put(method.toString(), 0);
            for (int round = 0; round < ROUNDS; round++) {
                fill(random);
                final long roundSeed = random.nextLong();
                final boolean isDone = compare(method, roundSeed, "seed " + seed + " " + method);
                succeeded.merge(method.toString(), isDone ? 1 : 0, Integer::sum);
            }
        }
        succeeded.values().removeIf(count -> count > 0);
        assertEquals(Map.of(), succeeded, "methods that were never compared");
    }

    @Test
    void shouldWriteZeroIntoNoBytesAsAgronasBufferDoes() {
        // given
        final MutableDirectBuffer ours = ours();
        final MutableDirectBuffer agronas = agronas();
        // when
        agronas.putNaturalPaddedIntAscii(3, 0, 0);
        ours.putNaturalPaddedIntAscii(3, 0, 0);
        // then
        assertEquals(agronas.getByte(3), ours.getByte(3));
    }

    private static List<Method> methods() {
        return Arrays.stream(MutableDirectBuffer.class.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .filter(
                        method ->
                                !List.of("wrap", "byteArray", "addressOffset", "compareTo")
                                        .contains(method.getName()))
                .sorted(Comparator.comparing(Method::toString))
                .toList();
    }

    private void fill(final SplittableRandom random) {
        random.nextBytes(first);
        for (int i = 0; i < BYTES; i++) {
            final int kind = random.nextInt(8);
            if (kind > 0) {
                first[i] = (byte) (kind == 1 ? 0 : kind == 2 ? '-' : '0' + random.nextInt(10));
            }
        }
        final int at = random.nextInt(40);
        Arrays.fill(first, at, at + 4, (byte) 0);
        first[at + random.nextInt(2) * 3] = (byte) random.nextInt(12);
    }

    /** True if both did it; both may also refuse. */
    private boolean compare(final Method method, final long seed, final String what)
            throws Exception {
        final MutableDirectBuffer ours = ours();
        final MutableDirectBuffer agronas = agronas();
        final Object[] oneArguments = arguments(method, new SplittableRandom(seed));
        final Object[] otherArguments = arguments(method, new SplittableRandom(seed));
        final String call = what + Arrays.deepToString(oneArguments);
        final Object one = call(method, ours, oneArguments);
        final Object other = call(method, agronas, otherArguments);
        if (other instanceof Throwable expected) {
            assertTrue(one instanceof Throwable, () -> call + " gave " + one + ", not " + other);
            assertEquals(expected.getClass(), one.getClass(), call);
            return false;
        }
        assertEquals(other, one, call);
        final byte[] bytes = new byte[BYTES];
        ours.getBytes(0, bytes);
        assertArrayEquals(agronas.byteArray(), bytes, call);
        for (int i = 0; i < oneArguments.length; i++) {
            assertSame(otherArguments[i], oneArguments[i], call);
        }
        return true;
    }

    private static void assertSame(final Object expected, final Object got, final String call) {
        if (expected instanceof byte[] bytes) {
            assertArrayEquals(bytes, (byte[]) got, call);
        } else if (expected instanceof StringWriter text) {
            assertEquals(text.toString(), got.toString(), call);
        } else {
            assertEquals(expected, got, call);
        }
    }

    private static Object call(
            final Method method, final MutableDirectBuffer buffer, final Object... arguments)
            throws IllegalAccessException {
        try {
            return method.invoke(buffer, arguments);
        } catch (final InvocationTargetException e) {
            return e.getCause();
        }
    }

    private Object[] arguments(final Method method, final SplittableRandom random) {
        final Class<?>[] types = method.getParameterTypes();
        final Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            arguments[i] = argument(types[i], method.getName(), i, random);
        }
        return arguments;
    }

    private Object argument(
            final Class<?> type,
            final String method,
            final int position,
            final SplittableRandom random) {
        if (type == int.class) {
            final boolean isValue = position > 0 && method.endsWith("IntAscii");
            final boolean isBig = isValue && random.nextBoolean() && !method.startsWith("parse");
            final int some =
                    isBig ? random.nextInt() : random.nextInt(8) == 0 ? 70 : random.nextInt(24);
            // Agrona writes nothing for 0 from the end, which helps nobody.
            final int least = method.endsWith("FromEnd") && position == 0 ? 1 : 0;
            return method.contains("Natural") ? Math.abs(some) + least : some;
        }
        if (type == long.class) {
            final long some = random.nextBoolean() ? random.nextLong() : random.nextInt(100);
            return method.contains("Natural") ? some >>> 1 : some;
        }
        if (type == byte[].class) {
            final byte[] bytes = new byte[random.nextInt(24)];
            random.nextBytes(bytes);
            return bytes;
        }
        if (type == ByteBuffer.class) {
            final byte[] bytes = new byte[24];
            random.nextBytes(bytes);
            final ByteBuffer buffer =
                    random.nextBoolean() ? ByteBuffer.allocate(24) : ByteBuffer.allocateDirect(24);
            return buffer.put(bytes).flip();
        }
        if (type == ByteOrder.class) {
            return random.nextBoolean() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        }
        if (type == String.class || type == CharSequence.class) {
            return TEXTS.get(random.nextInt(TEXTS.size()));
        }
        if (type == Appendable.class) {
            return new StringWriter();
        }
        if (type.isAssignableFrom(MutableDirectBuffer.class)) {
            final byte[] bytes = new byte[40];
            random.nextBytes(bytes);
            return random.nextBoolean() ? new UnsafeBuffer(bytes, 3, 30) : copyOf(bytes);
        }
        return primitive(type, random);
    }

    private MutableDirectBuffer copyOf(final byte[] bytes) {
        final ByteBuffer memory = ByteBuffer.allocateDirect(bytes.length);
        final MutableDirectBuffer buffer = new UnsafeBuffer(memory);
        buffer.putBytes(0, bytes);
        return buffer;
    }

    private static Object primitive(final Class<?> type, final SplittableRandom random) {
        return switch (type.getName()) {
            case "byte" -> (byte) random.nextInt();
            case "short" -> (short) random.nextInt();
            case "char" -> (char) random.nextInt();
            case "float" -> Float.intBitsToFloat(random.nextInt() & 0x7F7F_FFFF);
            case "double" -> random.nextDouble();
            default -> throw new AssertionError("an argument of this type: " + type);
        };
    }

    @Test
    void shouldCompareByContent() {
        // given
        first[5] = (byte) 0x90;
        final MutableDirectBuffer one = ours();
        final MutableDirectBuffer same = ours();
        first[5] = 0x10;
        final MutableDirectBuffer smaller = ours();
        // then
        assertEquals(one, same);
        assertEquals(one.hashCode(), same.hashCode());
        assertTrue(one.compareTo(smaller) > 0);
        assertTrue(smaller.compareTo(one) < 0);
        assertEquals(0, one.compareTo(same));
    }

    @Test
    void shouldViewOtherNativeMemoryOnly() {
        // given
        final MutableDirectBuffer one = ours();
        one.putLong(8, 42);
        final MutableDirectBuffer view = new MappedBuffer(0, 0);
        // when, then
        view.wrap(one, 8, 8);
        assertEquals(42, view.getLong(0));
        assertEquals(8, view.capacity());
        view.wrap(ByteBuffer.allocateDirect(32).putLong(16, Long.reverseBytes(7)), 16, 8);
        assertEquals(7, view.getLong(0));
        assertThrows(UnsupportedOperationException.class, () -> view.wrap(new byte[8]));
        assertThrows(UnsupportedOperationException.class, () -> view.wrap(agronas()));
        assertThrows(IndexOutOfBoundsException.class, () -> view.wrap(one, 60, 8));
    }
}
