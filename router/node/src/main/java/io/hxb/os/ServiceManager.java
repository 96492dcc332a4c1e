package io.hxb.os;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Linux;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Notifies the service manager (systemd) that this process is ready, alive or ending, by datagrams
 * to the Unix socket that it names. Without a manager nothing happens. Any thread may call it; it
 * never blocks. Source: sd_notify(3), sd_watchdog_enabled(3).
 */
public final class ServiceManager implements AutoCloseable {
    private static final int AF_UNIX = 1;
    private static final int NAME_BYTES = 108;
    private static final int NONE = -1;
    private static final long NS_PER_US = 1_000;

    private final int descriptor;
    private final long watchdogNs;

    private ServiceManager(final int descriptor, final long watchdogNs) {
        this.descriptor = descriptor;
        this.watchdogNs = watchdogNs;
    }

    /**
     * Connects to the manager that the environment names.
     *
     * @param environment with {@code NOTIFY_SOCKET}, a path or, after an @, the name of an abstract
     *     socket; and {@code WATCHDOG_USEC} and {@code WATCHDOG_PID}.
     * @throws LinuxException if the environment names one that does not listen.
     */
    public static ServiceManager of(final Map<String, String> environment) throws LinuxException {
        final String socket = environment.getOrDefault("NOTIFY_SOCKET", "");
        if (!socket.startsWith("/") && !socket.startsWith("@")) {
            return new ServiceManager(NONE, 0);
        }
        final int fd = Sockets.open(AF_UNIX, Sockets.SOCK_DGRAM, 0);
        try {
            connect(fd, socket);
            return new ServiceManager(fd, watchdogNs(environment));
        } catch (final LinuxException e) {
            Descriptors.close(fd);
            throw e;
        }
    }

    private static void connect(final int fd, final String socket) throws LinuxException {
        final byte[] name = socket.getBytes(StandardCharsets.UTF_8);
        if (name.length >= NAME_BYTES) {
            throw new IllegalArgumentException("NOTIFY_SOCKET is too long: " + socket);
        }
        if (name[0] == '@') {
            name[0] = 0;
        }
        final MemorySegment errno = Linux.errnoSegment();
        final int result;
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment address = arena.allocate(2 + NAME_BYTES, 8);
            Memory.putShort(address.address(), AF_UNIX);
            MemorySegment.copy(name, 0, address, ValueLayout.JAVA_BYTE, 2, name.length);
            // The length of an abstract name is that of the address.
            final int length = 2 + name.length + (name[0] == 0 ? 0 : 1);
            result = (int) Calls.CONNECT.invokeExact(errno, fd, address.address(), length);
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
        Linux.check(result, "connect(" + socket + ")", errno);
    }

    private static long watchdogNs(final Map<String, String> environment) {
        final String us = environment.getOrDefault("WATCHDOG_USEC", "");
        final String own = Long.toString(ProcessHandle.current().pid());
        return us.matches("\\d{1,15}") && environment.getOrDefault("WATCHDOG_PID", own).equals(own)
                ? Long.parseLong(us) * NS_PER_US
                : 0;
    }

    /** True if there is a manager. */
    public boolean isPresent() {
        return descriptor != NONE;
    }

    /** Time without {@link #alive} after which the manager restarts the process; 0 for never. */
    public long watchdogNs() {
        return watchdogNs;
    }

    /**
     * The service can be used.
     *
     * @param status a line for people.
     */
    public void ready(final String status) {
        send("READY=1\nSTATUS=" + status.replace('\n', ' '));
    }

    /** The service works. */
    public void alive() {
        send("WATCHDOG=1");
    }

    /** The service ends, which may take a while. */
    public void stopping() {
        send("STOPPING=1");
    }

    // Do not wait for a manager that does not read in time.
    private void send(final String state) {
        if (isPresent()) {
            try (Arena arena = Arena.ofConfined()) {
                final byte[] text = state.getBytes(StandardCharsets.UTF_8);
                final MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_BYTE, text);
                Sockets.send(descriptor, memory.address(), text.length);
            }
        }
    }

    @Override
    public void close() {
        if (isPresent()) {
            Descriptors.close(descriptor);
        }
    }

    private static final class Calls {
        static final MethodHandle CONNECT =
                Linux.bind(
                        "connect",
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_INT));
    }
}
