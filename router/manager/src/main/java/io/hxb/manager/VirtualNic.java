package io.hxb.manager;

import io.hxb.config.PathHealthConfig;
import io.hxb.config.TaggerChoice;
import io.hxb.fabric.vlan.HostNics;
import io.hxb.fabric.vlan.VlanIds;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.os.bpf.BpfProgram;
import io.hxb.os.nic.NicInfo;
import io.hxb.session.KeyRing;
import io.hxb.vlan.DeviceTagger;
import io.hxb.vlan.HostPaths;
import io.hxb.vlan.HostTable;
import io.hxb.vlan.KernelTagger;
import io.hxb.vlan.NicTagger;
import io.hxb.vlan.TagDrop;
import io.hxb.vlan.Tagger;
import io.hxb.vlan.TapTagger;
import io.hxb.vlan.health.ProbeSockets;
import io.hxb.vlan.health.Witnesses;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;

/**
 * A host's NIC whose frames take planned paths, and its manager: all that {@code hxb manager} runs.
 * What was opened is closed in reverse by the thread that started it.
 */
public final class VirtualNic implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(VirtualNic.class);
    private static final int CHECK_MS = 500;
    private static final long LEASE_CHECK_MS = 100;

    /** Paths that nobody commits: after a restart the plan holds. */
    private static final PathStore NO_STORE =
            new PathStore() {
                @Override
                public Map<Long, Integer> load() {
                    return Map.of();
                }

                @Override
                public void save(final Map<Long, Integer> vidOfMac) throws IOException {
                    throw new IOException("the manager was started without a file for them");
                }
            };

    private final Deque<Closing> resources = new ArrayDeque<>();

    /** Closes one thing; never fails. */
    private interface Closing {
        void close();
    }

    private int here;
    private InetSocketAddress address;
    private String device;

    /**
     * What a manager is started with.
     *
     * @param table of the plan.
     * @param host number of this host; -1 to find it by the address of the NIC.
     * @param nics names of the NICs in the order of the plan, in this thread's network namespace.
     * @param socket path of the Unix socket.
     * @param mayChange whether the user of that id may change paths; all others may read them.
     * @param listen TCP address besides; null for none.
     * @param keys of the cluster; none if nobody comes from other machines.
     * @param state file of committed paths; null for none.
     * @param tagger who tags.
     * @param pins folder in a BPF file system by which programs and paths stay when the manager
     *     ends; null if nothing is to stay.
     * @param spinForNs how long the thread looks for the next request before it sleeps, in ns.
     * @param plan that of {@code table}, from which paths are computed for programs that ask for
     *     it; null if they are not.
     * @param health when paths count as dead.
     */
    public record Options(
            HostTable table,
            int host,
            List<String> nics,
            Path socket,
            IntPredicate mayChange,
            InetSocketAddress listen,
            KeyRing keys,
            Path state,
            TaggerChoice tagger,
            Path pins,
            long spinForNs,
            PlanSource plan,
            PathHealthConfig health) {}

    private VirtualNic() {}

    /**
     * Starts tagging and the manager.
     *
     * @throws IOException with what to do; then nothing is left behind.
     */
    public static VirtualNic start(final Options options) throws IOException {
        final VirtualNic started = new VirtualNic();
        try {
            started.open(options);
            return started;
        } catch (final IOException | RuntimeException e) {
            started.close();
            throw e;
        }
    }

    private void open(final Options options) throws IOException {
        final List<NicInfo> found = nics(options);
        here = here(options, found);
        for (final NicInfo nic : found) {
            resources.push(NicLock.take(nic.ifindex(), nic.name())::close);
        }
        final NicTagger tagger = tagger(options, found);
        resources.push(tagger::close);
        final HostPaths paths = HostPaths.of(options.table(), here, tagger);
        final ManagedNics nics = new ManagedNics(tagger, options.nics());
        final PathStore store = options.state() == null ? NO_STORE : new PathFile(options.state());
        final PathOptimiser optimiser =
                options.plan() == null ? null : new PathOptimiser(options.plan(), options.table());
        if (optimiser != null) {
            resources.push(optimiser::close);
        }
        final HostManager manager =
                new HostManager(
                        options.table(), paths, tagger, store, nics, System::nanoTime, optimiser);
        for (int nic = 0; nic < found.size(); nic++) {
            attach(nics, nic, found.get(nic).ifindex(), options.pins());
        }
        device = tagger.virtualNic();
        final ManagerServer server =
                new ManagerServer(manager, options.keys(), options.spinForNs());
        resources.push(server::close);
        if (options.health().isEnabled() && options.table().vids().size() > 1) {
            probe(options, found, manager, tagger, server, nics);
        }
        server.listen(options.socket(), options.mayChange());
        if (options.listen() != null) {
            address = server.listen(options.listen());
        }
        server.every(LEASE_CHECK_MS, manager::expireLease);
        final Map<TagDrop, Long> counted = new EnumMap<>(TagDrop.class);
        server.every(
                CHECK_MS,
                () -> {
                    server.count(ManagerCount.NIC_LOSSES, nics.look());
                    for (final TagDrop reason : TagDrop.values()) {
                        final long drops = tagger.drops(reason);
                        final Long before = counted.put(reason, drops);
                        server.count(count(reason), drops - (before == null ? 0 : before));
                    }
                });
    }

    private static List<NicInfo> nics(final Options options) throws IOException {
        final int wanted = options.table().spread().nicCount();
        if (options.nics().size() != wanted) {
            throw new IOException(
                    "each host of the plan has %d NIC%s, and %d %s given: name all of them, in the"
                                    .formatted(
                                            wanted,
                                            wanted == 1 ? "" : "s",
                                            options.nics().size(),
                                            options.nics().size() == 1 ? "is" : "are")
                            + " order of the plan");
        }
        final List<NicInfo> found = new ArrayList<>();
        for (final String name : options.nics()) {
            final NicInfo nic = NicInfo.read(name);
            if (!nic.exists()) {
                throw new IOException("there is no NIC " + name + " in this network namespace");
            }
            found.add(nic);
        }
        return found;
    }

    private void probe(
            final Options options,
            final List<NicInfo> found,
            final HostManager manager,
            final Tagger tagger,
            final ManagerServer server,
            final ManagedNics nics)
            throws IOException {
        final ProbeSockets sockets =
                ProbeSockets.open(options.table().mac(here), found.size(), nicOfVid(options));
        // The server's thread uses them until that has ended.
        final Closing serverEnd = resources.pop();
        resources.push(sockets::close);
        resources.push(serverEnd);
        for (int nic = 0; nic < found.size(); nic++) {
            sockets.bind(nic, found.get(nic).ifindex(), found.get(nic).name());
        }
        final PathWatch watch =
                PathWatch.start(
                        options.health(),
                        manager,
                        tagger,
                        options.plan() == null
                                ? Witnesses.ofUnknown(options.table().rows().size(), here)
                                : Witnesses.of(options.plan().read(), here),
                        options.keys(),
                        server,
                        sockets);
        nics.onReturn(watch::bind);
    }

    /** Which NIC of this host is in a VLAN; hosts may be plugged in differently. */
    private IntUnaryOperator nicOfVid(final Options options) throws IOException {
        final int[] nics = nicsOfVlans(options, here);
        final List<Integer> vids = options.table().vids();
        final byte[] nicOfVid = new byte[VlanIds.MAX_VID + 1];
        for (int vlan = 0; vlan < nics.length; vlan++) {
            nicOfVid[vids.get(vlan)] = (byte) nics[vlan];
        }
        return vid -> nicOfVid[vid];
    }

    private static int[] nicsOfVlans(final Options options, final int here) throws IOException {
        final int[] nics = new int[options.table().vids().size()];
        if (options.table().spread().nicCount() > 1) {
            final VlanPlan plan = options.plan().read();
            final HostNics ofPlan = HostNics.of(plan.graph());
            for (int vlan = 0; vlan < nics.length; vlan++) {
                nics[vlan] = ofPlan.nic(here, plan.tree(vlan));
            }
        }
        return nics;
    }

    private static int here(final Options options, final List<NicInfo> nics) throws IOException {
        final HostTable table = options.table();
        final NicInfo first = nics.getFirst();
        final int here = options.host() < 0 ? table.hostOf(first.mac()) : options.host();
        if (here < 0) {
            throw new IOException(
                    "no host of the plan has the address "
                            + PeerName.text(first.mac())
                            + " of NIC "
                            + first.name()
                            + ": give the NIC that of its host (ip link set "
                            + first.name()
                            + " address ...), or the host of the plan the address of the NIC");
        }
        for (final NicInfo nic : nics) {
            if (table.mac(here) != nic.mac()) {
                throw new IOException(
                        "NIC "
                                + nic.name()
                                + " has the address "
                                + PeerName.text(nic.mac())
                                + ", but host "
                                + table.rows().get(here).name()
                                + " of the plan has "
                                + PeerName.text(table.mac(here))
                                + ", to which others would send"
                                + (nics.size() == 1
                                        ? ""
                                        : "; all NICs of a host have the same (ip link set "
                                                + nic.name()
                                                + " address ...)"));
            }
        }
        return here;
    }

    private static ManagerCount count(final TagDrop reason) {
        return switch (reason) {
            case TOO_LONG -> ManagerCount.TAP_TOO_LONG_FRAMES;
            case NO_ROOM -> ManagerCount.TAP_NO_ROOM_FRAMES;
            case DOWN -> ManagerCount.TAP_DOWN_FRAMES;
            case REFUSED -> ManagerCount.TAP_REFUSED_FRAMES;
        };
    }

    private NicTagger tagger(final Options options, final List<NicInfo> nics) throws IOException {
        if (nics.size() > 1) {
            return ofSeveral(options, nics);
        }
        return ofOne(options, nics.getFirst());
    }

    private NicTagger ofSeveral(final Options options, final List<NicInfo> nics)
            throws IOException {
        if (options.tagger() == TaggerChoice.TAP || options.pins() != null) {
            throw new IOException(
                    "several NICs are used by programs in the kernel and a device that goes with"
                            + " the manager: leave out --tagger tap and --keep");
        }
        try {
            return DeviceTagger.load(
                    options.table().vids().stream().mapToInt(Integer::intValue).toArray(),
                    nicsOfVlans(options, here),
                    nics.size(),
                    options.table().rows().size(),
                    nics.getFirst());
        } catch (final LinuxException e) {
            throw new IOException(
                    "several NICs cannot be used: "
                            + e.getMessage()
                            + "; it needs Linux "
                            + BpfProgram.KERNEL
                            + " or later, root or CAP_BPF and CAP_NET_ADMIN, and /dev/net/tun",
                    e);
        }
    }

    private static NicTagger ofOne(final Options options, final NicInfo nic) throws IOException {
        final int[] vids = options.table().vids().stream().mapToInt(Integer::intValue).toArray();
        final int hosts = options.table().rows().size();
        if (options.tagger() == TaggerChoice.TAP) {
            if (options.pins() != null) {
                throw new IOException(
                        "a TAP device goes with the manager, so that frames cannot stay tagged as"
                                + " they are: leave out --keep, or take --tagger kernel");
            }
            return TapTagger.create(vids, hosts);
        }
        try {
            return loadWhereUsable(vids, options, nic.ifindex());
        } catch (final LinuxException e) {
            final String why =
                    "frames cannot be tagged in the kernel: "
                            + e.getMessage()
                            + (e.errno() == Errno.EPERM
                                    ? "; run as root, or with CAP_BPF and CAP_NET_ADMIN"
                                    : "; it needs Linux " + BpfProgram.KERNEL + " or later");
            if (options.tagger() == TaggerChoice.KERNEL || options.pins() != null) {
                throw new IOException(why, e);
            }
            LOGGER.info(
                    "NIC {}: TAP device {} stands before it, since {}",
                    nic.name(),
                    TapTagger.deviceName(nic.ifindex()),
                    why);
            return TapTagger.create(vids, hosts);
        }
    }

    /** The hooks came after the programs: an older kernel loads these and cannot attach them. */
    private static KernelTagger loadWhereUsable(
            final int[] vids, final Options options, final int ifindex) throws LinuxException {
        final KernelTagger loaded =
                KernelTagger.load(vids, options.table().rows().size(), options.pins());
        try {
            BpfProgram.count(ifindex, BpfProgram.Hook.EGRESS);
            return loaded;
        } catch (final LinuxException e) {
            loaded.close();
            throw e;
        }
    }

    private static void attach(
            final ManagedNics nics, final int nic, final int ifindex, final Path pins)
            throws IOException {
        try {
            nics.attach(nic, ifindex);
        } catch (final LinuxException e) {
            throw new IOException(e.getMessage() + advice(e.errno(), ifindex, pins), e);
        }
    }

    private static String advice(final int errno, final int ifindex, final Path pins) {
        if (pins != null) {
            return ": " + pins + " must be a folder in a BPF file system (mount -t bpf bpf FOLDER)";
        }
        return switch (errno) {
            case Errno.ENOENT, Errno.ENODEV, Errno.ENXIO ->
                    ": the kernel has no TAP devices (modprobe tun), or the container was not given"
                            + " /dev/net/tun";
            case Errno.EPERM, Errno.EACCES ->
                    ": run as root, or with CAP_NET_ADMIN, CAP_NET_RAW and access to /dev/net/tun";
            case Errno.EBUSY ->
                    ": there is a NIC of that name already (ip link del "
                            + TapTagger.deviceName(ifindex)
                            + ")";
            default -> "";
        };
    }

    /** Number of this host in the plan. */
    public int here() {
        return here;
    }

    /** The virtual NIC that programs send through; null if the kernel tags at the NIC itself. */
    public String device() {
        return device;
    }

    /** The TCP address that it listens on; null if it does not. */
    public InetSocketAddress address() {
        return address;
    }

    /** Ends all sessions and the manager; frames go untagged unless the programs are to stay. */
    @Override
    public void close() {
        while (!resources.isEmpty()) {
            resources.pop().close();
        }
    }
}
