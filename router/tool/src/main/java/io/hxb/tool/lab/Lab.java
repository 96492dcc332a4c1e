package io.hxb.tool.lab;

import io.hxb.tool.machine.Privileges;
import io.hxb.tool.machine.Shell;
import io.hxb.tool.report.ToolException;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * One lab that this process made: its namespaces and NICs exist until {@link #close}. Owned by the
 * command that made it; {@link #close} may also come from a shutdown hook.
 */
public final class Lab implements AutoCloseable {
    private final LabRegistry registry;
    private final LabSpec spec;
    private final AtomicBoolean isClosed = new AtomicBoolean();
    private final List<LabPorts> ports = new ArrayList<>();
    private LabState state;

    private Lab(final LabRegistry registry, final LabState state) {
        this.registry = registry;
        this.spec = state.spec();
        this.state = state;
    }

    /**
     * Makes a lab. Labs that crashed owners have left behind are removed first; when something
     * fails, everything made so far is removed again.
     *
     * @param whenNamed called with the lab as soon as there is something to close, before
     *     everything is made: for callers that close it when the process gets a signal to end.
     * @throws ToolException when the name is taken, a privilege or a program is missing.
     */
    public static Lab up(
            final LabRegistry registry, final LabSpec spec, final Consumer<Lab> whenNamed) {
        return up(
                registry,
                LabState.of(spec),
                whenNamed,
                spec.backend().usesNics() ? Lab::makeNetwork : lab -> {});
    }

    /**
     * Makes a lab of hosts that are joined by switches, each host in the namespace of the node of
     * its number.
     *
     * @param spec as many nodes in a line as there are hosts.
     * @param network the graph of the switches, as the user named it.
     * @param whenNamed as above.
     * @param maker makes what the lab consists of; what it made is removed when it fails.
     */
    public static Lab upWithSwitches(
            final LabRegistry registry,
            final LabSpec spec,
            final String network,
            final Consumer<Lab> whenNamed,
            final Consumer<Lab> maker) {
        return up(registry, LabState.of(spec).withNetwork(network), whenNamed, maker);
    }

    private static Lab up(
            final LabRegistry registry,
            final LabState state,
            final Consumer<Lab> whenNamed,
            final Consumer<Lab> maker) {
        final LabSpec spec = state.spec();
        checkPrivileges(spec);
        for (final String crashed : registry.crashed()) {
            registry.remove(crashed);
            if (!crashed.equals(spec.name())) {
                registry.forgetLog(crashed);
            }
        }
        if (registry.stale().contains(spec.name())) {
            registry.remove(spec.name());
        }
        if (registry.find(spec.name()).isEmpty() && LabRegistry.isOwnedElsewhere(spec.name())) {
            throw new ToolException(
                    "a lab '"
                            + spec.name()
                            + "' of another folder (HXB_RUN) is up: choose another --name");
        }
        final Lab lab = new Lab(registry, state);
        registry.claim(lab.state);
        try {
            whenNamed.accept(lab);
            maker.accept(lab);
        } catch (final RuntimeException e) {
            lab.close();
            throw e;
        }
        return lab;
    }

    private static void checkPrivileges(final LabSpec spec) {
        if (spec.backend().usesNics() && !Privileges.canMakeNamespaces()) {
            throw new ToolException(
                    "--backend raw makes network namespaces, which needs root (CAP_NET_ADMIN,"
                            + " CAP_NET_RAW and CAP_SYS_ADMIN): use sudo"
                            + (spec.cabling().isPresent() ? "" : ", or --backend udp"));
        }
    }

    /** As {@link #up(LabRegistry, LabSpec, Consumer)}, for callers that close it themselves. */
    public static Lab up(final LabRegistry registry, final LabSpec spec) {
        return up(registry, spec, lab -> {});
    }

    /** Makes the namespaces of the switches and of all nodes, without any NIC. */
    public void makeNamespaces() {
        final String switches = LabNames.switchNamespace(spec.name());
        make(LabScripts.switchNamespace(spec), "ip", "-batch", "-");
        // Before everything else: a lab without a living owner may be removed by others.
        make(LabScripts.owner(state), "ip", "-n", switches, "-batch", "-");
        make(LabScripts.namespaces(spec), "ip", "-batch", "-");
    }

    private void makeNetwork() {
        final String switches = LabNames.switchNamespace(spec.name());
        makeNamespaces();
        make(LabScripts.switches(spec), "ip", "-n", switches, "-batch", "-");
        for (int node = 0; node < spec.shape().nodeCount(); node++) {
            final String namespace = LabNames.namespace(spec.name(), node);
            final List<String> nics = LabNames.nics(spec, node);
            final String shapers = LabScripts.nodeShapers(spec, node);
            make(LabScripts.nodeLinks(spec, node), "ip", "-n", namespace, "-batch", "-");
            if (!shapers.isEmpty()) {
                make(shapers, "tc", "-n", namespace, "-batch", "-");
            }
            step(() -> spec.wire().prepare(namespace, nics));
        }
        final String portShapers = LabScripts.switchShapers(spec);
        if (!portShapers.isEmpty()) {
            make(portShapers, "tc", "-n", switches, "-batch", "-");
        }
    }

    private void make(final String script, final String... command) {
        step(() -> Shell.check(script, List.of(command)));
    }

    /**
     * Does a step of making the lab, unless it is being removed; it is not removed meanwhile.
     *
     * @throws ToolException if it is being removed, or as the step does.
     */
    public synchronized void step(final Runnable step) {
        checkOpen();
        step.run();
    }

    private void checkOpen() {
        if (isClosed.get()) {
            throw new ToolException("the lab " + spec.name() + " is being removed");
        }
    }

    /** Folder of a host's own files, see {@link LabRegistry#hostFolder}. */
    public Path hostFolder(final int host) {
        return registry.hostFolder(spec.name(), host);
    }

    /** What it was made from. */
    public LabSpec spec() {
        return spec;
    }

    /** Its folder of files. */
    public Path folder() {
        return registry.folder(spec.name());
    }

    /**
     * Records that nodes can be attached to and hear one another, and their processes, if not this
     * one.
     */
    public synchronized void ready(final List<Long> nodePids) {
        checkOpen();
        state = state.withNodes(nodePids, true);
        registry.write(state);
    }

    /** Records node processes as soon as they exist, so that they are found after a crash. */
    public synchronized void nodesStarted(final List<Long> nodePids) {
        checkOpen();
        state = state.withNodes(nodePids, false);
        registry.write(state);
    }

    /**
     * Writes the files of the lab again if they were removed, as the folder of a user's sockets is
     * at logout, so that other commands find it. Nodes make their own once their folder is there.
     *
     * @param files contents of the files in its folder that it cannot do without, by name.
     * @throws ToolException if they cannot be written.
     */
    public synchronized void keepFiles(final Map<String, byte[]> files) {
        if (!isClosed.get() && !registry.isKept(spec.name(), files.keySet())) {
            registry.restore(state, files);
        }
    }

    /**
     * Reserves UDP ports in a row for its nodes, until it is closed.
     *
     * @return the first of them.
     * @throws ToolException when there are not as many.
     */
    synchronized int reservePorts(final int count) {
        checkOpen();
        final LabPorts reserved = LabPorts.reserve(count);
        ports.add(reserved);
        return reserved.first();
    }

    /** Removes everything; the second call does nothing. Blocks until it is gone. */
    @Override
    public synchronized void close() {
        if (isClosed.compareAndSet(false, true)) {
            registry.remove(spec.name());
            registry.removeEmptyFolders();
            ports.forEach(LabPorts::close);
        }
    }
}
