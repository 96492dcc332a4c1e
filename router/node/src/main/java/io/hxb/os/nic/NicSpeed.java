package io.hxb.os.nic;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.Sockets;

import java.lang.foreign.Arena;

/**
 * The speed that a NIC claims to have, in the network namespace of the calling thread. Stateless.
 * Source: struct ethtool_link_settings of linux/ethtool.h.
 */
public final class NicSpeed {
    private static final int ETHTOOL_GLINKSETTINGS = 0x4C;
    private static final int ETHTOOL_SLINKSETTINGS = 0x4D;
    private static final int SPEED_OFFSET = 4;
    private static final int MASK_WORDS_OFFSET = 15;

    // The fixed part, and three masks of at most 127 words.
    private static final int MAX_BYTES = 48 + 3 * 127 * Integer.BYTES;

    private NicSpeed() {}

    /**
     * Reads what a NIC claims.
     *
     * @return Mbit/s; 0 if it is not known, as without carrier, or if there is no such NIC.
     */
    public static int megabits(final String nic) throws LinuxException {
        final int fd = Sockets.open(Sockets.AF_INET, Sockets.SOCK_DGRAM, 0);
        try (Arena arena = Arena.ofConfined()) {
            final long settings = arena.allocate(MAX_BYTES, 8).address();
            read(new NicRequest(arena, fd, nic), settings);
            // SPEED_UNKNOWN is -1.
            return Math.max(0, Memory.getInt(settings + SPEED_OFFSET));
        } catch (final LinuxException e) {
            if (e.errno() == Errno.EOPNOTSUPP || e.errno() == Errno.ENODEV) {
                return 0;
            }
            throw e;
        } finally {
            Descriptors.close(fd);
        }
    }

    /**
     * Has a virtual NIC claim another speed.
     *
     * @param megabits Mbit/s, 1 or more.
     * @throws LinuxException EPERM without CAP_NET_ADMIN, EOPNOTSUPP if its driver refuses.
     */
    public static void claim(final String nic, final int megabits) throws LinuxException {
        final int fd = Sockets.open(Sockets.AF_INET, Sockets.SOCK_DGRAM, 0);
        try (Arena arena = Arena.ofConfined()) {
            final long settings = arena.allocate(MAX_BYTES, 8).address();
            final NicRequest request = new NicRequest(arena, fd, nic);
            read(request, settings);
            Memory.putInt(settings, ETHTOOL_SLINKSETTINGS);
            Memory.putInt(settings + SPEED_OFFSET, megabits);
            request.askEthtool(settings);
        } finally {
            Descriptors.close(fd);
        }
    }

    // The kernel answers the first request with the negated number of words of its masks.
    private static void read(final NicRequest request, final long settings) throws LinuxException {
        Memory.putInt(settings, ETHTOOL_GLINKSETTINGS);
        request.askEthtool(settings);
        final int words = Memory.getByte(settings + MASK_WORDS_OFFSET);
        Memory.putInt(settings, ETHTOOL_GLINKSETTINGS);
        Memory.putByte(settings + MASK_WORDS_OFFSET, -words);
        request.askEthtool(settings);
    }
}
