package io.hxb.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;

/**
 * Binds functions of the C library and reports their errno. Stateless except for one errno segment
 * per thread; any thread may call it.
 *
 * <p>Each binding costs milliseconds at start, so callers keep theirs in holder classes that load
 * on first use, as {@code static final} handles called with {@code invokeExact}. A bound function
 * takes the errno segment first: {@code (int) HANDLE.invokeExact(Linux.errnoSegment(), fd)}.
 *
 * <p>A call makes a slice of that segment, 40 bytes on Java's heap, which the second compiler
 * removes if it inlines the whole call. In a large caller it may not, so {@code .mvn/jvm.config}
 * keeps the methods of hot calls compiled alone. Source: jdk.internal.foreign.abi.SharedUtils,
 * checkCaptureSegment, of JDK 25.
 */
public final class Linux {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout CAPTURE = Linker.Option.captureStateLayout();
    private static final long ERRNO_OFFSET =
            CAPTURE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));
    private static final ThreadLocal<MemorySegment> ERRNO =
            ThreadLocal.withInitial(() -> Arena.global().allocate(CAPTURE));

    private Linux() {}

    /**
     * Binds a function that sets errno. Addresses are passed as {@code JAVA_LONG}.
     *
     * @param name symbol in the C library.
     * @param function its arguments without the errno segment.
     */
    public static MethodHandle bind(final String name, final FunctionDescriptor function) {
        return bind(name, function, Linker.Option.captureCallState("errno"));
    }

    /**
     * Binds a variadic function that sets errno, such as ioctl, fcntl (2) or syscall (1).
     *
     * @param firstVariadicArgument index of the first variadic argument.
     */
    public static MethodHandle bindVariadic(
            final String name, final FunctionDescriptor function, final int firstVariadicArgument) {
        return bind(
                name,
                function,
                Linker.Option.captureCallState("errno"),
                Linker.Option.firstVariadicArg(firstVariadicArgument));
    }

    @SuppressWarnings("restricted")
    private static MethodHandle bind(
            final String name, final FunctionDescriptor function, final Linker.Option... options) {
        final MemorySegment symbol =
                LINKER.defaultLookup()
                        .find(name)
                        .orElseThrow(
                                () -> new UnsatisfiedLinkError("the C library has no " + name));
        return LINKER.downcallHandle(symbol, function, options);
    }

    /** This thread's segment in which bound functions leave errno. Hot code keeps it in a field. */
    public static MemorySegment errnoSegment() {
        return ERRNO.get();
    }

    /** A separate segment for the caller, for objects that move between threads. Allocates. */
    public static MemorySegment newErrnoSegment() {
        return Arena.ofAuto().allocate(CAPTURE);
    }

    /** The errno that the last failed call with this segment left. */
    public static int errno(final MemorySegment errnoSegment) {
        return errnoSegment.get(java.lang.foreign.ValueLayout.JAVA_INT, ERRNO_OFFSET);
    }

    /**
     * Throws if a call has failed.
     *
     * @param result what it returned; negative for a failure.
     * @param call the call and its object, for the message.
     * @param errnoSegment the segment that it left its errno in.
     */
    public static void check(final int result, final String call, final MemorySegment errnoSegment)
            throws LinuxException {
        if (result < 0) {
            throw new LinuxException(call, errno(errnoSegment));
        }
    }

    /** Wraps what {@code invokeExact} declares but bound functions never throw. */
    public static IllegalStateException unexpected(final Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        return new IllegalStateException("a bound C function threw", thrown);
    }
}
