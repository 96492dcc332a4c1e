package io.hxb.os;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The name of this machine. Stateless; any thread may call it. */
public final class HostName {
    private static final Path FILE = Path.of("/proc/sys/kernel/hostname");

    private static final Path HOSTS = Path.of("/etc/hosts");

    // Source: Kubernetes, pkg/kubelet/kubelet_pods.go, managedHostsHeaderWithHostNetwork.
    private static final String HOST_NETWORK = "# Kubernetes-managed hosts file (host network).";

    private HostName() {}

    /**
     * The name as the kernel has it, which need not be in DNS. Source: hostname(7),
     * proc_sys_kernel(5).
     *
     * @return {@code localhost} if the kernel does not know.
     */
    public static String ofThisMachine() {
        try {
            return Files.readString(FILE).strip();
        } catch (final IOException e) {
            return "localhost";
        }
    }

    /** True in a pod of Kubernetes that shares the network, and so the name, of its machine. */
    public static boolean isOfMachineInPod() {
        return isOfMachineInPod(HOSTS);
    }

    /** The same for another file; kubelet tells it in the first line of /etc/hosts. */
    static boolean isOfMachineInPod(final Path hosts) {
        try (Stream<String> lines = Files.lines(hosts)) {
            return lines.limit(1).anyMatch(HOST_NETWORK::equals);
        } catch (final IOException | UncheckedIOException e) {
            return false;
        }
    }
}
