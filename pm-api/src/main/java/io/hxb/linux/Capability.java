package io.hxb.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The capabilities HXB uses and whether this process has them. Source: capabilities(7). */
public enum Capability {
    /** Larger socket buffers, network namespaces, NIC settings. */
    CAP_NET_ADMIN(12),

    /** Raw links. */
    CAP_NET_RAW(13),

    /** Network namespaces (setns). */
    CAP_SYS_ADMIN(21),

    /** Real-time threads. */
    CAP_SYS_NICE(23),

    /** Relaying in the kernel, with CAP_NET_ADMIN. */
    CAP_BPF(39);

    private static final String EFFECTIVE = "CapEff:";

    private final int bit;

    Capability(final int bit) {
        this.bit = bit;
    }

    /** True if this process may do what the capability allows. Reads a file. */
    public boolean isEffective() {
        try {
            return isIn(Files.readAllLines(Path.of("/proc/self/status")));
        } catch (final IOException e) {
            return false;
        }
    }

    boolean isIn(final List<String> statusLines) {
        for (final String line : statusLines) {
            if (line.startsWith(EFFECTIVE)) {
                final String mask = line.substring(EFFECTIVE.length()).trim();
                return (Long.parseUnsignedLong(mask, 16) >>> bit & 1) == 1;
            }
        }
        return false;
    }
}
