package io.hxb.tool.manager;

import io.hxb.config.PathHealthConfig;
import io.hxb.config.Quantity;
import io.hxb.config.TaggerChoice;
import io.hxb.linux.FileStatus;
import io.hxb.log.LogThread;
import io.hxb.manager.VirtualNic;
import io.hxb.os.Capabilities;
import io.hxb.os.ServiceManager;
import io.hxb.pm.attach.RunFolders;
import io.hxb.session.ClusterKey;
import io.hxb.session.KeyFile;
import io.hxb.session.KeyRing;
import io.hxb.tool.machine.OpenJars;
import io.hxb.tool.option.Output;
import io.hxb.tool.option.OutputFiles;
import io.hxb.tool.plan.SavedPlan;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.UsageException;
import io.hxb.vlan.HostTable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/** {@code hxb manager}: the network manager of this host. Picocli makes it. */
@Command(
        name = "manager",
        mixinStandardHelpOptions = true,
        header = "Send the frames of a NIC along planned VLANs.",
        description =
                "Send frames out of the NIC with the VID that the plan has for their "
                        + "destination, and let frames of every VID of the plan in; programs "
                        + "notice nothing. hxb route reads and changes the paths. Runs until it "
                        + "gets SIGTERM or Ctrl-C; then frames go untagged again.",
        footer = {
            "",
            "Example: hxb plan vlan --graph net.yaml --kind host-tagged --save net.plan",
            "         hxb manager --plan net.plan --nic eth0"
        })
public final class ManagerCommand implements Callable<Integer> {
    @Mixin private Output output;

    @Option(
            names = "--plan",
            required = true,
            paramLabel = "FILE",
            description = "read this host-tagged plan, written by hxb plan vlan --save")
    private String plan;

    @Option(
            names = "--nic",
            required = true,
            paramLabel = "NIC",
            split = ",",
            description =
                    "use this NIC on the planned network; where hosts have several, name "
                            + "all of them in the order of the plan")
    private List<String> nics;

    @Option(
            names = "--host",
            paramLabel = "NAME",
            description =
                    "take this host of the plan (default: the one with the address of the "
                            + "NIC)")
    private String host;

    @Option(
            names = "--socket",
            paramLabel = "PATH",
            description =
                    "listen on this Unix socket (default: manager.sock in HXB_RUN or "
                            + "/run/hxb)")
    private Path socket;

    @Option(
            names = "--allow",
            paramLabel = "UID",
            split = ",",
            description = "let these users change paths, besides root and the manager's own user")
    private List<Integer> users = List.of();

    @Option(
            names = "--listen",
            paramLabel = "ADDRESS:PORT",
            description = "listen on TCP, too; beyond this machine that needs --key")
    private String listen;

    @Option(
            names = "--key",
            paramLabel = "FILE",
            split = ",",
            description =
                    "require the key of the cluster in this file, made by hxb key "
                            + "generate, of other machines, and seal the probes of paths by it; "
                            + "name two while it is changed")
    private List<Path> keys = List.of();

    @Option(
            names = "--state",
            paramLabel = "FILE",
            description = "keep the paths of hxb route ... --commit in this file over restarts")
    private Path state;

    @Option(
            names = "--pin",
            paramLabel = "FOLDER",
            description =
                    "pin the programs to this folder of a BPF file system, so that frames stay "
                            + "tagged after the manager has ended; remove the files to end that")
    private Path pins;

    @Option(
            names = "--tagger",
            paramLabel = "auto|kernel|tap",
            defaultValue = "auto",
            description =
                    "tag by programs in the kernel, or by this process with a TAP device that has"
                            + " the addresses and routes of the NIC; auto: by the kernel if it can"
                            + " (default: ${DEFAULT-VALUE})")
    private TaggerChoice tagger;

    @Option(
            names = "--spin",
            paramLabel = "TIME",
            defaultValue = "50us",
            description =
                    "look for the next request this long before sleeping (default: "
                            + "${DEFAULT-VALUE})")
    private String spin;

    @Option(
            names = "--no-health",
            description = "probe no paths: leave each pair in the VID that is set for it")
    private boolean isWithoutHealth;

    @Option(names = "--attended", hidden = true, description = "end when standard input ends")
    private boolean isAttended;

    /** Picocli makes it. */
    ManagerCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        OpenJars.openAll();
        final VirtualNic.Options options = options();
        final ServiceManager service = ServiceManager.of(System.getenv());
        RunFolders.ofThisProcess().prepare(options.socket().getParent());
        final LogThread log = LogThread.ofStandardError(Capabilities.givingUp(() -> {}));
        final VirtualNic started = start(options, log);
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> stop(started, log, service), "hxb-manager-stop"));
        report(options, started);
        service.ready("manager of host " + started.here());
        if (isAttended) {
            System.in.transferTo(OutputStream.nullOutputStream());
        } else {
            new CountDownLatch(1).await();
        }
        return ExitStatus.OK;
    }

    private VirtualNic.Options options() throws IOException {
        final long spinForNs = UsageException.check(() -> Quantity.parseDurationNs(spin));
        final InetSocketAddress address =
                listen == null ? null : ManagerPlace.address("--listen", listen);
        if (keys.size() > KeyRing.MAX_KEYS) {
            throw new UsageException("--key takes at most two keys, the old and the new");
        }
        if (state != null) {
            OutputFiles.check("--state", state);
        }
        final HostTable table = HostTable.of(SavedPlan.read(plan));
        final List<ClusterKey> ring = new ArrayList<>();
        for (final Path file : keys) {
            ring.add(KeyFile.read(file));
        }
        final Set<Integer> allowed = new HashSet<>(users);
        allowed.add(0);
        allowed.add(FileStatus.ownUid());
        final Path place = (socket == null ? ManagerPlace.own() : socket).toAbsolutePath();
        return new VirtualNic.Options(
                table,
                host(table),
                nics,
                place,
                allowed::contains,
                address,
                new KeyRing(ring),
                state,
                tagger,
                pins,
                spinForNs,
                () -> SavedPlan.read(plan),
                isWithoutHealth ? PathHealthConfig.OFF : PathHealthConfig.DEFAULT);
    }

    private int host(final HostTable table) {
        if (host == null) {
            return -1;
        }
        final int byName = table.hostOf(host);
        if (byName >= 0) {
            return byName;
        }
        if (host.matches("\\d{1,6}") && Integer.parseInt(host) < table.rows().size()) {
            return Integer.parseInt(host);
        }
        throw new UsageException(
                "--host " + host + " is no host of the plan, which has " + table.rows().size());
    }

    private static VirtualNic start(final VirtualNic.Options options, final LogThread log)
            throws IOException {
        try {
            return VirtualNic.start(options);
        } catch (final IOException | RuntimeException | Error e) {
            // The caller prints why it did not start and ends the process at once.
            log.close();
            throw e;
        }
    }

    private void report(final VirtualNic.Options options, final VirtualNic started) {
        final String name = options.table().rows().get(started.here()).name();
        output.text()
                .printf(
                        "frames of %s%s leave along the plan as those of host %s (%d): socket"
                                + " %s%s%n",
                        String.join(", ", nics),
                        started.device() == null ? "" : ", sent through " + started.device() + ",",
                        name,
                        started.here(),
                        options.socket(),
                        started.address() == null ? "" : ", TCP " + started.address());
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", true);
        report.put("host", started.here());
        report.put("name", name);
        report.put("nic", String.join(",", nics));
        report.put(
                "tagger",
                started.device() == null ? "kernel" : nics.size() == 1 ? "tap" : "device");
        if (started.device() != null) {
            report.put("device", started.device());
        }
        report.put("socket", options.socket().toString());
        if (started.address() != null) {
            report.put("address", started.address().getAddress().getHostAddress());
            report.put("port", started.address().getPort());
        }
        report.put("plan", String.format("%016x", options.table().fingerprint()));
        output.report(report);
    }

    private static void stop(
            final VirtualNic started, final LogThread log, final ServiceManager service) {
        service.stopping();
        started.close();
        log.close();
    }
}
