package io.hxb.link.raw;

import io.hxb.config.FrameConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.socket.SocketBuffers;
import io.hxb.linux.Descriptors;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.PacketSocket;
import io.hxb.os.Sockets;
import io.hxb.os.nic.NicFinder;
import io.hxb.os.nic.NicInfo;
import io.hxb.os.nic.NicName;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The packet sockets of a raw link, their options and the ring, bound to its NIC. Owned by the loop
 * that owns the link.
 *
 * <p>The sockets are bound to the NIC again when it was deleted and made again, and keep their
 * descriptors; only a larger MTU needs another ring and with it another descriptor. The old one
 * stays open until the next {@link #follow}, so that it can be removed from an epoll set.
 */
final class RawSockets {
    private static final Logger LOGGER = LoggerFactory.getLogger(RawLink.class);
    private static final String NO_MAC = "00:00:00:00:00:00";
    private static final int MAX_NAMES = 16;

    private final RawLinkConfig config;
    private final int maxFrameBytes;
    private final int poolSocket;
    // Null where frames do not travel by IP.
    private final IpPath ip;
    // Null where long frames do not travel as segments.
    private final SegmentPath segments;
    private int ringSocket;
    private ReceiveRing ring;
    private int retiredSocket = -1;
    private int mtuBytes;
    private long drops;
    // Volatile because senders of other loops compare it with the one they bound to; another object
    // means that they have to bind again.
    private volatile NicInfo boundNic;

    private RawSockets(
            final RawLinkConfig config,
            final BufferPool.Share share,
            final NicInfo nic,
            final int poolSocket)
            throws LinuxException {
        this.config = config;
        maxFrameBytes = share.pool().frameBytes();
        this.poolSocket = poolSocket;
        boundNic = nic;
        PacketSocket.attachFilter(poolSocket, RawFilter.of(config.frame().etherType()));
        if (config.frame().vlanTags()) {
            PacketSocket.enableTags(poolSocket);
        }
        SocketBuffers.setReceive(poolSocket, config.socket().receiveBufferBytes(), config.nic());
        applyMtu(nic);
        ip = config.frame().mayUseUdp() ? IpPath.open(config, share) : null;
        segments = maxFrameBytes > mtuBytes ? openSegments(share) : null;
        try {
            openRing();
            bindAll(nic);
        } catch (final LinuxException e) {
            if (ring != null) {
                Descriptors.close(ringSocket);
                ring.retire();
            }
            closePaths();
            throw e;
        }
    }

    /**
     * Opens the sockets, from within the NIC's network namespace; the NIC must exist but need not
     * be up.
     *
     * @param share the receive buffers of the loop that will own the link.
     * @throws IOException if the NIC or the privilege is missing; the message explains what to do.
     */
    static RawSockets open(final RawLinkConfig config, final BufferPool.Share share)
            throws IOException {
        final List<NicFinder.Listed> nics = NicFinder.all();
        final NicInfo nic = NicInfo.read(NicFinder.name(config.nic(), nics));
        if (!nic.exists()) {
            throw new IOException(
                    "link "
                            + config.index()
                            + ": there is no NIC "
                            + config.nic()
                            + "; there are "
                            + nics.stream()
                                    .filter(
                                            one ->
                                                    !one.mac().isEmpty()
                                                            && !one.mac().equals(NO_MAC))
                                    .map(RawSockets::places)
                                    .limit(MAX_NAMES)
                                    .collect(Collectors.joining(", "))
                            + "; a NIC whose name changes can be given by its MAC address: [{mac:"
                            + " ADDRESS}], or by where it is plugged in: [{path: PATH}]");
        }
        final int socket = openSocket(config);
        try {
            checkKind(config, nic);
            warnOfMaster(config, nic.name(), NicFinder.master(nic.ifindex(), nics));
            return new RawSockets(config, share, nic, socket);
        } catch (final IOException | RuntimeException e) {
            Descriptors.close(socket);
            throw e;
        }
    }

    private static String places(final NicFinder.Listed nic) {
        final String path = nic.path();
        return nic.name() + " (" + nic.mac() + (path.isEmpty() ? "" : ", " + path) + ")";
    }

    private static void warnOfMaster(
            final RawLinkConfig config, final String name, final String master) {
        if (!master.isEmpty()) {
            LOGGER.warn(
                    "link {} ({}): the NIC is a port of {}: a bridge takes all frames that arrive,"
                            + " and a bond or team changes it; take it out (ip link set {}"
                            + " nomaster), or name another NIC",
                    config.index(),
                    config.nic(),
                    master,
                    name);
        }
    }

    private static void checkKind(final RawLinkConfig config, final NicInfo nic)
            throws IOException {
        final String obstacle = obstacle(nic.kind());
        if (!obstacle.isEmpty()) {
            throw new IOException(
                    "link "
                            + config.index()
                            + ": NIC "
                            + config.nic()
                            + " "
                            + obstacle
                            + ": name an Ethernet NIC, or take backend: udp, which needs an IPv4"
                            + " address of each node");
        }
    }

    /**
     * Why a raw link cannot use a kind of NIC.
     *
     * @return what is wrong with it, to be put after its name; empty if nothing is.
     */
    static String obstacle(final NicInfo.Kind kind) {
        return switch (kind) {
            case ETHERNET -> "";
            case WIRELESS ->
                    "is wireless, and access points drop frames of EtherTypes and addresses that"
                            + " they do not know";
            case LOOPBACK -> "is the loopback, on which each frame comes back to its sender";
            case OTHER -> "has no Ethernet headers, as tunnels for IP packets (WireGuard, tun)";
        };
    }

    private static int openSocket(final RawLinkConfig config) throws IOException {
        try {
            return PacketSocket.open();
        } catch (final LinuxException e) {
            if (e.errno() == Errno.EPERM || e.errno() == Errno.EACCES) {
                throw new IOException(
                        "link "
                                + config.index()
                                + " ("
                                + config.nic()
                                + "): raw links need CAP_NET_RAW: run as root, or give the service"
                                + " AmbientCapabilities=CAP_NET_RAW, or use UDP links",
                        e);
            }
            throw e;
        }
    }

    private SegmentPath openSegments(final BufferPool.Share share) throws LinuxException {
        if (!config.frame().mayUseSegments()) {
            return null;
        }
        try {
            return SegmentPath.open(config, share);
        } catch (final LinuxException e) {
            if (config.frame().encapsulation() == FrameConfig.Encapsulation.TCP) {
                throw e;
            }
            LOGGER.info(
                    "link {} ({}): long frames do not go as segments of TCP: {}",
                    config.index(),
                    config.nic(),
                    e.getMessage());
            return null;
        }
    }

    private void applyMtu(final NicInfo info) {
        final int headers = config.frame().mayUseUdp() ? IpHeaders.IP_AND_UDP_LENGTH : 0;
        final int usable = Math.min(info.mtuBytes() - headers, maxFrameBytes);
        if (usable < info.mtuBytes() - headers && usable != mtuBytes) {
            LOGGER.warn(
                    "link {} ({}): MTU {} of the NIC is used up to {} only, the size of pool"
                            + " buffers; raise it in the configuration",
                    config.index(),
                    config.nic(),
                    info.mtuBytes(),
                    usable + headers);
        }
        mtuBytes = Math.max(usable, FrameHeaderFlyweight.LENGTH);
    }

    private void openRing() throws LinuxException {
        final int socket = PacketSocket.open();
        try {
            PacketSocket.attachFilter(socket, RawFilter.of(config.frame().relayEtherType()));
            ring = new ReceiveRing(socket, mtuBytes, config.socket().relayRingFrames());
        } catch (final LinuxException e) {
            Descriptors.close(socket);
            throw e;
        }
        ringSocket = socket;
    }

    // The kernel hands a frame to the one socket of its EtherType. If both received all types, the
    // one bound last would receive first, and only the last to receive would get a frame without a
    // clone: the ring copies anyway, the pool's socket queues.
    private void bindAll(final NicInfo info) throws LinuxException {
        bind(poolSocket, config.frame().etherType(), info);
        bind(ringSocket, config.frame().relayEtherType(), info);
        if (ip != null) {
            ip.bind(info);
        }
        if (segments != null) {
            segments.bind(info);
        }
        takeErrors();
    }

    private void bind(final int socket, final int etherType, final NicInfo info)
            throws LinuxException {
        final int type = config.frame().vlanTags() ? PacketSocket.ALL_ETHER_TYPES : etherType;
        PacketSocket.bind(socket, type, info.ifindex(), config.nic());
    }

    private void takeErrors() throws LinuxException {
        Sockets.takeError(poolSocket);
        Sockets.takeError(ringSocket);
        if (ip != null) {
            Sockets.takeError(ip.descriptor());
        }
        if (segments != null) {
            Sockets.takeError(segments.descriptor());
        }
    }

    /**
     * Follows the NIC, which may have gone, come back or changed.
     *
     * @return true if it exists and has a carrier.
     * @throws IOException if that cannot be found out, or the sockets have an error.
     */
    boolean follow() throws IOException {
        final NicInfo now = current();
        closeRetired();
        if (!now.exists()) {
            takeErrors();
            return false;
        }
        applyMtu(now);
        if (mtuBytes > ring.frameBytes()) {
            replaceRing(now);
        }
        if (PacketSocket.boundIfindex(poolSocket) != now.ifindex()
                || PacketSocket.boundIfindex(ringSocket) != now.ifindex()) {
            bindAll(now);
            boundNic = now;
        } else if (!now.equals(boundNic)) {
            if (ip != null && now.mac() != boundNic.mac()) {
                ip.bind(now);
            }
            if (segments != null && now.mac() != boundNic.mac()) {
                segments.bind(now);
            }
            boundNic = now;
        }
        takeErrors();
        if (ip != null) {
            ip.refresh(now, System.nanoTime());
        }
        if (segments != null) {
            segments.refresh();
        }
        return now.hasCarrier();
    }

    // A NIC keeps its number when it gets another name, so the link stays with it, even if another
    // NIC has its name now. Once it has gone, the cluster file decides.
    private NicInfo current() throws IOException {
        final NicInfo bound = boundNic;
        final String name = NicName.of(poolSocket, bound.ifindex());
        if (name != null && !name.isEmpty()) {
            final NicInfo now = NicInfo.read(poolSocket, name);
            if (name.equals(bound.name())) {
                return now;
            }
            if (now.exists() && now.ifindex() == bound.ifindex() && now.mac() == bound.mac()) {
                logName(name);
                return now;
            }
        }
        return NicInfo.read(
                poolSocket,
                NicFinder.isLasting(config.nic())
                        ? NetworkNamespace.run(
                                config.namespace(), () -> NicFinder.name(config.nic()))
                        : config.nic());
    }

    private void logName(final String name) {
        if (NicFinder.isLasting(config.nic()) || name.equals(config.nic())) {
            LOGGER.info(
                    "link {} ({}): the NIC is called {} now", config.index(), config.nic(), name);
        } else {
            LOGGER.warn(
                    "link {} ({}): the NIC is called {} now; this node continues to use it, but the"
                            + " next start will not: rename it (ip link set {} name {}), or give it"
                            + " by its MAC address in the cluster file: [{mac: ADDRESS}], or by"
                            + " its [{path: PATH}]",
                    config.index(),
                    config.nic(),
                    name,
                    name,
                    config.nic());
        }
    }

    // Frames in the old ring that were not received yet are lost, as in the kernel; flows send them
    // again.
    private void replaceRing(final NicInfo now) throws IOException {
        final ReceiveRing oldRing = ring;
        final int oldSocket = ringSocket;
        NetworkNamespace.run(
                config.namespace(),
                () -> {
                    openRing();
                    return null;
                });
        PacketSocket.attachFilter(oldSocket, RawFilter.nothing());
        drops += PacketSocket.takeDrops(oldSocket);
        oldRing.retire();
        retiredSocket = oldSocket;
        bindAll(now);
    }

    // The mapping keeps the socket alive in the kernel until all its frames have come back, so an
    // epoll would go on reporting it. Its descriptor stays open until callers have had time to
    // remove it.
    private void closeRetired() {
        if (retiredSocket >= 0) {
            Descriptors.close(retiredSocket);
            retiredSocket = -1;
        }
    }

    /**
     * Opens a socket that sends on the NIC once its sender has bound it.
     *
     * @throws IOException if the namespace of the NIC or the privilege is gone.
     */
    int openSender() throws IOException {
        return NetworkNamespace.run(
                config.namespace(),
                () -> {
                    final int socket = PacketSocket.open();
                    SocketBuffers.setSend(socket, config.socket().sendBufferBytes(), config.nic());
                    if (ip != null || segments != null) {
                        PacketSocket.enableSuperPackets(socket);
                    }
                    return socket;
                });
    }

    /** Receives frames for this node. */
    int pool() {
        return poolSocket;
    }

    /** Its frames arrive in {@link #receiveRing}. */
    int ring() {
        return ringSocket;
    }

    ReceiveRing receiveRing() {
        return ring;
    }

    /** The path by IP; null where frames do not travel by it. */
    IpPath ip() {
        return ip;
    }

    /** The way of long frames as segments; null where they do not go so. */
    SegmentPath segments() {
        return segments;
    }

    /** The NIC that they are bound to; any thread may ask. */
    NicInfo nic() {
        return boundNic;
    }

    /** Maximum bytes of HXB header and body in one frame. */
    int mtuBytes() {
        return mtuBytes;
    }

    /** Frames that the kernel dropped, since start. */
    long drops() throws LinuxException {
        drops += PacketSocket.takeDrops(poolSocket) + PacketSocket.takeDrops(ringSocket);
        drops += ip == null ? 0 : ip.takeDrops();
        drops += segments == null ? 0 : segments.takeDrops();
        return drops;
    }

    /** Closes all; the ring stays mapped while a frame in it is held. */
    void close() {
        Descriptors.close(poolSocket);
        Descriptors.close(ringSocket);
        closeRetired();
        ring.retire();
        closePaths();
    }

    private void closePaths() {
        if (ip != null) {
            ip.close();
        }
        if (segments != null) {
            segments.close();
        }
    }
}
