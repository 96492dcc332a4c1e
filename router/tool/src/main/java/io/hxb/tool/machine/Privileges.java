package io.hxb.tool.machine;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** What this process may do, read from /proc. Stateless. */
public final class Privileges {
    /** CAP_NET_ADMIN: configure networks. Source: linux/capability.h. */
    public static final int NET_ADMIN = 12;

    /** CAP_NET_RAW: open packet sockets. */
    public static final int NET_RAW = 13;

    /** CAP_IPC_LOCK: lock memory. */
    public static final int IPC_LOCK = 14;

    /** CAP_SYS_ADMIN: enter namespaces. */
    public static final int SYS_ADMIN = 21;

    /** CAP_BPF: with CAP_NET_ADMIN, relay in the kernel. */
    public static final int BPF = 39;

    private Privileges() {}

    /** True for the effective user 0. */
    public static boolean isRoot() {
        final String[] ids = field("Uid:").split("\\s+", -1);
        return ids.length > 1 && ids[1].equals("0");
    }

    /** True when the effective set has the capability. */
    public static boolean has(final int capability) {
        final String mask = field("CapEff:");
        return !mask.isEmpty() && (Long.parseUnsignedLong(mask, 16) >>> capability & 1) == 1;
    }

    /** True when raw labs can be made here. */
    public static boolean canMakeNamespaces() {
        return isRoot() && has(NET_ADMIN) && has(NET_RAW) && has(SYS_ADMIN);
    }

    /**
     * Maximum size of a socket buffer that may be asked for here, in bytes.
     *
     * @param limit {@code rmem_max} or {@code wmem_max}, below /proc/sys/net/core.
     * @param wanted what would be best.
     */
    public static int socketBuffer(final String limit, final int wanted) {
        final long allowed = kernelNumber(Path.of("/proc/sys/net/core", limit));
        return has(NET_ADMIN) || allowed < 0 ? wanted : (int) Math.min(wanted, allowed);
    }

    /** The number in a file of the kernel; -1 when there is none. */
    public static long kernelNumber(final Path file) {
        // Files below /proc/sys give everything to the first read and nothing to later ones.
        final byte[] bytes = new byte[64];
        try (InputStream input = Files.newInputStream(file)) {
            final int count = Math.max(0, input.read(bytes));
            return Long.parseLong(new String(bytes, 0, count, StandardCharsets.US_ASCII).strip());
        } catch (final IOException | NumberFormatException e) {
            return -1;
        }
    }

    private static String field(final String name) {
        try {
            for (final String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith(name)) {
                    return line.substring(name.length()).strip().toLowerCase(Locale.ROOT);
                }
            }
        } catch (final IOException e) {
            // Without /proc nothing is known; the operation itself will report what it lacks.
        }
        return "";
    }
}
