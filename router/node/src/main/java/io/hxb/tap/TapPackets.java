package io.hxb.tap;

import io.hxb.linux.Errno;
import io.hxb.linux.Linux;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;

import java.lang.foreign.Arena;

/**
 * A TAP device that a node makes, without addresses of IP. Read by one thread; any may write.
 */
public final class TapPackets implements PacketDevice {
    private final TapDevice tap;
    private final int mtuBytes;
    private final Arena arena = Arena.ofShared();
    private final long piece = arena.allocate(16, 8).address();

    /** Makes the device in this thread's namespace and sets it up. */
    public TapPackets(final String name, final long mac, final int mtuBytes) throws LinuxException {
        tap = TapDevice.open(name);
        this.mtuBytes = mtuBytes;
        tap.setMac(mac);
        tap.setMtu(mtuBytes);
        tap.up();
    }

    @Override
    public int descriptor() {
        return tap.descriptor();
    }

    @Override
    public int read(final long address, final int lengthBytes) {
        Memory.putLong(piece, address);
        Memory.putLong(piece + 8, lengthBytes);
        final int n = tap.read(Linux.errnoSegment(), piece, 1);
        return n == -Errno.EAGAIN ? 0 : n;
    }

    @Override
    public int write(final long address, final int lengthBytes) {
        final int n = tap.write(Linux.errnoSegment(), address, lengthBytes);
        return n == -Errno.EAGAIN ? 0 : n;
    }

    @Override
    public int mtuBytes() {
        return mtuBytes;
    }

    @Override
    public void close() {
        tap.close();
    }
}
