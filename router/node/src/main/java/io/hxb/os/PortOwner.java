package io.hxb.os;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The programs that have a port of this machine, in the network namespace of this process.
 * Stateless. Source: proc_pid_net(5), /proc/net/udp and udp6, which has the sockets of both
 * families, such as those of Java, even those that are bound to an IPv4 address, and likewise tcp
 * and tcp6; proc_pid_fd(5).
 */
public final class PortOwner {
    private static final List<Path> UDP =
            List.of(Path.of("/proc/net/udp"), Path.of("/proc/net/udp6"));
    private static final List<Path> TCP =
            List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));

    // Source: include/net/tcp_states.h.
    private static final String TCP_LISTEN = "0A";

    /** How Netty begins what its native library reports. */
    private static final String NATIVE_START = "^\\w+\\(\\.\\.\\) failed with error\\(-?\\d+\\): ";

    private static final String IPV4_IN_IPV6 = "0000000000000000FFFF0000";
    private static final String ANY_IPV4 = "0".repeat(8);
    private static final String ANY_IPV6 = "0".repeat(32);
    private static final Path PROCESSES = Path.of("/proc");
    private static final int ADDRESS_FIELD = 1;
    private static final int STATE_FIELD = 3;
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
        return of(UDP, address, port);
    }

    /** The same of programs that listen on a TCP port. */
    public static String ofTcp(final InetAddress address, final int port) {
        return of(TCP, address, port);
    }

    /**
     * Says why a program cannot listen on a TCP port, for the end of a sentence.
     *
     * @param failure what the attempt threw.
     * @return such as {@code pid 17 (java) listens there}, or what the system said.
     */
    public static String whyNot(final InetSocketAddress address, final Throwable failure) {
        final String reason = String.valueOf(failure.getMessage()).replaceFirst(NATIVE_START, "");
        final String owner =
                address.isUnresolved() || !reason.contains("in use")
                        ? ""
                        : ofTcp(address.getAddress(), address.getPort());
        return owner.isEmpty() ? reason : owner + " listens there";
    }

    private static String of(final List<Path> tables, final InetAddress address, final int port) {
        final Set<String> inodes = new HashSet<>();
        final Set<String> users = new TreeSet<>();
        for (final String line : lines(tables)) {
            final String[] fields = line.strip().split("\\s+", -1);
            if (fields.length > INODE_FIELD
                    && (tables.equals(UDP) || fields[STATE_FIELD].equals(TCP_LISTEN))
                    && isIn(fields[ADDRESS_FIELD], address, port)) {
                inodes.add("socket:[" + fields[INODE_FIELD] + "]");
                users.add(fields[USER_FIELD]);
            }
        }
        if (inodes.isEmpty()) {
            return "";
        }
        final String pids = String.join(", ", processes(inodes));
        return pids.isEmpty() ? "a process of user " + String.join(", ", users) : pids;
    }

    private static List<String> lines(final List<Path> tables) {
        final List<String> lines = new ArrayList<>();
        for (final Path table : tables) {
            try {
                lines.addAll(Files.readAllLines(table, StandardCharsets.US_ASCII));
            } catch (final IOException e) {
                // A kernel without IPv6 has one table only.
            }
        }
        return lines;
    }

    // 0100007F:4E20, the address as an int of this machine has it.
    private static boolean isIn(final String field, final InetAddress address, final int port) {
        final int colon = field.indexOf(':');
        if (!field.matches("([0-9A-F]{8}|[0-9A-F]{32}):[0-9A-F]{4}")
                || !(address instanceof Inet4Address)
                || Integer.parseInt(field.substring(colon + 1), HEX) != port) {
            return false;
        }
        final byte[] bytes = address.getAddress();
        final String wanted =
                String.format("%02X%02X%02X%02X", bytes[3], bytes[2], bytes[1], bytes[0]);
        final String found = field.substring(0, colon).replace(IPV4_IN_IPV6, "");
        return found.equals(wanted)
                || found.equals(ANY_IPV4)
                || found.equals(ANY_IPV6)
                || wanted.equals(ANY_IPV4);
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
