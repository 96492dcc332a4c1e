package io.hxb.node.collective;

import io.hxb.pm.collective.wire.GroupProtocol;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** The arithmetic of allreduces, on little-endian elements. Stateless. */
final class ReductionOperator {
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle DOUBLE =
            MethodHandles.byteArrayViewVarHandle(double[].class, ByteOrder.LITTLE_ENDIAN);

    private ReductionOperator() {}

    /**
     * Combines two rows of elements.
     *
     * @param into first operands, then the results.
     * @param other second operands.
     * @param type of the elements, one that is not BYTE.
     * @param count of the elements.
     */
    static void combine(
            final byte[] into,
            final byte[] other,
            final int function,
            final int type,
            final int count) {
        switch (type) {
            case GroupProtocol.INT32 -> ints(into, other, function, count);
            case GroupProtocol.INT64 -> longs(into, other, function, count);
            default -> doubles(into, other, function, count);
        }
    }

    private static void ints(
            final byte[] into, final byte[] other, final int function, final int count) {
        for (int at = 0; at < count * Integer.BYTES; at += Integer.BYTES) {
            final int one = (int) INT.get(into, at);
            final int two = (int) INT.get(other, at);
            INT.set(into, at, value(function, one, two));
        }
    }

    private static void longs(
            final byte[] into, final byte[] other, final int function, final int count) {
        for (int at = 0; at < count * Long.BYTES; at += Long.BYTES) {
            final long one = (long) LONG.get(into, at);
            final long two = (long) LONG.get(other, at);
            LONG.set(into, at, value(function, one, two));
        }
    }

    private static void doubles(
            final byte[] into, final byte[] other, final int function, final int count) {
        for (int at = 0; at < count * Double.BYTES; at += Double.BYTES) {
            final double one = (double) DOUBLE.get(into, at);
            final double two = (double) DOUBLE.get(other, at);
            DOUBLE.set(into, at, value(function, one, two));
        }
    }

    private static int value(final int function, final int one, final int two) {
        return switch (function) {
            case GroupProtocol.SUM -> one + two;
            case GroupProtocol.MIN -> Math.min(one, two);
            default -> Math.max(one, two);
        };
    }

    private static long value(final int function, final long one, final long two) {
        return switch (function) {
            case GroupProtocol.SUM -> one + two;
            case GroupProtocol.MIN -> Math.min(one, two);
            default -> Math.max(one, two);
        };
    }

    private static double value(final int function, final double one, final double two) {
        return switch (function) {
            case GroupProtocol.SUM -> one + two;
            case GroupProtocol.MIN -> Math.min(one, two);
            default -> Math.max(one, two);
        };
    }
}
