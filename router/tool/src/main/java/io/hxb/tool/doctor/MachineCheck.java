package io.hxb.tool.doctor;

import io.hxb.linux.LinuxException;
import io.hxb.os.bpf.BpfCode;
import io.hxb.os.bpf.BpfProgram;
import io.hxb.pm.attach.RunFolders;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.machine.Privileges;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Examines the machine: JDK, rights, limits, memory. Stateless. */
public final class MachineCheck {
    private static final Path SESSION_GROUPS = Path.of("/proc/sys/kernel/sched_autogroup_enabled");
    private static final Path FREE_HUGE_PAGES =
            Path.of("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages");
    private static final Path CPUS = Path.of("/sys/devices/system/cpu");
    private static final long WANTED_SOCKET_BUFFER = 8L << 20;
    private static final int LOOPBACK = 1;

    private MachineCheck() {}

    /** Everything that needs no configuration. */
    public static List<Finding> run(final LabRegistry registry) {
        final List<Finding> findings = new ArrayList<>();
        findings.add(java());
        findings.add(flags(ManagementFactory.getRuntimeMXBean().getInputArguments()));
        findings.add(capability("CAP_NET_RAW", Privileges.NET_RAW, "raw links"));
        findings.add(
                capability(
                        "CAP_NET_ADMIN",
                        Privileges.NET_ADMIN,
                        "labs and socket buffers beyond the limits"));
        findings.add(kernelRelay());
        findings.add(socketBuffer("net.core.rmem_max"));
        findings.add(socketBuffer("net.core.wmem_max"));
        findings.add(TuningCheck.hugePages(Privileges.kernelNumber(FREE_HUGE_PAGES)));
        findings.add(TuningCheck.sessionGroups(SESSION_GROUPS));
        findings.add(TuningCheck.governor(CPUS));
        findings.add(CpuCheck.sleep(CPUS));
        findings.add(program("ip"));
        findings.add(program("tc"));
        findings.add(runFolder(RunFolders.ofThisProcess()));
        findings.addAll(UnitCheck.run(Path.of("/")));
        findings.add(labs(registry));
        return findings;
    }

    private static Finding java() {
        final String version = Runtime.version().toString();
        return Runtime.version().feature() == 25
                ? Finding.ok("jdk", "Java " + version)
                : Finding.warn(
                        "jdk",
                        "Java " + version + " was not tested",
                        "use JDK 25: set HXB_JAVA_HOME");
    }

    static Finding flags(final List<String> arguments) {
        final List<String> missing = new ArrayList<>();
        for (final String wanted :
                List.of("--enable-native-access", "--add-opens=java.base/jdk.internal.misc")) {
            if (arguments.stream().noneMatch(argument -> argument.startsWith(wanted))) {
                missing.add(wanted);
            }
        }
        return missing.isEmpty()
                ? Finding.ok("jvm flags", "those of .mvn/jvm.config")
                : Finding.warn(
                        "jvm flags",
                        "missing: " + String.join(" ", missing),
                        "start it by deploy/hxb, or java @.mvn/jvm.config");
    }

    private static Finding capability(final String name, final int number, final String purpose) {
        return Privileges.has(number)
                ? Finding.ok(name, "there, for " + purpose)
                : Finding.warn(
                        name,
                        "missing: no " + purpose,
                        "run as root, or by deploy/hxb-node.service, which grants it; UDP links"
                                + " need nothing");
    }

    // Puts a program that lets everything pass on the loopback interface for a moment.
    private static Finding kernelRelay() {
        final BpfCode pass = new BpfCode().set(BpfCode.R0, BpfCode.TCX_NEXT).exit();
        try (BpfProgram program = BpfProgram.load(pass, BpfProgram.Hook.INGRESS)) {
            program.attach(LOOPBACK).close();
            return Finding.ok("kernel relay", "BPF programs can relay frames of raw links");
        } catch (final LinuxException e) {
            return Finding.warn(
                    "kernel relay",
                    "missing: raw links relay in the node: " + e.getMessage(),
                    "use Linux "
                            + BpfProgram.KERNEL
                            + " or newer and run as root, or by deploy/hxb-node.service, which"
                            + " grants CAP_BPF and CAP_NET_ADMIN");
        }
    }

    private static Finding socketBuffer(final String name) {
        final long limit = Privileges.kernelNumber(Path.of("/proc/sys/" + name.replace('.', '/')));
        if (limit >= WANTED_SOCKET_BUFFER || Privileges.has(Privileges.NET_ADMIN)) {
            return Finding.ok(
                    name,
                    limit
                            + " bytes"
                            + (limit < WANTED_SOCKET_BUFFER ? ", CAP_NET_ADMIN passes it" : ""));
        }
        return Finding.warn(
                name,
                limit + " bytes: bursts of large frames will be dropped",
                "sysctl -w " + name + "=" + WANTED_SOCKET_BUFFER + " (and in /etc/sysctl.d/)");
    }

    private static Finding program(final String name) {
        for (final String folder : List.of("/usr/sbin", "/sbin", "/usr/bin", "/bin")) {
            if (Files.isExecutable(Path.of(folder, name))) {
                return Finding.ok(name, "in " + folder);
            }
        }
        return Finding.warn(
                name,
                "not found: no raw labs",
                "install iproute2 (Debian: apt-get install iproute2)");
    }

    static Finding runFolder(final RunFolders folders) {
        final String problem = folders.problem();
        if (!problem.isEmpty()) {
            final int colon = problem.lastIndexOf(": ");
            return Finding.fail(
                    "run folder", problem.substring(0, colon), problem.substring(colon + 2));
        }
        return Finding.ok(
                "run folder", "this user's nodes, their counters and labs are in " + folders.own());
    }

    private static Finding labs(final LabRegistry registry) {
        final List<String> stale = registry.stale();
        return stale.isEmpty()
                ? Finding.ok("labs", registry.list().size() + " up, none stale")
                : Finding.warn(
                        "labs", "stale: " + String.join(", ", stale), "hxb lab down --stale");
    }
}
