package io.hxb.tool.lab;

import io.hxb.config.Backend;
import io.hxb.tool.report.Shell;
import io.hxb.tool.report.ToolException;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One lab that this process made: its namespaces and NICs stand until {@link #close}. Owned by the
 * command that made it; {@link #close} may also come from a shutdown hook.
 */
public final class Lab implements AutoCloseable {
    private final LabRegistry registry;
    private final LabSpec spec;
    private final AtomicBoolean isClosed = new AtomicBoolean();
    private LabState state;

    private Lab(final LabRegistry registry, final LabSpec spec) {
        this.registry = registry;
        this.spec = spec;
        this.state = LabState.of(spec);
    }

    /**
     * Makes a lab. Stale labs of crashed owners are removed first; when something fails, everything
     * made so far is removed again.
     *
     * @throws ToolException when the name is taken, a privilege or a program is missing.
     */
    public static Lab up(final LabRegistry registry, final LabSpec spec) {
        checkPrivileges(spec);
        if (registry.stale().contains(spec.name())) {
            registry.remove(spec.name());
        }
        final Lab lab = new Lab(registry, spec);
        registry.claim(lab.state);
        try {
            if (spec.backend() == Backend.RAW) {
                makeNetwork(spec);
            }
        } catch (final RuntimeException e) {
            lab.close();
            throw e;
        }
        return lab;
    }

    private static void checkPrivileges(final LabSpec spec) {
        if (spec.backend() == Backend.RAW && !Privileges.canMakeNamespaces()) {
            throw new ToolException(
                    "--backend raw makes network namespaces, which needs root (CAP_NET_ADMIN,"
                            + " CAP_NET_RAW and CAP_SYS_ADMIN): use sudo, or --backend udp");
        }
    }

    private static void makeNetwork(final LabSpec spec) {
        Shell.check(LabScripts.namespaces(spec), List.of("ip", "-batch", "-"));
        final String switches = LabNames.switchNamespace(spec.name());
        Shell.check(LabScripts.switches(spec), List.of("ip", "-n", switches, "-batch", "-"));
        final String links = LabScripts.nodeLinks(spec);
        final String shapers = LabScripts.nodeShapers(spec);
        for (int node = 0; node < spec.shape().nodeCount(); node++) {
            final String namespace = LabNames.namespace(spec.name(), node);
            Shell.check(links, List.of("ip", "-n", namespace, "-batch", "-"));
            if (!shapers.isEmpty()) {
                Shell.check(shapers, List.of("tc", "-n", namespace, "-batch", "-"));
            }
        }
        final String portShapers = LabScripts.switchShapers(spec);
        if (!portShapers.isEmpty()) {
            Shell.check(portShapers, List.of("tc", "-n", switches, "-batch", "-"));
        }
    }

    /** What it was made from. */
    public LabSpec spec() {
        return spec;
    }

    /** Its folder of files. */
    public Path folder() {
        return registry.folder(spec.name());
    }

    /** Says that nodes can be attached to, and which processes they are, if not this one. */
    public void ready(final List<Long> nodePids) {
        state = state.withNodes(nodePids, true);
        registry.write(state);
    }

    /** Records node processes as soon as they exist, so that they are found after a crash. */
    public void nodesStarted(final List<Long> nodePids) {
        state = state.withNodes(nodePids, false);
        registry.write(state);
    }

    /** Removes everything; the second call does nothing. Blocks until it is gone. */
    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true)) {
            registry.remove(spec.name());
        }
    }
}
