package io.hxb.vlan.health;

import io.hxb.config.PathHealthConfig;
import io.hxb.fabric.vlan.NicSpread;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.session.KeyRing;
import io.hxb.vlan.HostPaths;
import io.hxb.vlan.HostRow;
import io.hxb.vlan.HostTable;
import io.hxb.vlan.Tagger;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * Hosts on leaf switches that top switches join, one VID for each top switch, in virtual time. The
 * code of the hosts is the real one; links lose, delay and are cut in each direction for itself.
 */
final class HealthNetwork {
    static final long MS = 1_000_000;
    private static final long FIRST_MAC = 0x0248_5842_0000L;
    private static final int FIRST_VID = 11;
    private static final long MAX_DELAY_NS = 200_000;

    private final PathHealthConfig config;
    private final int hosts;
    private final int vids;
    private final int leafHosts;
    private final HostTable table;
    private final KeyRing keys;
    private final SplittableRandom random;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final List<Host> members = new ArrayList<>();
    private final double[][] upLoss;
    private final double[][] downLoss;
    private final double[][] nicLoss;
    private final MemorySegment frame = Arena.ofAuto().allocate(256, 8);
    private long order;
    private long nowNs = 1;

    private record Event(long atNs, long order, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(final Event other) {
            final int byTime = Long.compare(atNs, other.atNs);
            return byTime == 0 ? Long.compare(order, other.order) : byTime;
        }
    }

    /** What one host has done. */
    final class Host implements ProbeLink, HealthListener {
        private final int number;
        private final CountingTagger tagger = new CountingTagger(hosts);
        private final HostPaths paths;
        private PathHealth health;
        private long pausedUntilNs;
        private long workNs;
        private long workOrder;
        private final List<Runnable> waiting = new ArrayList<>();
        private final List<String> log = new ArrayList<>();
        private long frames;
        private long incarnations;
        private byte[] lastFrame;

        Host(final int number) {
            this.number = number;
            try {
                paths = HostPaths.of(table, number, tagger);
            } catch (final LinuxException e) {
                throw new IllegalStateException(e);
            }
            start();
        }

        /** Begins, or begins anew: what it knew is forgotten. */
        void start() {
            incarnations++;
            health =
                    new PathHealth(
                            table,
                            paths,
                            tagger,
                            Witnesses.of(leaves(number), number),
                            config,
                            new ProbeSeals(keys, table.fingerprint()),
                            1_000_000L * incarnations + number + 1,
                            this,
                            this,
                            nowNs);
            workAt(nowNs + random.nextLong(10 * MS));
        }

        private void workAt(final long atNs) {
            final long mine = ++workOrder;
            workNs = atNs;
            at(
                    atNs,
                    () -> {
                        if (mine == workOrder) {
                            run(this::work);
                        }
                    });
        }

        private void work() {
            workAt(nowNs + health.work(nowNs));
        }

        private void run(final Runnable action) {
            if (nowNs < pausedUntilNs) {
                waiting.add(action);
            } else {
                action.run();
            }
        }

        /** Its process stands still; frames wait in its socket. */
        void pause(final long forNs) {
            pausedUntilNs = nowNs + forNs;
            at(
                    pausedUntilNs,
                    () -> {
                        // As in the manager: first what has come, then what is due.
                        final List<Runnable> all = List.copyOf(waiting);
                        waiting.clear();
                        all.forEach(Runnable::run);
                    });
        }

        @Override
        public void send(final long mac, final int vid, final long address, final int length) {
            frames++;
            final byte[] bytes = new byte[length];
            for (int i = 0; i < length; i++) {
                bytes[i] = (byte) Memory.getUnsignedByte(address + i);
            }
            lastFrame = bytes;
            final int to = (int) (mac - FIRST_MAC);
            if (random.nextDouble() >= loss(number, to, vid)) {
                deliver(to, FIRST_MAC + number, bytes, random.nextLong(20_000, MAX_DELAY_NS));
            }
        }

        void receive(final long mac, final byte[] bytes) {
            MemorySegment.copy(bytes, 0, frame, ValueLayout.JAVA_BYTE, 0, bytes.length);
            health.onFrame(mac, frame.address(), bytes.length, nowNs);
            if (workNs - nowNs > MS) {
                work();
            }
        }

        @Override
        public void onDead(final int host, final int vid, final Reason reason) {
            log.add(nowNs / MS + " dead " + host + " " + vid + " " + reason);
        }

        @Override
        public void onHealed(final int host, final int vid) {
            log.add(nowNs / MS + " back " + host + " " + vid);
        }

        @Override
        public void onMoved(final int host, final int from, final int to) {
            log.add(nowNs / MS + " moved " + host + " " + from + " " + to);
        }

        @Override
        public void onDefaultMoved(final int from, final int to) {
            log.add(nowNs / MS + " default " + from + " " + to);
        }

        @Override
        public void onMovesDone() {
            paths.commit();
        }

        @Override
        public void onHalf(final int host, final int vid, final int peerVid) {
            log.add(nowNs / MS + " half " + host + " " + vid + " " + peerVid);
        }

        @Override
        public void onWhole(final int host, final int vid) {
            log.add(nowNs / MS + " whole " + host + " " + vid);
        }

        HealthCounts counts() {
            return health.counts();
        }

        List<String> log() {
            return log;
        }

        long frames() {
            return frames;
        }

        byte[] lastFrame() {
            return lastFrame;
        }

        int vidTo(final int host) {
            return tagger.vid(host);
        }

        int defaultVid() {
            return tagger.vid(Tagger.OTHERS);
        }

        void claim(final int host, final int vid) {
            paths.set(host, vid);
            paths.commit();
        }
    }

    HealthNetwork(
            final PathHealthConfig config,
            final int hosts,
            final int vids,
            final int leafHosts,
            final KeyRing keys,
            final long seed) {
        this(config, hosts, vids, leafHosts, keys, seed, NicSpread.NONE);
    }

    /** The same; hosts may have several NICs, each with VIDs of its own. */
    HealthNetwork(
            final PathHealthConfig config,
            final int hosts,
            final int vids,
            final int leafHosts,
            final KeyRing keys,
            final long seed,
            final NicSpread spread) {
        this.config = config;
        this.hosts = hosts;
        this.vids = vids;
        this.leafHosts = leafHosts;
        this.keys = keys;
        random = new SplittableRandom(seed);
        final List<HostRow> rows = new ArrayList<>();
        final List<Integer> plan = new ArrayList<>();
        for (int vid = 0; vid < vids; vid++) {
            plan.add(FIRST_VID + vid);
        }
        for (int host = 0; host < hosts; host++) {
            rows.add(new HostRow("h" + host, FIRST_MAC + host, plan.get(host % vids), host));
        }
        table = new HostTable(rows, plan, Map.of(), spread);
        nicLoss = new double[hosts][spread.nicCount()];
        final int leaves = (hosts + leafHosts - 1) / leafHosts;
        upLoss = new double[leaves][vids];
        downLoss = new double[leaves][vids];
        for (int host = 0; host < hosts; host++) {
            members.add(new Host(host));
        }
    }

    Host host(final int number) {
        return members.get(number);
    }

    int vid(final int index) {
        return FIRST_VID + index;
    }

    long nowNs() {
        return nowNs;
    }

    SplittableRandom random() {
        return random;
    }

    void at(final long atNs, final Runnable action) {
        events.add(new Event(atNs, order++, action));
    }

    void deliver(final int to, final long mac, final byte[] bytes, final long delayNs) {
        at(nowNs + delayNs, () -> members.get(to).run(() -> members.get(to).receive(mac, bytes)));
    }

    void runFor(final long ns) {
        final long end = nowNs + ns;
        while (!events.isEmpty() && events.peek().atNs <= end) {
            final Event event = events.poll();
            nowNs = Math.max(nowNs, event.atNs);
            event.action.run();
        }
        nowNs = end;
    }

    /** From now on, a frame goes from one host to the other every 20 ms, until that time. */
    void traffic(final int from, final int to, final long untilNs) {
        at(
                nowNs + random.nextLong(20 * MS),
                new Runnable() {
                    @Override
                    public void run() {
                        members.get(from).tagger.onSent(to);
                        if (nowNs < untilNs) {
                            at(nowNs + 20 * MS, this);
                        }
                    }
                });
    }

    /** From now on, a broadcast goes out every 20 ms, until that time. */
    void broadcasts(final int from, final long untilNs) {
        traffic(from, Tagger.OTHERS, untilNs);
    }

    private int[] leaves(final int own) {
        final int[] leaves = new int[hosts];
        for (int host = 0; host < hosts; host++) {
            leaves[host] = host / leafHosts;
        }
        if (table.spread().nicCount() > 1) {
            leaves[own] = -1;
        }
        return leaves;
    }

    /** True if the broadcasts of a host reach all hosts. */
    boolean isHeardByAll(final int host) {
        boolean isHeard = true;
        for (int other = 0; other < hosts; other++) {
            isHeard &= loss(host, other, members.get(host).defaultVid()) < 0.5;
        }
        return isHeard;
    }

    int tableDefault(final int host) {
        return table.rows().get(host).vid();
    }

    /** Sets how much is lost to and from a top switch, on the links of all leaves. */
    void setLoss(final int vidIndex, final double loss) {
        for (int leaf = 0; leaf < upLoss.length; leaf++) {
            upLoss[leaf][vidIndex] = loss;
            downLoss[leaf][vidIndex] = loss;
        }
    }

    /** Sets how much is lost from a leaf to a top switch. */
    void setUpLoss(final int leaf, final int vidIndex, final double loss) {
        upLoss[leaf][vidIndex] = loss;
    }

    /** Sets how much is lost at a NIC of a host, in both directions. */
    void setNicLoss(final int host, final int nic, final double loss) {
        nicLoss[host][nic] = loss;
    }

    double loss(final int from, final int to, final int vid) {
        final int nic = table.nic(vid);
        final double nicsKeep = (1 - nicLoss[from][nic]) * (1 - nicLoss[to][nic]);
        final int first = from / leafHosts;
        final int last = to / leafHosts;
        if (first == last) {
            return 1 - nicsKeep;
        }
        return 1
                - nicsKeep
                        * (1 - upLoss[first][vid - FIRST_VID])
                        * (1 - downLoss[last][vid - FIRST_VID]);
    }

    /** True if the two ends use one VID, which carries frames both ways. */
    boolean isWhole(final int a, final int b) {
        final int vid = members.get(a).vidTo(b);
        return vid == members.get(b).vidTo(a) && loss(a, b, vid) < 0.5 && loss(b, a, vid) < 0.5;
    }

    boolean isTogether(final int a, final int b) {
        return members.get(a).vidTo(b) == members.get(b).vidTo(a);
    }

    int wanted(final int a, final int b) {
        return table.vid(a, b);
    }

    int hosts() {
        return hosts;
    }

    int vids() {
        return vids;
    }

    /** A tagger that counts what is reported as sent. */
    private static final class CountingTagger implements Tagger {
        private final int[] holding;
        private final int[] prepared;
        private final long[] sent;
        private int othersHolding;
        private int othersPrepared;
        private long sentToOthers;
        private long total;

        CountingTagger(final int hosts) {
            holding = new int[hosts];
            prepared = new int[hosts];
            sent = new long[hosts];
        }

        void onSent(final int host) {
            if (host == OTHERS) {
                sentToOthers++;
            } else {
                sent[host]++;
            }
            total++;
        }

        @Override
        public void name(final int host, final long mac, final int vid) {
            holding[host] = vid;
            prepared[host] = vid;
        }

        @Override
        public void forget(final int host) {
            holding[host] = 0;
        }

        @Override
        public void path(final int host, final int vid) {
            if (host == OTHERS) {
                othersPrepared = vid;
            } else {
                prepared[host] = vid;
            }
        }

        @Override
        public void commit() {
            System.arraycopy(prepared, 0, holding, 0, holding.length);
            othersHolding = othersPrepared;
        }

        @Override
        public int hostOf(final long mac) {
            return (int) (mac - FIRST_MAC);
        }

        @Override
        public long mac(final int host) {
            return FIRST_MAC + host;
        }

        @Override
        public int vid(final int host) {
            return host == OTHERS ? othersHolding : holding[host];
        }

        @Override
        public int heardVid(final int host) {
            return UNTAGGED;
        }

        @Override
        public long sentBytes(final int host) {
            return sent[host];
        }

        @Override
        public long sentFrames(final int host) {
            return host == OTHERS ? sentToOthers : sent[host];
        }

        @Override
        public VidTraffic traffic(final int vid) {
            return new VidTraffic(total, total, 0, 0);
        }

        @Override
        public void close() {}
    }
}
