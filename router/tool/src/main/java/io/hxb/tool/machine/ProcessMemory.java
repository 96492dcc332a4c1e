package io.hxb.tool.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Memory of this process. Stateless. */
public final class ProcessMemory {
    private ProcessMemory() {}

    /** Peak resident memory of the process so far, in 10^6 bytes; 0 if unknown. */
    public static double peakMb() {
        try {
            for (final String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith("VmHWM:")) {
                    return Long.parseLong(line.replaceAll("\\D", "")) * 1024 / 1e6;
                }
            }
        } catch (final IOException e) {
            // Only Linux has this file.
            return 0;
        }
        return 0;
    }
}
