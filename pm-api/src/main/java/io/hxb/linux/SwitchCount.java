package io.hxb.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Reads how often the calling thread has lost its CPU. Used by one thread at a time. */
public final class SwitchCount {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    /** RUSAGE_THREAD of linux/resource.h. */
    private static final int THREAD = 1;

    /** struct rusage: two times of 16 bytes and 14 longs, of which ru_nivcsw is the last. */
    private static final int USAGE_BYTES = 144;

    private static final int INVOLUNTARY_OFFSET = 136;

    private final MemorySegment usage = Arena.ofAuto().allocate(USAGE_BYTES, Long.BYTES);

    /** Makes one. */
    public SwitchCount() {}

    /**
     * How often another thread ran instead of the calling one although that could have continued:
     * its slice was over, or it yielded, or the other had priority. Does not allocate.
     *
     * @return the number since the thread started; 0 where the kernel does not report it.
     */
    public long involuntary() {
        final MemorySegment errno = Linux.errnoSegment();
        final int result;
        try {
            result = (int) Calls.USAGE.invokeExact(errno, THREAD, usage.address());
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
        return result == 0 ? usage.get(LONG, INVOLUNTARY_OFFSET) : 0;
    }

    private static final class Calls {
        static final MethodHandle USAGE =
                Linux.bind("getrusage", FunctionDescriptor.of(INT, INT, LONG));
    }
}
