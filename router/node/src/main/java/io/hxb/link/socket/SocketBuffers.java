package io.hxb.link.socket;

import io.hxb.linux.LinuxException;
import io.hxb.os.Sockets;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sets the kernel's buffers of a socket and warns if they are smaller than asked for. Stateless.
 */
public final class SocketBuffers {
    private static final Logger LOGGER = LoggerFactory.getLogger(SocketBuffers.class);

    private SocketBuffers() {}

    /**
     * Sets the receive buffer.
     *
     * @param link name of the link, for the warning.
     * @return bytes granted.
     */
    public static int setReceive(final int descriptor, final int bytes, final String link)
            throws LinuxException {
        final int granted = Sockets.setReceiveBuffer(descriptor, bytes);
        warnIfLess(granted, bytes, link, "receive", "rmem_max");
        return granted;
    }

    /**
     * Sets the send buffer.
     *
     * @param link name of the link, for the warning.
     * @return bytes granted.
     */
    public static int setSend(final int descriptor, final int bytes, final String link)
            throws LinuxException {
        final int granted = Sockets.setSendBuffer(descriptor, bytes);
        warnIfLess(granted, bytes, link, "send", "wmem_max");
        return granted;
    }

    private static void warnIfLess(
            final int granted,
            final int wanted,
            final String link,
            final String kind,
            final String setting) {
        if (granted < wanted) {
            LOGGER.warn(
                    "link {}: {} buffer is {} bytes, {} were asked for: bursts may be lost; give"
                            + " CAP_NET_ADMIN or run `sysctl -w net.core.{}={}`",
                    link,
                    kind,
                    granted,
                    wanted,
                    setting,
                    wanted);
        }
    }
}
