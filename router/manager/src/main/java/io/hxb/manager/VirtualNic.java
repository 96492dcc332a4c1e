package io.hxb.manager;

import io.hxb.config.PathHealthConfig;
import io.hxb.config.TaggerChoice;
import io.hxb.os.nic.NicInfo;
import io.hxb.session.KeyRing;
import io.hxb.vlan.HostPaths;
import io.hxb.vlan.HostTable;
import io.hxb.vlan.NicTagger;
import io.hxb.vlan.TagDrop;
import io.hxb.vlan.Tagger;
import io.hxb.vlan.health.ProbeSockets;
import io.hxb.vlan.health.Witnesses;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;

/**
 * A host's NIC whose frames take planned paths, and its manager: all that {@code hxb manager} runs.
 * What was opened is closed in reverse by the thread that started it.
 */
public final class VirtualNic implements AutoCloseable {
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
        final PlannedNics planned =
                PlannedNics.find(options.table(), options.plan(), options.nics(), options.host());
        here = planned.here();
        for (final NicInfo nic : planned.nics()) {
            resources.push(NicLock.take(nic.ifindex(), nic.name())::close);
        }
        final TaggerFactory taggers =
                new TaggerFactory(options.table(), options.tagger(), options.pins());
        final NicTagger tagger = taggers.make(planned);
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
        for (int nic = 0; nic < planned.nics().size(); nic++) {
            taggers.attach(nics, nic, planned.nics().get(nic).ifindex());
        }
        device = tagger.virtualNic();
        final ManagerServer server =
                new ManagerServer(manager, options.keys(), options.spinForNs());
        resources.push(server::close);
        if (options.health().isEnabled() && options.table().vids().size() > 1) {
            probe(options, planned, manager, tagger, server, nics);
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

    private void probe(
            final Options options,
            final PlannedNics planned,
            final HostManager manager,
            final Tagger tagger,
            final ManagerServer server,
            final ManagedNics nics)
            throws IOException {
        final List<NicInfo> found = planned.nics();
        final ProbeSockets sockets =
                ProbeSockets.open(options.table().mac(here), found.size(), planned.nicOfVid());
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

    private static ManagerCount count(final TagDrop reason) {
        return switch (reason) {
            case TOO_LONG -> ManagerCount.TAP_TOO_LONG_FRAMES;
            case NO_ROOM -> ManagerCount.TAP_NO_ROOM_FRAMES;
            case DOWN -> ManagerCount.TAP_DOWN_FRAMES;
            case REFUSED -> ManagerCount.TAP_REFUSED_FRAMES;
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
