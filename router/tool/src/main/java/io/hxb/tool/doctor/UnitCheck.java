package io.hxb.tool.doctor;

import io.hxb.os.UserNames;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Examines the installed unit of systemd by which the node of a machine runs. Stateless. */
final class UnitCheck {
    private static final String UNIT = "hxb-node.service";

    // In the order in which systemd looks for units.
    private static final List<String> FOLDERS =
            List.of(
                    "etc/systemd/system",
                    "run/systemd/system",
                    "usr/local/lib/systemd/system",
                    "usr/lib/systemd/system",
                    "lib/systemd/system");

    private UnitCheck() {}

    /**
     * Whether its user and its group exist.
     *
     * @param root where the folders of systemd are.
     * @return nothing where the unit is not installed or cannot be read.
     */
    static List<Finding> run(final Path root) {
        try {
            final List<String> lines = lines(root);
            final List<Finding> findings = new ArrayList<>();
            value(lines, "User")
                    .filter(name -> UserNames.uid(name).isEmpty())
                    .ifPresent(name -> findings.add(missing("user", name, "217/USER")));
            value(lines, "Group")
                    .filter(name -> UserNames.gid(name).isEmpty())
                    .ifPresent(name -> findings.add(missing("group", name, "216/GROUP")));
            if (!lines.isEmpty() && findings.isEmpty()) {
                findings.add(Finding.ok(UNIT, "its user and group exist"));
            }
            return findings;
        } catch (final IOException e) {
            return List.of();
        }
    }

    private static Finding missing(final String what, final String name, final String status) {
        return Finding.fail(
                UNIT,
                "runs with the "
                        + what
                        + " "
                        + name
                        + ", which does not exist: systemd cannot start the node (status="
                        + status
                        + ")",
                "install -Dm644 -t /etc/sysusers.d deploy/sysusers.d/hxb.conf && systemd-sysusers"
                        + " hxb.conf, or useradd --system --no-create-home "
                        + name
                        + "; then systemctl restart hxb-node");
    }

    /** The lines of the unit, then those of its drop-ins; none where it is not installed. */
    private static List<String> lines(final Path root) throws IOException {
        final List<String> lines = new ArrayList<>();
        for (final String folder : FOLDERS) {
            final Path unit = root.resolve(folder).resolve(UNIT);
            if (lines.isEmpty() && Files.isRegularFile(unit)) {
                lines.addAll(Files.readAllLines(unit));
            }
        }
        if (lines.isEmpty()) {
            return lines;
        }
        for (final String folder : FOLDERS.reversed()) {
            final Path more = root.resolve(folder).resolve(UNIT + ".d");
            if (Files.isDirectory(more)) {
                try (Stream<Path> files = Files.list(more)) {
                    for (final Path file : files.sorted().toList()) {
                        if (file.toString().endsWith(".conf")) {
                            lines.addAll(Files.readAllLines(file));
                        }
                    }
                }
            }
        }
        return lines;
    }

    /** The last value of a key that is a name; numbers need no entry. */
    private static Optional<String> value(final List<String> lines, final String key) {
        return lines.stream()
                .map(String::strip)
                .filter(line -> line.startsWith(key + "="))
                .map(line -> line.substring(key.length() + 1).strip())
                .reduce((_, last) -> last)
                .filter(name -> !name.isEmpty() && !name.matches("\\d+"));
    }
}
