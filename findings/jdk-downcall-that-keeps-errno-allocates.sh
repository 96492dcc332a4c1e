#!/usr/bin/env bash
# Guess: a downcall of Java's foreign function interface that captures errno allocates nothing, since the caller hands
#   over the segment for it, which is made once; its arguments are plain longs and ints.
# Seen: each call makes a slice of that segment, 40 bytes on the heap. Code of the second compiler has none of it, but only
#   where the whole chain of methods was inlined: so the number depends on the size of the caller and on what else was
#   compiled before. Code of the first compiler and the interpreter always allocate. Without errno nothing is allocated.
# Met by: data paths that make system calls from Java and are to run without collections. A loop that receives and sends
#   was seen to allocate 40 bytes a call for as long as it ran in one of about ten starts of a program. Remedy:
#   -XX:CompileCommand=dontinline for the methods that make the calls, so that each is compiled alone and has room.
# Version: JDK 25 (Temurin 25.0.3); the class is jdk.internal.foreign.abi.SharedUtils, method checkCaptureSegment.
set -euo pipefail
java=${JAVA25_HOME:+$JAVA25_HOME/bin/}java
"$java" -version 2>&1 | grep -q '"25' || { echo "needs a JDK 25 (JAVA25_HOME)" >&2; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/Bytes.java" <<'JAVA'
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.management.ManagementFactory;

public class Bytes {
    static final Linker LINKER = Linker.nativeLinker();
    static final MemorySegment GETPID = LINKER.defaultLookup().find("getpid").orElseThrow();
    static final FunctionDescriptor TYPE = FunctionDescriptor.of(ValueLayout.JAVA_INT);
    static final MethodHandle PLAIN = LINKER.downcallHandle(GETPID, TYPE);
    static final MethodHandle WITH_ERRNO =
            LINKER.downcallHandle(GETPID, TYPE, Linker.Option.captureCallState("errno"));
    static final MemorySegment ERRNO = Arena.global().allocate(Linker.Option.captureStateLayout());

    static int plain(final int calls) throws Throwable {
        int sum = 0;
        for (int i = 0; i < calls; i++) {
            sum += (int) PLAIN.invokeExact();
        }
        return sum;
    }

    static int withErrno(final int calls) throws Throwable {
        int sum = 0;
        for (int i = 0; i < calls; i++) {
            sum += (int) WITH_ERRNO.invokeExact(ERRNO);
        }
        return sum;
    }

    public static void main(final String[] arguments) throws Throwable {
        final var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        final int calls = 100_000;
        int sum = 0;
        for (int i = 0; i < 50; i++) {
            sum += plain(calls) + withErrno(calls);
        }
        final long start = threads.getCurrentThreadAllocatedBytes();
        sum += plain(calls);
        final long middle = threads.getCurrentThreadAllocatedBytes();
        sum += withErrno(calls);
        final long end = threads.getCurrentThreadAllocatedBytes();
        System.out.println((middle - start) / calls + " " + (end - middle) / calls);
        System.exit(sum == 1 ? 1 : 0);
    }
}
JAVA
"${java%java}javac" -d "$folder" "$folder/Bytes.java"
bytes() { "$java" "$@" --enable-native-access=ALL-UNNAMED -cp "$folder" Bytes; }
first=$(bytes -XX:TieredStopAtLevel=1)
second=$(bytes -XX:CompileCommand=quiet '-XX:CompileCommand=dontinline,jdk.internal.foreign.AbstractMemorySegmentImpl::asSlice*')
both=$(bytes)
"$java" -version 2>&1 | sed -n 2p
echo "bytes of a call without and with errno: $first (first compiler), $second (second, a slice not inlined), $both (second)"
[ "$first" = "0 40" ] && [ "$second" = "0 40" ] && [ "$both" = "0 0" ]
