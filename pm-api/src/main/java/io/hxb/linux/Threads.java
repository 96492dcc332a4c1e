package io.hxb.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Sets CPU and priority of the calling thread, which must be a platform thread. Stateless. */
public final class Threads {
    /** The usual time sharing (SCHED_OTHER). */
    public static final int POLICY_OTHER = 0;

    /** Runs before all usual threads until it waits (SCHED_FIFO); needs CAP_SYS_NICE. */
    public static final int POLICY_FIFO = 1;

    private static final int MAX_CPUS = 1024;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private Threads() {}

    /** The kernel's number of this thread. */
    public static int threadId() {
        try {
            return (int) Calls.GETTID.invokeExact(Linux.errnoSegment());
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
    }

    /**
     * Lets this thread run on one CPU only.
     *
     * @param cpu 0 to 1023.
     */
    public static void pin(final int cpu) throws LinuxException {
        if (cpu < 0 || cpu >= MAX_CPUS) {
            throw new IllegalArgumentException("cpu must be 0..1023: " + cpu);
        }
        final MemorySegment errno = Linux.errnoSegment();
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment mask = arena.allocate(MAX_CPUS / 8, 8);
            Memory.putLong(mask.address() + (long) (cpu / Long.SIZE) * Long.BYTES, 1L << cpu);
            final int result =
                    (int) Calls.AFFINITY.invokeExact(errno, 0, mask.byteSize(), mask.address());
            Linux.check(result, "sched_setaffinity(cpu " + cpu + ")", errno);
        } catch (final LinuxException e) {
            throw e;
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
    }

    /**
     * Sets the scheduling policy of this thread.
     *
     * @param policy {@link #POLICY_OTHER} or {@link #POLICY_FIFO}.
     * @param priority 0 for OTHER, 1 to 99 for FIFO.
     */
    public static void schedule(final int policy, final int priority) throws LinuxException {
        final MemorySegment errno = Linux.errnoSegment();
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment parameter = arena.allocate(INT);
            parameter.set(INT, 0, priority);
            final int result =
                    (int) Calls.SCHEDULER.invokeExact(errno, 0, policy, parameter.address());
            Linux.check(
                    result, "sched_setscheduler(" + policy + ", priority " + priority + ")", errno);
        } catch (final LinuxException e) {
            throw e;
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
    }

    /**
     * Sets the nice value of only this thread.
     *
     * @param nice -20 (most time) to 19; less than now needs CAP_SYS_NICE.
     */
    public static void nice(final int nice) throws LinuxException {
        final MemorySegment errno = Linux.errnoSegment();
        final int result;
        try {
            result = (int) Calls.PRIORITY.invokeExact(errno, 0, 0, nice);
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
        Linux.check(result, "setpriority(" + nice + ")", errno);
    }

    private static final class Calls {
        static final MethodHandle GETTID = Linux.bind("gettid", FunctionDescriptor.of(INT));
        static final MethodHandle AFFINITY =
                Linux.bind("sched_setaffinity", FunctionDescriptor.of(INT, INT, LONG, LONG));
        static final MethodHandle SCHEDULER =
                Linux.bind("sched_setscheduler", FunctionDescriptor.of(INT, INT, INT, LONG));
        static final MethodHandle PRIORITY =
                Linux.bind("setpriority", FunctionDescriptor.of(INT, INT, INT, INT));
    }
}
