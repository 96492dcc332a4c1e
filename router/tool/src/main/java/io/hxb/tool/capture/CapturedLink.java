package io.hxb.tool.capture;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkConfig;
import io.hxb.link.pcap.CaptureFilter;
import io.hxb.link.pcap.CaptureSocket;
import io.hxb.link.pcap.PcapName;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.nic.NicFinder;
import io.hxb.os.nic.NicInfo;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/** One link that is captured. Owned by the thread that captures. */
final class CapturedLink implements AutoCloseable {
    private static final int IP_SOURCE_OFFSET = 26;
    private static final int IP_DESTINATION_OFFSET = 30;
    private static final int SOURCE_PORT_OFFSET = 34;
    private static final int DESTINATION_PORT_OFFSET = 36;
    private static final int PORTS_END = 38;

    private final PcapName name;
    private final String label;
    private final CaptureSocket socket;
    private final FrameView view;
    // Of a UDP link; 0 for raw links.
    private final int port;
    private final int ip;
    private long frames;

    private CapturedLink(
            final ClusterConfig config,
            final int node,
            final LinkConfig link,
            final CaptureSocket socket,
            final int ip) {
        this.socket = socket;
        this.ip = ip;
        name = PcapName.of(config, node, link);
        label = link.label();
        port = link.nic().isEmpty() ? link.port() : 0;
        view = new FrameView(port != 0);
    }

    /**
     * Opens one.
     *
     * @param snapBytes of a frame that are captured at most.
     * @throws ToolException that explains what is missing.
     */
    static CapturedLink open(
            final ClusterConfig config, final int node, final LinkConfig link, final int snapBytes)
            throws IOException {
        final String named = config.netns(node);
        try {
            return NetworkNamespace.run(
                    named.isEmpty() ? null : named,
                    () ->
                            link.nic().isEmpty()
                                    ? openUdp(config, node, link, snapBytes)
                                    : openRaw(config, node, link, snapBytes));
        } catch (final LinuxException e) {
            throw explained(e, node, link, named);
        }
    }

    private static ToolException explained(
            final LinuxException thrown,
            final int node,
            final LinkConfig link,
            final String netns) {
        final String what = "cannot capture link " + link.label() + " of node " + node + ": ";
        if (thrown.errno() == Errno.EPERM || thrown.errno() == Errno.EACCES) {
            final String rights = netns.isEmpty() ? "CAP_NET_RAW" : "CAP_NET_RAW and CAP_SYS_ADMIN";
            return new ToolException(what + "it needs " + rights + ": run it as root", thrown);
        }
        if (thrown.errno() == Errno.ENOENT) {
            return new ToolException(
                    what + "there is no network namespace " + netns + "; is the node on this host?",
                    thrown);
        }
        return new ToolException(what + thrown.getMessage(), thrown);
    }

    private static CapturedLink openRaw(
            final ClusterConfig config, final int node, final LinkConfig link, final int snapBytes)
            throws IOException {
        final NicInfo nic = NicInfo.read(NicFinder.name(link.nic()));
        if (!nic.exists()) {
            throw new ToolException(
                    "there is no NIC "
                            + link.nic()
                            + " here, which is link "
                            + link.label()
                            + " of node "
                            + node
                            + "; run hxb capture on the host of that node");
        }
        final long[] filter =
                CaptureFilter.ofRaw(
                        config.frame().etherType(), config.frame().relayEtherType(), snapBytes);
        return new CapturedLink(
                config,
                node,
                link,
                CaptureSocket.open(nic.ifindex(), nic.name(), filter, snapBytes),
                0);
    }

    private static CapturedLink openUdp(
            final ClusterConfig config, final int node, final LinkConfig link, final int snapBytes)
            throws IOException {
        final InetAddress address = address(link);
        final NetworkInterface nic = NetworkInterface.getByInetAddress(address);
        if (nic == null) {
            throw new ToolException(
                    "no NIC has the address "
                            + link.host()
                            + " of link "
                            + link.label()
                            + " of node "
                            + node
                            + "; run hxb capture on the host, and in the network namespace, of"
                            + " that node");
        }
        final long[] filter = CaptureFilter.ofUdp(link.port(), nic.isLoopback(), snapBytes);
        return new CapturedLink(
                config,
                node,
                link,
                CaptureSocket.open(nic.getIndex(), nic.getName(), filter, snapBytes),
                ByteBuffer.wrap(address.getAddress()).getInt());
    }

    private static InetAddress address(final LinkConfig link) throws UnknownHostException {
        for (final InetAddress address : InetAddress.getAllByName(link.host())) {
            if (address instanceof Inet4Address && !address.isAnyLocalAddress()) {
                return address;
            }
        }
        throw new ToolException(
                "link " + link.label() + " has no address of its own to capture: " + link.host());
    }

    PcapName name() {
        return name;
    }

    /** Such as {@code x.0}. */
    String label() {
        return label;
    }

    CaptureSocket socket() {
        return socket;
    }

    /** What the waiting frame is; null if that cannot be read. */
    FrameView view() {
        return view.wrap(socket.frameAddress(), socket.capturedBytes()) ? view : null;
    }

    /** True if the waiting frame is of this link, and not of another UDP link of its port. */
    boolean isOfLink() {
        final int length = socket.capturedBytes();
        return port == 0
                || isFrom(socket.frameAddress(), length)
                || isTo(socket.frameAddress(), length);
    }

    /** True if the node sent the waiting frame. On the loopback NIC the kernel cannot tell. */
    boolean isSent() {
        return port == 0 ? socket.isSent() : isFrom(socket.frameAddress(), socket.capturedBytes());
    }

    private boolean isFrom(final long address, final int lengthBytes) {
        return isEnd(address, lengthBytes, IP_SOURCE_OFFSET, SOURCE_PORT_OFFSET);
    }

    private boolean isTo(final long address, final int lengthBytes) {
        return isEnd(address, lengthBytes, IP_DESTINATION_OFFSET, DESTINATION_PORT_OFFSET);
    }

    private boolean isEnd(
            final long address, final int lengthBytes, final int ipOffset, final int portOffset) {
        return lengthBytes >= PORTS_END
                && Memory.getIntBigEndian(address + ipOffset) == ip
                && Memory.getUnsignedShortBigEndian(address + portOffset) == port;
    }

    /** A frame was written. */
    void onWritten() {
        frames++;
    }

    /** Frames that were written. */
    long frames() {
        return frames;
    }

    @Override
    public void close() {
        socket.close();
    }
}
