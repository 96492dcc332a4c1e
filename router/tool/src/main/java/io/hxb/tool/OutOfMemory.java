package io.hxb.tool;

import java.util.Locale;

/** Which kind of memory ran out, and what to do, since Java has one error for all. Stateless. */
final class OutOfMemory {
    private OutOfMemory() {}

    /** The message for an error of the JVM or of Netty. */
    static String message(final OutOfMemoryError thrown) {
        final String text = String.valueOf(thrown.getMessage()).toLowerCase(Locale.ROOT);
        if (text.contains("native thread")) {
            return "out of threads: this user or control group may not have more (ulimit -u;"
                    + " pids.max of the control group, TasksMax= of a unit), or there is no memory"
                    + " for their stacks; end other programs, or raise the limit";
        }
        if (text.contains("direct")) {
            return "out of memory outside the heap ("
                    + thrown.getMessage()
                    + "): give more, such as HXB_JAVA_OPTIONS=-XX:MaxDirectMemorySize=1g";
        }
        if (text.contains("metaspace") || text.contains("class space")) {
            return "out of memory for classes ("
                    + thrown.getMessage()
                    + "): take the limit (-XX:MaxMetaspaceSize) out of HXB_JAVA_OPTIONS";
        }
        return "out of memory: this needs more than the heap of "
                + (Runtime.getRuntime().maxMemory() >> 20)
                + " MB; make the problem smaller, or give more, such as HXB_JAVA_OPTIONS=-Xmx"
                + Math.max(1, Runtime.getRuntime().maxMemory() >> 29)
                + "g";
    }
}
