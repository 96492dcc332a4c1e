package io.hxb.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The CPUs of this machine. Stateless. */
public final class Cpus {
    private static final Path LIST = Path.of("/sys/devices/system/cpu/online");
    private static final int MAX_CPUS = 1 << 16;
    private static final int ONLINE = read();

    private Cpus() {}

    /**
     * CPUs of the machine that were online when this program started, 1 or more, including those
     * that this process may not use, because applications may.
     */
    public static int online() {
        return ONLINE;
    }

    private static int read() {
        try {
            final int count = count(Files.readString(LIST).strip());
            return count > 0 ? count : Runtime.getRuntime().availableProcessors();
        } catch (final IOException e) {
            return Runtime.getRuntime().availableProcessors();
        }
    }

    /** How many a list such as {@code 0-3,8,10-11} has; 0 if it is not a list. */
    static int count(final String list) {
        int count = 0;
        for (final String range : list.split(",", -1)) {
            if (!range.matches("\\d{1,6}(-\\d{1,6})?")) {
                return 0;
            }
            final String[] ends = range.split("-", -1);
            final int first = Integer.parseInt(ends[0]);
            final int last = Integer.parseInt(ends[ends.length - 1]);
            if (last < first || count > MAX_CPUS) {
                return 0;
            }
            count += last - first + 1;
        }
        return count;
    }
}
