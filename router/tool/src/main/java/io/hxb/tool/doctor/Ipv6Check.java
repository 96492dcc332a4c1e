package io.hxb.tool.doctor;

import io.hxb.tool.machine.Privileges;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Whether the virtual NIC of a node can have an IPv6 address on this machine. Stateless. */
final class Ipv6Check {
    /** The settings of the network namespace of the calling thread. */
    static final Path SETTINGS = Path.of("/proc/sys/net/ipv6/conf");

    private static final String KEY = "disable_ipv6";

    /** The setting of NICs that are made from now on. */
    static final Path NEW_NICS = SETTINGS.resolve("default").resolve(KEY);

    private Ipv6Check() {}

    /**
     * Looks at the setting of the device, or if there is none yet, at that of new NICs.
     *
     * @param settings a folder for each NIC.
     * @param isRunning whether the node runs, which has then switched on what it can.
     * @param isWritable whether the node may change a setting.
     * @return a failure if it cannot; empty if it can.
     */
    static Optional<Finding> run(
            final Path settings,
            final String device,
            final String subject,
            final boolean isRunning,
            final boolean isWritable) {
        if (!Files.isDirectory(settings)) {
            return Optional.of(
                    Finding.fail(
                            subject,
                            "ip.prefix has IPv6, and the kernel has none",
                            "start Linux without ipv6.disable=1, or leave IPv6 out of ip.prefix"));
        }
        final String nic = Files.exists(settings.resolve(device)) ? device : "default";
        final long setting = Privileges.kernelNumber(settings.resolve(nic).resolve(KEY));
        if (setting != 1 || (!isRunning && isWritable)) {
            return Optional.empty();
        }
        final String key = "net.ipv6.conf." + nic + "." + KEY;
        return Optional.of(
                Finding.fail(
                        subject,
                        "ip.prefix has IPv6, which is off here: " + key + " is 1",
                        "sysctl -w " + key + "=0, then start the node again"));
    }
}
