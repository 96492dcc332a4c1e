package io.hxb.manager.control;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.traffic.TrafficMatrix;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.manager.HostManager;
import io.hxb.manager.KernelState;
import io.hxb.manager.ManagerConnection;
import io.hxb.manager.ManagerMessage;
import io.hxb.manager.ManagerOperation;
import io.hxb.manager.ManagerSession;
import io.hxb.manager.PathStore;
import io.hxb.manager.Status;
import io.hxb.vlan.HostPaths;
import io.hxb.vlan.HostTable;
import io.hxb.vlan.Tagger;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The managers of all hosts of a plan, the real ones, in virtual time: hosts send as configured,
 * restart, and are cut off from management servers.
 */
final class SimulatedHosts {
    static final long ROUND_NS = TimeUnit.SECONDS.toNanos(1);

    private final VlanPlan plan;
    private final HostTable table;
    private final Host[] hosts;
    private final Set<Long> cuts = new HashSet<>();
    private long nowNs = 1;

    private static final class Host {
        private CountingTagger tagger;
        private HostManager manager;
        private int starts;
        private boolean isUp = true;
    }

    SimulatedHosts(final VlanPlan plan) throws IOException {
        this.plan = plan;
        table = HostTable.of(plan);
        hosts = new Host[plan.graph().hostCount()];
        for (int host = 0; host < hosts.length; host++) {
            hosts[host] = new Host();
            restart(host);
        }
    }

    long nowNs() {
        return nowNs;
    }

    HostTable table() {
        return table;
    }

    /** A manager that has forgotten everything, counts included. */
    void restart(final int host) throws IOException {
        hosts[host].starts++;
        hosts[host].isUp = true;
        hosts[host].tagger = new CountingTagger(table.rows().size());
        hosts[host].manager =
                new HostManager(
                        table,
                        HostPaths.of(table, host, hosts[host].tagger),
                        hosts[host].tagger,
                        new PathStore() {
                            @Override
                            public Map<Long, Integer> load() {
                                return Map.of();
                            }

                            @Override
                            public void save(final Map<Long, Integer> vidOfMac) {}
                        },
                        new KernelState() {
                            @Override
                            public long macOf(final byte[] address) {
                                return 0;
                            }

                            @Override
                            public List<NicState> nics() {
                                return List.of();
                            }
                        },
                        () -> nowNs);
    }

    void stop(final int host) {
        hosts[host].isUp = false;
        hosts[host].starts++;
    }

    boolean isDown(final int host) {
        return !hosts[host].isUp;
    }

    void cut(final int server, final int host, final boolean isCut) {
        final long key = PairState.key(1_000_000 + server, host);
        if (isCut) {
            cuts.add(key);
        } else {
            cuts.remove(key);
        }
    }

    private boolean isCut(final int server, final int host) {
        return cuts.contains(PairState.key(1_000_000 + server, host));
    }

    /** Time passes, and leases run out. */
    void advance(final long ns) {
        nowNs += ns;
        for (final Host host : hosts) {
            host.manager.expireLease();
        }
    }

    /** Hosts send the amounts of a matrix, so many times. */
    void send(final TrafficMatrix traffic, final double times) {
        for (int i = 0; i < traffic.size(); i++) {
            hosts[traffic.source(i)].tagger.send(
                    traffic.destination(i), (long) (traffic.amount(i) * times));
        }
        for (int i = 0; i < traffic.size(); i++) {
            hosts[traffic.destination(i)].tagger.hear(
                    traffic.source(i), vid(traffic.source(i), traffic.destination(i)));
        }
    }

    int vid(final int host, final int peer) {
        return hosts[host].tagger.vid(peer);
    }

    /** Load of the busiest channel under a matrix. */
    double busiest(final TrafficMatrix traffic) {
        final SwitchGraph graph = plan.graph();
        final double[] loads = new double[graph.channelCount()];
        double busiest = 0;
        for (int i = 0; i < traffic.size(); i++) {
            final int from = traffic.source(i);
            final int to = traffic.destination(i);
            int vlan = 0;
            while (plan.vid(vlan) != vid(from, to)) {
                vlan++;
            }
            for (final int channel :
                    plan.tree(vlan).path(graph.hostSwitch(from), graph.hostSwitch(to))) {
                loads[channel] += traffic.amount(i);
                busiest = Math.max(busiest, loads[channel]);
            }
        }
        return busiest;
    }

    /** Pairs whose ends use different VIDs. */
    int halfPairs() {
        int half = 0;
        for (int low = 0; low < hosts.length; low++) {
            for (int high = low + 1; high < hosts.length; high++) {
                half += vid(low, high) == vid(high, low) ? 0 : 1;
            }
        }
        return half;
    }

    /** Pairs that do not follow the table. */
    int movedPairs() {
        int moved = 0;
        for (int low = 0; low < hosts.length; low++) {
            for (int high = low + 1; high < hosts.length; high++) {
                moved += vid(low, high) == table.vid(low, high) ? 0 : 1;
            }
        }
        return moved;
    }

    /** All hosts as one of several management servers sees them. */
    List<ManagedHost> seenBy(final int server) {
        final List<ManagedHost> seen = new ArrayList<>();
        for (int host = 0; host < hosts.length; host++) {
            final int number = host;
            seen.add(
                    new ManagedHost(
                            "m" + host,
                            () -> connect(server, number),
                            table.fingerprint(),
                            () -> nowNs));
        }
        return seen;
    }

    /** A session of a program, or of a management server. */
    ManagerConnection connect(final int server, final int host) throws IOException {
        if (!hosts[host].isUp || isCut(server, host)) {
            throw new IOException("host " + host + " does not answer");
        }
        return new Connection(server, host);
    }

    /** A program sets both ends of a pair, and keeps doing so while its sessions last. */
    List<ManagerConnection> claim(final int a, final int b, final int vid) throws IOException {
        final List<ManagerConnection> sessions = new ArrayList<>();
        for (final int[] ends : new int[][] {{a, b}, {b, a}}) {
            final ManagerConnection session = connect(-1, ends[0]);
            session.request(ManagerOperation.SET).peerHost(ends[1]).vid(vid);
            if (session.exchange().status() != Status.OK.code()) {
                throw new IOException("refused");
            }
            sessions.add(session);
        }
        return sessions;
    }

    private final class Connection implements ManagerConnection {
        private final int server;
        private final int number;
        private final int start;
        private final HostManager manager;
        private final ManagerSession session;
        private final ByteBuf out = Unpooled.buffer(ManagerMessage.LENGTH);
        private final Queue<ByteBuf> replies = new ArrayDeque<>();

        Connection(final int server, final int number) {
            this.server = server;
            this.number = number;
            start = hosts[number].starts;
            manager = hosts[number].manager;
            session = manager.open(true);
        }

        private void check() throws IOException {
            if (start != hosts[number].starts || isCut(server, number)) {
                throw new IOException("host " + number + " has gone");
            }
        }

        @Override
        public ManagerMessage request(final ManagerOperation operation) {
            return new ManagerMessage().wrap(out, 0).clear(operation.code());
        }

        @Override
        public int unanswered() {
            return replies.size();
        }

        @Override
        public void post() {
            final ByteBuf reply = Unpooled.buffer(ManagerMessage.LENGTH);
            if (start == hosts[number].starts && !isCut(server, number)) {
                manager.handle(
                        session,
                        new ManagerMessage().wrap(out, 0),
                        new ManagerMessage().wrap(reply, 0));
            }
            replies.add(reply);
        }

        @Override
        public ManagerMessage receive() throws IOException {
            check();
            return new ManagerMessage().wrap(replies.remove(), 0);
        }

        /** A manager that cannot be reached does not learn of it. */
        @Override
        public void close() {
            if (start == hosts[number].starts && !isCut(server, number)) {
                manager.close(session);
            }
        }
    }

    /** Remembers paths, and counts what is sent. */
    private static final class CountingTagger implements Tagger {
        private final long[] macs;
        private final int[] prepared;
        private final int[] vids;
        private final int[] heard;
        private final long[] bytes;

        CountingTagger(final int hosts) {
            macs = new long[hosts];
            prepared = new int[hosts + 1];
            vids = new int[hosts + 1];
            heard = new int[hosts];
            bytes = new long[hosts];
        }

        void send(final int host, final long count) {
            bytes[host] += count;
        }

        void hear(final int host, final int vid) {
            heard[host] = vid;
        }

        @Override
        public void name(final int host, final long mac, final int vid) {
            macs[host] = mac;
            prepared[host + 1] = vid;
            vids[host + 1] = vid;
        }

        @Override
        public void forget(final int host) {
            macs[host] = 0;
        }

        @Override
        public void path(final int host, final int vid) {
            prepared[host + 1] = vid;
        }

        @Override
        public void commit() {
            System.arraycopy(prepared, 0, vids, 0, vids.length);
        }

        @Override
        public int hostOf(final long mac) {
            for (int host = 0; host < macs.length; host++) {
                if (macs[host] == mac) {
                    return host;
                }
            }
            return OTHERS;
        }

        @Override
        public long mac(final int host) {
            return macs[host];
        }

        @Override
        public int vid(final int host) {
            return vids[host + 1];
        }

        @Override
        public int heardVid(final int host) {
            return heard[host];
        }

        @Override
        public long sentBytes(final int host) {
            return bytes[host];
        }

        @Override
        public long sentFrames(final int host) {
            return bytes[host];
        }

        @Override
        public VidTraffic traffic(final int vid) {
            return new VidTraffic(0, 0, 0, 0);
        }

        @Override
        public void close() {}
    }
}
