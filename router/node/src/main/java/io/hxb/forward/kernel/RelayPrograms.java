package io.hxb.forward.kernel;

import io.hxb.config.ClusterConfig;
import io.hxb.link.raw.RawLink;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.bpf.BpfProgram;
import io.hxb.topology.Shape;
import io.hxb.trunk.OffloadPath;
import io.hxb.trunk.Port;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;

/**
 * Lets the kernel relay for one node: a program at each of its NICs forwards frames that have
 * another destination, without waking the node. Everything else remains with the node: it judges
 * the links, adding the programs' counts to its own, sets the weights by which the programs select
 * links, and gets the frames that they cannot forward. While none of its loops turns, it gets all
 * frames.
 *
 * <p>Opened, refreshed and closed by one thread at a time; the counts may be read by any. Turns,
 * which also follow where long frames arrive, and counts make no system call; a NIC that was made
 * again and a neighbour's new address do.
 */
public final class RelayPrograms implements KernelRelay {
    private static final Logger LOGGER = LoggerFactory.getLogger(RelayPrograms.class);
    private static final int ETHERNET_BYTES = 14;

    private final String namespace;
    private final RelayTable table;
    private final Entry[] entries;
    private final int[] entryOfLink;
    private String trouble = "";
    private long traceSeen;
    private long busySeen;

    private RelayPrograms(
            final String namespace,
            final RelayTable table,
            final Entry[] entries,
            final int[] entryOfLink) {
        this.namespace = namespace;
        this.table = table;
        this.entries = entries;
        this.entryOfLink = entryOfLink;
    }

    /**
     * Loads the programs of a node and attaches them; before its loops start.
     *
     * @param cluster the cluster that the node belongs to.
     * @param node its node id.
     * @param ports its ports, all over {@link RawLink}s, of which it must be the only bypass.
     * @throws IOException if the kernel refuses: older than {@link BpfProgram#KERNEL}, or no
     *     CAP_BPF and CAP_NET_ADMIN. Nothing stays loaded.
     */
    public static RelayPrograms open(
            final ClusterConfig cluster, final int node, final List<Port> ports)
            throws IOException {
        return open(cluster, node, ports, RelayProgram.ALIVE_NS);
    }

    /** As above, with a node that is alive for {@code aliveNs} after a turn. */
    static RelayPrograms open(
            final ClusterConfig cluster, final int node, final List<Port> ports, final long aliveNs)
            throws IOException {
        final int[] links = new int[cluster.shape().dimensions()];
        int stations = 1;
        for (final Port port : ports) {
            links[port.dimension()]++;
            stations += cluster.shape().extent(port.dimension());
        }
        final RelayTable table = RelayTable.create(links, stations);
        final List<Port> inOrder =
                ports.stream()
                        .sorted(
                                Comparator.comparingInt(Port::dimension)
                                        .thenComparingInt(Port::number))
                        .toList();
        final long here = cluster.shape().coordinates(node);
        final Entry[] entries = new Entry[inOrder.size()];
        final int[] entryOfLink = new int[entries.length];
        final String namespace = cluster.netns(node);
        final RelayPrograms relay =
                new RelayPrograms(
                        namespace.isEmpty() ? null : namespace, table, entries, entryOfLink);
        try {
            for (int i = 0; i < entries.length; i++) {
                final RelayProgram program =
                        new RelayProgram(cluster, here, table, links, i, aliveNs);
                final RawLink link = (RawLink) inOrder.get(i).link();
                entries[i] = new Entry(link, load(program));
                entryOfLink[link.index()] = i;
            }
            relay.attach();
        } catch (final IOException e) {
            relay.close();
            throw e;
        }
        for (int i = 0; i < entries.length; i++) {
            inOrder.get(i).bypass(new TableBypass(table, i));
        }
        return relay;
    }

    private static BpfProgram load(final RelayProgram program) throws LinuxException {
        return BpfProgram.load(program.write(), BpfProgram.Hook.INGRESS);
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void nextHop(final int destination, final int hop) {
        table.nextHop(destination, hop);
    }

    @Override
    public void refresh() {
        String now = "";
        try {
            attach();
        } catch (final IOException e) {
            now = e.getMessage();
        }
        if (!now.equals(trouble) && !now.isEmpty()) {
            LOGGER.warn("relaying in the kernel: {}; this node relays itself", now);
        }
        trouble = now;
    }

    private void attach() throws IOException {
        boolean isAttachDue = false;
        for (int i = 0; i < entries.length; i++) {
            final Entry entry = entries[i];
            isAttachDue |= entry.isAttachDue();
            if (entry.link.isUp() && !entry.isAttachDue()) {
                table.open(i, entry.ifindex, longestBytes(entry), entry.link.nic().mac());
                learnIp(i);
            } else {
                table.shut(i);
            }
        }
        if (isAttachDue) {
            NetworkNamespace.run(namespace, this::attachInNamespace);
            attach();
        }
    }

    private void learnIp(final int port) {
        for (int neighbour = 0; neighbour < Shape.MAX_EXTENT; neighbour++) {
            table.learnIp(port, neighbour, entries[port].link.ipAddress(neighbour));
        }
    }

    private Void attachInNamespace() throws LinuxException {
        for (final Entry entry : entries) {
            if (entry.isAttachDue()) {
                entry.detach();
                entry.attachment = entry.program.attach(entry.link.nic().ifindex());
                entry.ifindex = entry.link.nic().ifindex();
            }
        }
        return null;
    }

    private static int longestBytes(final Entry entry) {
        return entry.link.mtuBytes() + ETHERNET_BYTES;
    }

    @Override
    public void turn() {
        for (int i = 0; i < entries.length; i++) {
            final int version = entries[i].link.ipVersion();
            if (version != entries[i].ipVersion) {
                entries[i].ipVersion = version;
                learnIp(i);
            }
        }
        table.turn();
    }

    @Override
    public long relayedFrames() {
        return table.relayedFrames();
    }

    @Override
    public long relayedTrains() {
        return table.relayedTrains();
    }

    @Override
    public boolean takeTrace(final KernelTrace trace) {
        final long traced = table.traced();
        traceSeen = Math.max(traceSeen, traced - RelayTable.TRACES);
        while (traceSeen < traced) {
            final long address = table.trace(traceSeen);
            traceSeen++;
            final int port = Memory.getInt(address + RelayTable.TRACE_PORT_OFFSET);
            final int left = linkOf(Memory.getInt(address + RelayTable.TRACE_NIC_OFFSET));
            if (left >= 0) {
                trace.set(
                        Memory.getLong(address + RelayTable.TRACE_SOURCE_OFFSET),
                        Memory.getLong(address + RelayTable.TRACE_NUMBER_OFFSET),
                        Memory.getUnsignedByte(address + RelayTable.TRACE_HOP_LIMIT_OFFSET) + 1);
                trace.stay(
                        entries[port].link.index(),
                        left,
                        Memory.getLong(address + RelayTable.TRACE_STAY_OFFSET));
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean takeBusy(final RelayedRoute route) {
        final long busy = table.busyFrames();
        busySeen = Math.max(busySeen, busy - RelayTable.BUSY_ROUTES);
        if (busySeen >= busy) {
            return false;
        }
        table.readBusy(busySeen, route);
        busySeen++;
        return true;
    }

    // -1 if the NIC has been made again since.
    private int linkOf(final int ifindex) {
        for (final Entry entry : entries) {
            if (entry.ifindex == ifindex) {
                return entry.link.index();
            }
        }
        return -1;
    }

    @Override
    public long relayedBytes() {
        long sum = 0;
        for (int i = 0; i < entries.length; i++) {
            sum += table.count(i, RelayTable.SENT_BYTES_OFFSET);
        }
        return sum;
    }

    @Override
    public long receivedFrames(final int linkIndex) {
        return table.count(entryOfLink[linkIndex], RelayTable.RECEIVED_FRAMES_OFFSET);
    }

    @Override
    public long receivedBytes(final int linkIndex) {
        return table.count(entryOfLink[linkIndex], RelayTable.RECEIVED_BYTES_OFFSET);
    }

    @Override
    public long sentFrames(final int linkIndex) {
        return table.count(entryOfLink[linkIndex], RelayTable.SENT_FRAMES_OFFSET);
    }

    @Override
    public long sentBytes(final int linkIndex) {
        return table.count(entryOfLink[linkIndex], RelayTable.SENT_BYTES_OFFSET);
    }

    @Override
    public void close() {
        for (final Entry entry : entries) {
            if (entry != null) {
                entry.detach();
                entry.program.close();
            }
        }
        table.close();
    }

    /** A NIC and its program. */
    private static final class Entry {
        private final RawLink link;
        private final BpfProgram program;
        private BpfProgram.Attachment attachment;
        private int ifindex;
        // Of any loop that turns, since each learns the same.
        private int ipVersion;

        Entry(final RawLink link, final BpfProgram program) {
            this.link = link;
            this.program = program;
        }

        boolean isAttachDue() {
            return link.nic().exists() && (attachment == null || ifindex != link.nic().ifindex());
        }

        void detach() {
            if (attachment != null) {
                attachment.close();
                attachment = null;
            }
        }
    }

    /** One port's part of the table. */
    private record TableBypass(RelayTable table, int port) implements OffloadPath {
        @Override
        public void weight(final int neighbour, final int weight) {
            table.weight(port, neighbour, weight);
        }

        @Override
        public void busy(final long untilNs) {
            table.busy(port, untilNs);
        }

        @Override
        public void learn(final int neighbour, final long address) {
            try {
                table.learn(port, neighbour, address);
            } catch (final LinuxException e) {
                LOGGER.warn("relaying in the kernel: {}; this node relays itself", e.getMessage());
            }
        }

        @Override
        public int heardFrames(final int neighbour) {
            return table.heardFrames(port, neighbour);
        }

        @Override
        public int sentFrames(final int neighbour) {
            return table.sentFrames(port, neighbour);
        }
    }
}
