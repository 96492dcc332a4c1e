package io.hxb.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The name of this machine. Stateless; any thread may call it. */
public final class HostName {
    private static final Path FILE = Path.of("/proc/sys/kernel/hostname");

    private HostName() {}

    /**
     * The name as the kernel has it, which need not be in DNS. Source: hostname(7),
     * proc_sys_kernel(5).
     *
     * @return {@code localhost} if the kernel does not know.
     */
    public static String ofThisMachine() {
        try {
            return Files.readString(FILE).strip();
        } catch (final IOException e) {
            return "localhost";
        }
    }
}
