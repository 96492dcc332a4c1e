package io.hxb.linux;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * A full memory fence in all threads of all processes that have registered for it, which the thread
 * that rarely needs one executes for those that would need one all the time. Stateless; any thread
 * may call it. Source: membarrier(2), MEMBARRIER_CMD_GLOBAL_EXPEDITED.
 *
 * <p>It is for two threads of which each writes a word and then reads that of the other, so that at
 * least one has to see what the other wrote. One of them executes this between the two, and the
 * other needs no fence.
 */
public final class ProcessBarrier {
    private static final int GLOBAL_EXPEDITED = 1 << 1;
    private static final int REGISTER_GLOBAL_EXPEDITED = 1 << 2;

    private ProcessBarrier() {}

    /**
     * True if this process takes part in the fences of others, and {@link #run} works. The first
     * call registers the process.
     */
    public static boolean isRegistered() {
        return Registration.IS_REGISTERED;
    }

    /** Executes the fence; a microsecond. Only if {@link #isRegistered}. */
    public static void run() {
        final long result = Calls.membarrier(GLOBAL_EXPEDITED);
        assert result == 0 : "membarrier worked when the process was registered";
    }

    private static final class Registration {
        static final boolean IS_REGISTERED =
                Calls.membarrier(REGISTER_GLOBAL_EXPEDITED) == 0
                        && Calls.membarrier(GLOBAL_EXPEDITED) == 0;
    }

    private static final class Calls {
        private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
        private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
        private static final MethodHandle SYSCALL =
                Linux.bindVariadic("syscall", FunctionDescriptor.of(LONG, LONG, INT, INT, INT), 1);

        static long membarrier(final int command) {
            try {
                return (long)
                        SYSCALL.invokeExact(
                                Linux.errnoSegment(), SystemCall.MEMBARRIER, command, 0, 0);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }
    }
}
