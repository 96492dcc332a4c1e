package io.hxb.os;

import io.hxb.linux.Linux;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Distinguishes terminals from files and pipes. Stateless; any thread may call it. */
public final class Terminals {
    private Terminals() {}

    /** True if the descriptor is a terminal. Source: isatty(3). */
    public static boolean isTerminal(final int fd) {
        try {
            return (int) IsTerminal.ISATTY.invokeExact(Linux.errnoSegment(), fd) == 1;
        } catch (final Throwable e) {
            throw Linux.unexpected(e);
        }
    }

    private static final class IsTerminal {
        static final MethodHandle ISATTY =
                Linux.bind(
                        "isatty",
                        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    }
}
