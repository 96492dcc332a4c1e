package io.hxb.os;

import io.hxb.linux.Linux;
import io.hxb.linux.Memory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.OptionalInt;

/**
 * The ids of users and groups by their names, as this machine knows them from its files or its
 * directory service. Any thread; may block for as long as that service does. Source: getpwnam(3),
 * passwd is {name@0, password@8, uid@16, gid@20}; getgrnam(3), group is {name@0, password@8,
 * gid@16}.
 */
public final class UserNames {
    private static final int ID_OFFSET = 16;

    private UserNames() {}

    /** The id of a user; empty if there is none of that name. */
    public static OptionalInt uid(final String name) {
        return id(Handles.GETPWNAM, name);
    }

    /** The id of a group; empty if there is none of that name. */
    public static OptionalInt gid(final String name) {
        return id(Handles.GETGRNAM, name);
    }

    // The functions return memory of their own, which the next call overwrites.
    private static synchronized OptionalInt id(final MethodHandle function, final String name) {
        if (name.indexOf('\0') >= 0) {
            return OptionalInt.empty();
        }
        try (Arena arena = Arena.ofConfined()) {
            final long text = arena.allocateFrom(name).address();
            final long entry = (long) function.invokeExact(Linux.errnoSegment(), text);
            return entry == 0
                    ? OptionalInt.empty()
                    : OptionalInt.of(Memory.getInt(entry + ID_OFFSET));
        } catch (final Throwable e) {
            throw Linux.unexpected(e);
        }
    }

    private static final class Handles {
        private static final FunctionDescriptor LOOK_UP =
                FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);
        private static final MethodHandle GETPWNAM = Linux.bind("getpwnam", LOOK_UP);
        private static final MethodHandle GETGRNAM = Linux.bind("getgrnam", LOOK_UP);
    }
}
