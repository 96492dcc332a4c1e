package io.hxb.tool.lab.switches;

import io.hxb.config.PathHealthConfig;
import io.hxb.config.TaggerChoice;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.linux.FileStatus;
import io.hxb.manager.VirtualNic;
import io.hxb.os.NetworkNamespace;
import io.hxb.session.KeyRing;
import io.hxb.tool.lab.Lab;
import io.hxb.tool.lab.LabNames;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.lab.OpenVswitch;
import io.hxb.tool.manager.ManagerPlace;
import io.hxb.tool.plan.HostTaggedPlan;
import io.hxb.tool.report.ToolException;
import io.hxb.vlan.HostTable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * A lab of hosts and switches that is up: its hosts' managers run in this process, a thread each,
 * every one in the namespace of its host. Removed by {@link #close}, or when the process is asked
 * to end. Owned by the thread that started it.
 */
public final class SwitchLab implements AutoCloseable {
    private static final String PLAN = "net.plan";
    private static final String SCRIPTS = "switches";

    private final SwitchLabSpec spec;
    private final List<VirtualNic> managers = new ArrayList<>();
    private Lab lab;
    private SwitchNetwork network;

    private SwitchLab(final SwitchLabSpec spec) {
        this.spec = spec;
    }

    /**
     * Makes a lab. When that fails, nothing of it stays.
     *
     * @throws ToolException when the name is taken, Open vSwitch or a privilege is missing, or the
     *     graph cannot be planned or made.
     */
    public static SwitchLab start(final LabRegistry registry, final SwitchLabSpec spec) {
        OpenVswitch.requireInstalled();
        final SwitchLab started = new SwitchLab(spec);
        try {
            started.lab =
                    Lab.upWithSwitches(
                            registry,
                            spec.lab(),
                            spec.network(),
                            SwitchLab::removeWhenToldToEnd,
                            started::make);
            started.lab.ready(List.of());
            return started;
        } catch (final RuntimeException e) {
            started.close();
            throw e;
        }
    }

    private static void removeWhenToldToEnd(final Lab lab) {
        Runtime.getRuntime().addShutdownHook(new Thread(lab::close, "hxb-lab-remove"));
    }

    private void make(final Lab made) {
        final LabSpec lines = made.spec();
        made.makeNamespaces();
        final List<HostPlace> hosts = new ArrayList<>();
        for (int host = 0; host < spec.plan().graph().hostCount(); host++) {
            hosts.add(HostPlace.apart(LabNames.namespace(lines.name(), host), host));
        }
        final Path folder = made.folder().resolve(SCRIPTS);
        made.step(() -> writeFiles(made, folder));
        network =
                new SwitchNetwork(
                        spec.plan().graph(), LabNames.switchNamespace(lines.name()), hosts, folder);
        made.step(() -> network.makeLinks(lines.mtuBytes()));
        made.step(network::start);
        SwitchNetwork.scripts(spec.plan(), spec.isLearning())
                .values()
                .forEach(script -> made.step(() -> network.run(script)));
        if (lines.rateBps() > 0) {
            made.step(() -> network.limit(lines.rateBps()));
        }
        final HostTable table = HostTable.of(spec.plan());
        for (int host = 0; host < hosts.size(); host++) {
            final int number = host;
            made.step(() -> startManager(made, table, number));
        }
        made.step(network::widenBuffers);
    }

    private void writeFiles(final Lab made, final Path folder) {
        try {
            Files.createDirectories(folder);
            HostTaggedPlan.save(spec.network(), spec.plan(), made.folder().resolve(PLAN));
            final Map<String, String> scripts =
                    SwitchNetwork.scripts(spec.plan(), spec.isLearning());
            for (final Map.Entry<String, String> script : scripts.entrySet()) {
                Files.writeString(folder.resolve(script.getKey() + ".sh"), script.getValue());
            }
            for (int host = 0; host < spec.plan().graph().hostCount(); host++) {
                Files.createDirectories(made.hostFolder(host));
            }
        } catch (final IOException e) {
            throw new ToolException("cannot write the files of the lab: " + e, e);
        }
    }

    private void startManager(final Lab made, final HostTable table, final int host) {
        final VirtualNic.Options options =
                new VirtualNic.Options(
                        table,
                        host,
                        IntStream.range(0, network.nicCount())
                                .mapToObj(network.host(host)::nic)
                                .toList(),
                        ManagerPlace.in(made.hostFolder(host)),
                        user -> user == 0 || user == FileStatus.ownUid(),
                        null,
                        new KeyRing(List.of()),
                        made.hostFolder(host).resolve("paths"),
                        TaggerChoice.AUTO,
                        null,
                        0,
                        spec::plan,
                        spec.isProbing() ? PathHealthConfig.DEFAULT : PathHealthConfig.OFF);
        try {
            managers.add(
                    NetworkNamespace.run(
                            network.host(host).namespace(), () -> VirtualNic.start(options)));
        } catch (final IOException e) {
            throw new ToolException("the manager of host " + host + ": " + e.getMessage(), e);
        }
    }

    /** Makes the file by which other commands find the lab again, see {@link Lab#keepFiles}. */
    public void keepFiles() {
        lab.keepFiles(Map.of());
    }

    /** The plan that switches and hosts follow. */
    public VlanPlan plan() {
        return spec.plan();
    }

    /** The NICs of the lab. */
    public SwitchNetwork network() {
        return network;
    }

    /**
     * Folder of its files: {@code net.plan}, the settings of each switch, a folder for each host.
     */
    public Path folder() {
        return lab.folder();
    }

    /** Socket of a host's manager. */
    public Path socket(final int host) {
        return ManagerPlace.in(lab.hostFolder(host));
    }

    /** Ends the managers of all hosts; the NICs and switches stay. */
    void stopManagers() {
        managers.forEach(VirtualNic::close);
        managers.clear();
    }

    @Override
    public void close() {
        stopManagers();
        if (lab != null) {
            lab.close();
        }
    }
}
