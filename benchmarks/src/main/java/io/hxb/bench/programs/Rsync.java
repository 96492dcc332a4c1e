package io.hxb.bench.programs;

import io.hxb.tool.machine.Shell;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/** A file copied by rsync through ssh, whose keys are made for it. Stateless. */
final class Rsync implements NetworkProgram {
    private static final int PORT = 2222;
    private static final int KB_PER_SECOND = 10_000;
    private static final int BLOCK_BYTES = 1_024_000;
    private static final String SSHD = "/usr/sbin/sshd";

    /** A folder that sshd insists on; some machines make it only when their own sshd starts. */
    private static final Path SSHD_FOLDER = Path.of("/run/sshd");

    @Override
    public String name() {
        return "ssh, rsync";
    }

    @Override
    public Map<String, String> commands() {
        return Map.of(
                "rsync",
                "rsync",
                "ssh",
                "openssh-client",
                "ssh-keygen",
                "openssh-client",
                SSHD,
                "openssh-server");
    }

    @Override
    public List<String> versionCommand() {
        return List.of("rsync", "--version");
    }

    @Override
    public Outcome run(final Site site, final double seconds) throws Exception {
        final Path source = site.file("source");
        final Path copy = site.file("copy");
        write(source, seconds);
        Shell.check("", keygen(site.file("host")));
        Shell.check("", keygen(site.file("user")));
        Files.writeString(site.file("sshd.conf"), configuration(site));
        final boolean isFolderOurs = !Files.exists(SSHD_FOLDER);
        Files.createDirectories(SSHD_FOLDER);
        try (FileGrowth growth = FileGrowth.watch(copy)) {
            site.serve(PORT, List.of(SSHD, "-D", "-e", "-f", site.file("sshd.conf").toString()));
            final Site.Ended ended = site.client(command(site, source, copy));
            if (!ended.problem().isEmpty()) {
                return Outcome.bad(ended.problem());
            }
            return Files.mismatch(source, copy) < 0
                    ? Outcome.good(
                            String.format(Locale.ROOT, "%d MB, same", Files.size(copy) / 1_000_000),
                            growth.longestPauseMs())
                    : Outcome.bad("the copy is another file");
        } finally {
            if (isFolderOurs) {
                Files.deleteIfExists(SSHD_FOLDER);
            }
        }
    }

    private static void write(final Path file, final double seconds) throws IOException {
        final SplittableRandom random = new SplittableRandom(1);
        final byte[] block = new byte[BLOCK_BYTES];
        try (OutputStream output = Files.newOutputStream(file)) {
            final long blocks = Math.round(seconds * KB_PER_SECOND * 1_024 / BLOCK_BYTES);
            for (long i = 0; i < blocks; i++) {
                random.nextBytes(block);
                output.write(block);
            }
        }
    }

    private static List<String> keygen(final Path file) {
        return List.of("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file.toString());
    }

    private static String configuration(final Site site) {
        return """
        Port %d
        ListenAddress %s
        HostKey %s
        AuthorizedKeysFile %s.pub
        StrictModes no
        UsePAM no
        PidFile none
        PasswordAuthentication no
        PermitRootLogin prohibit-password
        """
                .formatted(PORT, site.address(), site.file("host"), site.file("user"));
    }

    private static List<String> command(final Site site, final Path source, final Path copy) {
        final String ssh =
                "ssh -p %d -i %s -o BatchMode=yes -o StrictHostKeyChecking=no"
                                .formatted(PORT, site.file("user"))
                        + " -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -F none";
        return List.of(
                "rsync",
                "--inplace",
                "--whole-file",
                "--bwlimit=" + KB_PER_SECOND,
                "-e",
                ssh,
                site.address() + ":" + source,
                copy.toString());
    }
}
