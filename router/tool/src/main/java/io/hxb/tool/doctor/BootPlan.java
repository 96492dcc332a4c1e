package io.hxb.tool.doctor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Whether a NIC of a link is set up when the machine starts, and how it can be. Immutable.
 *
 * @param state whether there is something to do.
 * @param text what was found.
 * @param fix what to do by hand; empty where a file does it or nothing has to be done.
 * @param file the file that does it; null where nothing is to be written.
 */
record BootPlan(State state, String text, String fix, BootFile file) {
    private static final String INTERFACES = "etc/network/interfaces";
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_.-]{1,15}");

    /** Whether there is something to do. */
    enum State {
        /** The file is there, as it should be. */
        DONE,
        /** The file is missing, or has other values. */
        TO_WRITE,
        /** Somebody else sets the NIC up, or nobody knows who. */
        OF_OTHERS
    }

    /**
     * What is known of a NIC. Immutable.
     *
     * @param mtuBytes the MTU that it should have.
     * @param isHardware whether it is there when the machine starts, and not made by a program.
     * @param hasAddress whether it has an IP address, which somebody gives it.
     */
    record Nic(String name, int mtuBytes, boolean isHardware, boolean hasAddress) {}

    /**
     * Looks at the files of a machine.
     *
     * @param root of these files.
     */
    static BootPlan of(final Path root, final Nic nic) {
        if (!nic.isHardware()) {
            return ofOthers("is no hardware: what makes it sets it up, too", "");
        }
        if (!PLAIN.matcher(nic.name()).matches()) {
            return ofOthers("has characters in its name that files of NICs interpret", "");
        }
        final Optional<NicManager> manager = NicManager.of(root);
        if (manager.isEmpty()) {
            return ofOthers(
                    "is set up by a program that is not known here",
                    "give it MTU " + nic.mtuBytes() + " there");
        }
        try {
            return of(root, nic, manager.get());
        } catch (final IOException e) {
            return ofOthers("its files cannot be read: " + e.getMessage(), "run it as root");
        }
    }

    private static BootPlan of(final Path root, final Nic nic, final NicManager manager)
            throws IOException {
        if (manager == NicManager.IFUPDOWN
                && !Files.readString(root.resolve(INTERFACES), StandardCharsets.ISO_8859_1)
                        .contains("interfaces.d")) {
            return ofOthers(
                    "is set up by /" + INTERFACES + ", which reads no other files",
                    "add the line: source /etc/network/interfaces.d/*");
        }
        final BootFile file = manager.file(nic.name(), nic.mtuBytes());
        final String byHand = manager.byHand(nic.name(), nic.mtuBytes());
        final List<Path> naming = naming(root, manager, nic.name(), file.below(root));
        if (!naming.isEmpty()) {
            return ofOthers("is set up by " + naming.getFirst(), "write there " + byHand);
        }
        if (!Files.exists(file.below(root))) {
            return nic.hasAddress()
                    ? ofOthers(
                            "has an IP address, and " + manager.title() + " no file that names it",
                            "write into the file that gives it the address " + byHand)
                    : toWrite("is not set up with MTU " + nic.mtuBytes(), manager, file);
        }
        final String now = Files.readString(file.below(root), StandardCharsets.ISO_8859_1);
        if (!now.startsWith(BootFile.HEADER)) {
            return ofOthers(
                    "is set up by " + file.path() + ", which doctor has not written",
                    "write there " + byHand);
        }
        return now.equals(file.content())
                ? new BootPlan(State.DONE, "is set up by " + file.path(), "", null)
                : toWrite("is set up with other values by " + file.path(), manager, file);
    }

    private static BootPlan toWrite(
            final String text, final NicManager manager, final BootFile file) {
        return new BootPlan(
                State.TO_WRITE,
                text + " when the machine starts (" + manager.title() + ")",
                "",
                file);
    }

    private static BootPlan ofOthers(final String text, final String fix) {
        return new BootPlan(State.OF_OTHERS, text, fix, null);
    }

    /** The files of a manager that name a NIC, without our own. */
    private static List<Path> naming(
            final Path root, final NicManager manager, final String nic, final Path own)
            throws IOException {
        final Pattern name =
                Pattern.compile(
                        "^[^#\n]*(?<![\\w.-])" + Pattern.quote(nic) + "(?![\\w.-])",
                        Pattern.MULTILINE);
        final List<Path> naming = new ArrayList<>();
        for (final String place : manager.places()) {
            for (final Path file : files(root.resolve(place))) {
                if (!file.equals(own)
                        && name.matcher(Files.readString(file, StandardCharsets.ISO_8859_1))
                                .find()) {
                    naming.add(Path.of("/").resolve(root.relativize(file)));
                }
            }
        }
        return naming;
    }

    private static List<Path> files(final Path place) throws IOException {
        if (!Files.isDirectory(place)) {
            return Files.isRegularFile(place) ? List.of(place) : List.of();
        }
        try (Stream<Path> all = Files.walk(place)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        } catch (final UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
