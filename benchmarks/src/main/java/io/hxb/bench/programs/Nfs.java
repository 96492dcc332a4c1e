package io.hxb.bench.programs;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/** A file read again and again from an NFS server, both without the kernel's NFS. Stateless. */
final class Nfs implements NetworkProgram {
    private static final int PORT = 2049;
    private static final int FILE_BYTES = 1_000_000;

    @Override
    public String name() {
        return "NFS";
    }

    @Override
    public Map<String, String> commands() {
        return Map.of("ganesha.nfsd", "nfs-ganesha-vfs", "nfs-cat", "libnfs-utils");
    }

    @Override
    public List<String> versionCommand() {
        return List.of("ganesha.nfsd", "-v");
    }

    @Override
    public Outcome run(final Site site, final double seconds) throws Exception {
        final Path folder = Files.createDirectory(site.file("export"));
        final Path source = folder.resolve("file");
        final byte[] content = new byte[FILE_BYTES];
        new SplittableRandom(1).nextBytes(content);
        Files.write(source, content);
        final Path file = Files.writeString(site.file("ganesha.conf"), configuration(site, folder));
        site.serve(
                PORT,
                List.of(
                        "ganesha.nfsd",
                        "-F",
                        "-L",
                        site.file("ganesha.log").toString(),
                        "-p",
                        site.file("ganesha.pid").toString(),
                        "-f",
                        file.toString()));
        final String read =
                "{ from=$(date +%%s%%N) && nfs-cat 'nfs://%s/data/file?version=4' >copy"
                                .formatted(site.address())
                        + " && cmp copy "
                        + source
                        + " && echo $((($(date +%s%N) - from) / 1000)); }";
        final Site.Ended ended = site.client(List.of("bash", "-c", Repeat.script(read, seconds)));
        return ended.problem().isEmpty()
                ? outcome(ended.output().lines().toList())
                : Outcome.bad(ended.problem());
    }

    private static String configuration(final Site site, final Path folder) {
        return """
        NFS_CORE_PARAM {
          Protocols = 4; NFS_Port = %d; Bind_addr = %s;
          Enable_NLM = false; Enable_RQUOTA = false; Enable_UDP = false;
        }
        NFSv4 { Graceless = true; RecoveryRoot = %s; }
        EXPORT {
          Export_Id = 1; Path = %s; Pseudo = /data; Protocols = 4; Access_Type = RO;
          SecType = sys; Squash = No_Root_Squash; Transports = TCP; FSAL { Name = VFS; }
        }
        """
                .formatted(PORT, site.address(), site.file("recovery"), folder);
    }

    /**
     * What its lines say.
     *
     * @param lines microseconds that each read took.
     */
    static Outcome outcome(final List<String> lines) {
        long longestUs = 0;
        for (final String line : lines) {
            if (!line.matches("[0-9]+")) {
                return Outcome.bad(line);
            }
            longestUs = Math.max(longestUs, Long.parseLong(line));
        }
        return lines.isEmpty()
                ? Outcome.bad("nothing was read")
                : Outcome.good(
                        String.format(
                                Locale.ROOT,
                                "%d files of %d KB, same",
                                lines.size(),
                                FILE_BYTES / 1_000),
                        longestUs / 1e3);
    }
}
