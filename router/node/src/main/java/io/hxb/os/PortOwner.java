package io.hxb.os;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The programs that have a UDP port of this machine, in the network namespace of this process.
 * Stateless. Source: proc_pid_net(5), /proc/net/udp; proc_pid_fd(5).
 */
public final class PortOwner {
    private static final Path TABLE = Path.of("/proc/net/udp");
    private static final Path PROCESSES = Path.of("/proc");
    private static final int ADDRESS_FIELD = 1;
    private static final int USER_FIELD = 7;
    private static final int INODE_FIELD = 9;
    private static final int HEX = 16;

    private PortOwner() {}

    /**
     * Says who has an IPv4 address and port, or one that excludes it.
     *
     * @return such as {@code pid 17 (java)}; {@code a process of user 1000} if this one may not see
     *     more; empty if nobody has it.
     */
    public static String ofUdp(final InetAddress address, final int port) {
        final Set<String> inodes = new HashSet<>();
        final Set<String> users = new TreeSet<>();
        try {
            for (final String line : Files.readAllLines(TABLE, StandardCharsets.US_ASCII)) {
                final String[] fields = line.strip().split("\\s+", -1);
                if (fields.length > INODE_FIELD && isIn(fields[ADDRESS_FIELD], address, port)) {
                    inodes.add("socket:[" + fields[INODE_FIELD] + "]");
                    users.add(fields[USER_FIELD]);
                }
            }
        } catch (final IOException e) {
            return "";
        }
        if (inodes.isEmpty()) {
            return "";
        }
        final String pids = String.join(", ", processes(inodes));
        return pids.isEmpty() ? "a process of user " + String.join(", ", users) : pids;
    }

    // 0100007F:4E20, the address as an int of this machine has it.
    private static boolean isIn(final String field, final InetAddress address, final int port) {
        if (!field.matches("[0-9A-F]{8}:[0-9A-F]{4}") || !(address instanceof Inet4Address)) {
            return false;
        }
        final byte[] bytes = address.getAddress();
        final long wanted =
                (bytes[3] & 0xFFL) << 24
                        | (bytes[2] & 0xFFL) << 16
                        | (bytes[1] & 0xFFL) << 8
                        | bytes[0] & 0xFFL;
        final long found = Long.parseLong(field.substring(0, 8), HEX);
        return Integer.parseInt(field.substring(9), HEX) == port
                && (found == wanted || found == 0 || wanted == 0);
    }

    private static List<String> processes(final Set<String> inodes) {
        try (Stream<Path> folders = Files.list(PROCESSES)) {
            return folders.filter(folder -> folder.getFileName().toString().matches("\\d+"))
                    .filter(folder -> hasOne(folder, inodes))
                    .map(folder -> "pid " + folder.getFileName() + name(folder))
                    .sorted()
                    .toList();
        } catch (final IOException e) {
            return List.of();
        }
    }

    private static boolean hasOne(final Path process, final Set<String> inodes) {
        try (Stream<Path> files = Files.list(process.resolve("fd"))) {
            return files.anyMatch(file -> inodes.contains(target(file)));
        } catch (final IOException e) {
            // It has ended, or belongs to another user.
            return false;
        }
    }

    private static String target(final Path file) {
        try {
            return Files.readSymbolicLink(file).toString();
        } catch (final IOException e) {
            return "";
        }
    }

    private static String name(final Path process) {
        try {
            final String name = Files.readString(process.resolve("comm")).strip();
            // A program chooses its name.
            return " (" + name.replaceAll("[^ -~]", "?") + ")";
        } catch (final IOException e) {
            return "";
        }
    }
}
