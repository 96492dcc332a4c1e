package io.hxb.os.nic;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Where the device of a NIC is plugged in: the path that udev calls {@code ID_PATH}, such as {@code
 * pci-0000:03:00.0} or {@code pci-0000:00:14.0-usb-0:2:1.0}, or a folder of sysfs. It is computed
 * from sysfs, so that neither udev nor the network namespace matters. Stateless.
 *
 * <p>Source: systemd, src/udev/udev-builtin-path_id.c.
 */
final class NicPath {
    /** Where sysfs is mounted. */
    static final Path SYSFS = Path.of("/sys");

    private static final String FOLDER = "/sys/devices/";
    private static final Pattern PATH =
            Pattern.compile("[a-z]+-[A-Za-z0-9_.:@,+-]{1,200}|" + FOLDER + "[^\\s]{1,400}");

    /** Subsystems that are named in the path. */
    private static final Set<String> PLACES = Set.of("pci", "platform", "acpi", "amba");

    private NicPath() {}

    /** True if the text can be a path of either kind. */
    static boolean isPath(final String text) {
        return PATH.matcher(text).matches();
    }

    /**
     * True if a device is the one with the path.
     *
     * @param sysfs where sysfs is mounted.
     * @param bus of the device, such as {@code pci}; empty if it has none.
     * @param device its name there.
     * @param path of either kind.
     */
    static boolean isAt(
            final Path sysfs, final String bus, final String device, final String path) {
        if (bus.isEmpty() || path.isEmpty()) {
            return false;
        }
        if (!path.startsWith(FOLDER)) {
            return path.equals(of(sysfs, bus, device));
        }
        try {
            final Path wanted = sysfs.resolve(path.substring("/sys/".length()));
            return folder(sysfs, bus, device).equals(wanted.toRealPath());
        } catch (final IOException | InvalidPathException e) {
            // Such a device is not there.
            return false;
        }
    }

    /** The path as udev has it; empty if the device is not there, or at no place with a name. */
    static String of(final Path sysfs, final String bus, final String device) {
        try {
            return of(sysfs.resolve("devices").toRealPath(), folder(sysfs, bus, device));
        } catch (final IOException | InvalidPathException e) {
            return "";
        }
    }

    private static Path folder(final Path sysfs, final String bus, final String device)
            throws IOException {
        return sysfs.resolve("bus").resolve(bus).resolve("devices").resolve(device).toRealPath();
    }

    // From the device outwards; of the devices of one bus in a row, the innermost is named.
    private static String of(final Path root, final Path folder) throws IOException {
        final StringBuilder path = new StringBuilder();
        boolean hasPlace = false;
        String last = "";
        for (Path at = folder; at.startsWith(root) && !at.equals(root); at = at.getParent()) {
            if (!Files.exists(at.resolve("uevent"))) {
                continue;
            }
            final String subsystem = subsystem(at);
            if (!subsystem.equals(last)) {
                final String part = part(subsystem, at.getFileName().toString());
                path.insert(0, path.isEmpty() || part.isEmpty() ? part : part + "-");
                hasPlace |= PLACES.contains(subsystem);
            }
            last = subsystem;
        }
        return hasPlace ? path.toString() : "";
    }

    private static String subsystem(final Path device) throws IOException {
        final Path link = device.resolve("subsystem");
        return Files.isSymbolicLink(link)
                ? Files.readSymbolicLink(link).getFileName().toString()
                : "";
    }

    // The number of a USB bus depends on the order in which buses were found: 1-2:1.0 is 0:2:1.0.
    private static String part(final String subsystem, final String name) {
        if (subsystem.equals("usb")) {
            final int port = name.indexOf('-');
            return port < 0 ? "" : "usb-0:" + name.substring(port + 1);
        }
        return PLACES.contains(subsystem) ? subsystem + "-" + name : "";
    }
}
