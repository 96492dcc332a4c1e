package io.hxb.tap;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Linux;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.Sockets;
import io.hxb.os.nic.NicInfo;
import io.hxb.os.nic.NicRequest;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * A NIC of this machine whose cable is this process: what the machine sends there is read, what is
 * written comes in there. Each frame has a {@link VirtioHeader} before it, so that the machine's
 * large TCP and UDP packets stay whole and checksums are made by who needs them. It exists until it
 * is closed or the process ends, however it ends. Settings are for one thread, and so is reading
 * and writing; it may be another. Source: linux/if_tun.h.
 */
public final class TapDevice implements AutoCloseable {
    /** Bytes of the largest super-packet with its headers, {@link VirtioHeader} included. */
    public static final int MAX_FRAME_LENGTH = VirtioHeader.LENGTH + 18 + 65_535;

    private static final String CLONE = "/dev/net/tun";
    private static final int O_RDWR_NONBLOCK_CLOEXEC = 02 | 04000 | 02000000;
    private static final long TUNSETIFF = 0x4004_54CAL;
    private static final long TUNSETOFFLOAD = 0x4004_54D0L;
    private static final long TUNSETVNETHDRSZ = 0x4004_54D8L;
    private static final int IFF_TAP = 0x2;
    private static final int IFF_NO_PI = 0x1000;
    private static final int IFF_VNET_HDR = 0x4000;

    // Else a persistent device of that name would be taken over, and stay.
    private static final int IFF_TUN_EXCL = 0x8000;

    // TUN_F_CSUM, _TSO4, _TSO6, _TSO_ECN; _USO4 and _USO6 since Linux 6.2.
    private static final long OFFLOAD_TCP = 1 | 2 | 4 | 8;
    private static final long OFFLOAD_UDP = 0x20 | 0x40;

    private static final int SIOCGIFFLAGS = 0x8913;
    private static final int SIOCSIFFLAGS = 0x8914;
    private static final int SIOCSIFMTU = 0x8922;
    private static final int SIOCSIFHWADDR = 0x8924;
    private static final int ARPHRD_ETHER = 1;
    private static final int IFF_UP = 1;
    private static final int IFREQ_LENGTH = 40;
    private static final int IFREQ_FLAGS_OFFSET = 16;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private final String name;
    private final int descriptor;
    private final int ifindex;
    private final boolean hasUdpOffload;

    private TapDevice(
            final String name,
            final int descriptor,
            final int ifindex,
            final boolean hasUdpOffload) {
        this.name = name;
        this.descriptor = descriptor;
        this.ifindex = ifindex;
        this.hasUdpOffload = hasUdpOffload;
    }

    /**
     * Makes a device in this thread's network namespace; it is not up.
     *
     * @param name of 1 to 15 bytes that no NIC has.
     * @throws LinuxException ENOENT or ENODEV if the machine has no TAP devices, EACCES or EPERM
     *     without root or CAP_NET_ADMIN, EBUSY if there is a NIC of that name.
     */
    public static TapDevice open(final String name) throws LinuxException {
        return open(name, IFF_TUN_EXCL, "making");
    }

    /**
     * Takes a persistent device over that somebody has made in this thread's network namespace. It
     * stays when this is closed.
     *
     * @throws LinuxException EINVAL if the NIC of that name is no TAP device with one queue, EBUSY
     *     if another process has it, EPERM if it is for another user.
     */
    public static TapDevice attach(final String name) throws LinuxException {
        return open(name, 0, "taking over");
    }

    private static TapDevice open(final String name, final int flags, final String verb)
            throws LinuxException {
        final int fd = openClone();
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment errno = Linux.errnoSegment();
            final MemorySegment request = arena.allocate(IFREQ_LENGTH, 8);
            request.setString(0, name);
            Memory.putShort(
                    request.address() + IFREQ_FLAGS_OFFSET,
                    IFF_TAP | IFF_NO_PI | IFF_VNET_HDR | flags);
            control(fd, TUNSETIFF, request.address(), verb + " the TAP device " + name);
            final MemorySegment length = arena.allocate(INT);
            length.set(INT, 0, VirtioHeader.LENGTH);
            control(fd, TUNSETVNETHDRSZ, length.address(), "ioctl(TUNSETVNETHDRSZ)");
            final boolean hasUdp =
                    Sockets.ioctl(errno, fd, TUNSETOFFLOAD, OFFLOAD_TCP | OFFLOAD_UDP) >= 0;
            if (!hasUdp) {
                control(fd, TUNSETOFFLOAD, OFFLOAD_TCP, "ioctl(TUNSETOFFLOAD)");
            }
            return new TapDevice(name, fd, NicInfo.read(name).ifindex(), hasUdp);
        } catch (final LinuxException e) {
            Descriptors.close(fd);
            throw e;
        }
    }

    private static int openClone() throws LinuxException {
        final MemorySegment errno = Linux.errnoSegment();
        final int fd;
        try (Arena arena = Arena.ofConfined()) {
            final long path = arena.allocateFrom(CLONE).address();
            fd = (int) Calls.OPEN.invokeExact(errno, path, O_RDWR_NONBLOCK_CLOEXEC);
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
        Linux.check(fd, "open(" + CLONE + ")", errno);
        return fd;
    }

    private static void control(
            final int fd, final long request, final long argument, final String what)
            throws LinuxException {
        final int result = Sockets.ioctl(Linux.errnoSegment(), fd, request, argument);
        if (result < 0) {
            throw new LinuxException(what, -result);
        }
    }

    /** Its name. */
    public String name() {
        return name;
    }

    /** Its number in its network namespace. */
    public int ifindex() {
        return ifindex;
    }

    /** True if the kernel gives and takes super-packets of UDP: Linux 6.2 and later. */
    public boolean hasUdpOffload() {
        return hasUdpOffload;
    }

    /** What to wait for until there is something to read. */
    public int descriptor() {
        return descriptor;
    }

    /**
     * Gives it an address.
     *
     * @param mac first byte highest.
     */
    public void setMac(final long mac) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment request = arena.allocate(IFREQ_LENGTH, 8);
            request.setString(0, name);
            final long value = request.address() + IFREQ_FLAGS_OFFSET;
            Memory.putShort(value, ARPHRD_ETHER);
            Memory.putLong(value + 2, Long.reverseBytes(mac) >>> Short.SIZE);
            // The device itself takes it without CAP_NET_ADMIN.
            control(descriptor, SIOCSIFHWADDR, request.address(), "setting the MAC of " + name);
        }
    }

    /** Sets how many bytes its frames carry after their header. */
    public void setMtu(final int mtuBytes) throws LinuxException {
        set(SIOCSIFMTU, value -> Memory.putInt(value, mtuBytes));
    }

    /** Sets it up; then it can be used. */
    public void up() throws LinuxException {
        set(SIOCSIFFLAGS, value -> Memory.putShort(value, Memory.getUnsignedShort(value) | IFF_UP));
    }

    private interface Value {
        void put(long address);
    }

    private void set(final int code, final Value value) throws LinuxException {
        final int fd = Sockets.open(Sockets.AF_INET, Sockets.SOCK_DGRAM, 0);
        try (Arena arena = Arena.ofConfined()) {
            final NicRequest request = new NicRequest(arena, fd, name);
            value.put(request.ask(SIOCGIFFLAGS));
            request.ask(code);
        } finally {
            Descriptors.close(fd);
        }
    }

    /**
     * Reads a frame that the machine sends, without waiting.
     *
     * @param errno a segment that only the calling thread uses now.
     * @param pieces address of {@code count} pairs {address, length in bytes}, 8 bytes each, that
     *     the {@link VirtioHeader} and the frame fill one after the other.
     * @return bytes read, or a negative errno; EAGAIN if there is none.
     */
    public int read(final MemorySegment errno, final long pieces, final int count) {
        final long result;
        try {
            result = (long) Calls.READV.invokeExact(errno, descriptor, pieces, count);
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
        return result < 0 ? -Linux.errno(errno) : (int) result;
    }

    /**
     * Reads a frame that the machine sends into one piece of memory, without waiting.
     *
     * @param errno a segment that only the calling thread uses now.
     * @param address where its {@link VirtioHeader} and the frame are written.
     * @param lengthBytes room there.
     * @return bytes read, or a negative errno; EAGAIN if there is none.
     */
    public int readWhole(final MemorySegment errno, final long address, final int lengthBytes) {
        final long result;
        try {
            result = (long) Calls.READ.invokeExact(errno, descriptor, address, (long) lengthBytes);
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
        return result < 0 ? -Linux.errno(errno) : (int) result;
    }

    /**
     * Lets a frame come in.
     *
     * @param errno a segment that only the calling thread uses now.
     * @param address of a {@link VirtioHeader} and the frame.
     * @return bytes written, or a negative errno; EIO if the device is not up.
     */
    public int write(final MemorySegment errno, final long address, final int lengthBytes) {
        final long result;
        try {
            result = (long) Calls.WRITE.invokeExact(errno, descriptor, address, (long) lengthBytes);
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
        return result < 0 ? -Linux.errno(errno) : (int) result;
    }

    @Override
    public void close() {
        Descriptors.close(descriptor);
    }

    private static final class Calls {
        static final MethodHandle OPEN =
                Linux.bindVariadic("open", FunctionDescriptor.of(INT, LONG, INT), 2);
        static final MethodHandle READV =
                Linux.bind("readv", FunctionDescriptor.of(LONG, INT, LONG, INT));
        static final MethodHandle READ =
                Linux.bind("read", FunctionDescriptor.of(LONG, INT, LONG, LONG));
        static final MethodHandle WRITE =
                Linux.bind("write", FunctionDescriptor.of(LONG, INT, LONG, LONG));
    }
}
