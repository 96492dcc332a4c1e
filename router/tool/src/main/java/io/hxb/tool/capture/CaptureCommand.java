package io.hxb.tool.capture;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkConfig;
import io.hxb.config.Quantity;
import io.hxb.link.pcap.CaptureSocket;
import io.hxb.link.pcap.PcapName;
import io.hxb.linux.LinuxException;
import io.hxb.os.Terminals;
import io.hxb.session.CaptureKeys;
import io.hxb.tool.machine.Signals;
import io.hxb.tool.option.ClusterOptions;
import io.hxb.tool.option.NodeNames;
import io.hxb.tool.option.Output;
import io.hxb.tool.option.OutputFiles;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** {@code hxb capture}: the frames of links, live. Picocli makes it. */
@Command(
        name = "capture",
        mixinStandardHelpOptions = true,
        header = "Write frames of links for Wireshark, live.",
        description = {
            "Write what links receive and send as pcapng to standard output or to a file, "
                    + "until Ctrl-C, --count or --seconds. The node is not involved and need not "
                    + "be restarted; it needs root.",
            "FILTER has src NODE, dst NODE, node NODE (one of both; a host name of the cluster "
                    + "file, coordinates or an id), type TYPE such as data "
                    + "or ack, and flow CONTEXT (one of its ends), joined by and, or, not and "
                    + "brackets.",
            "With --keys, encrypted frames are written opened: live, or with --open of a file "
                    + "that was captured before, which needs no root and no cluster."
        },
        footer = {
            "",
            "Examples: hxb capture x.0 --filter 'dst 3' | wireshark -k -i -",
            "          hxb capture 1,0 x.0 x.1 --write trace.pcapng --seconds 10",
            "          hxb capture --write trace.pcapng --ring 5 --size 100MB --snap 128",
            "          hxb capture --open trace.pcapng --keys trace.keys --write plain.pcapng"
        })
public final class CaptureCommand implements Callable<Integer> {
    private static final int STANDARD_OUTPUT = 1;
    private static final int MAX_SECONDS = 86_400;
    private static final long MIN_SIZE_BYTES = 1 << 16;
    private static final int MIN_SNAP_BYTES = 78;
    private static final int MAX_FILES = 10_000;

    @Mixin private ClusterOptions cluster;

    @Mixin private Output output;

    @Option(names = "--filter", paramLabel = "FILTER", description = "write only these frames")
    private String filter;

    @Option(
            names = {"-w", "--write"},
            paramLabel = "FILE",
            description = "write to this file instead of standard output")
    private Path file;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            description =
                    "end a file at this size, such as 100MB: the capture, or with --ring "
                            + "the next file begins")
    private String size;

    @Option(
            names = "--ring",
            paramLabel = "N",
            description =
                    "write one file after the other and keep the last N: FILE with a number "
                            + "before its ending")
    private Integer ringFiles;

    @Option(
            names = {"-c", "--count"},
            paramLabel = "N",
            defaultValue = "0",
            description = "end after this many frames; 0: never (default: ${DEFAULT-VALUE})")
    private long count;

    @Option(names = "--seconds", paramLabel = "S", description = "end after this time")
    private Double seconds;

    @Option(
            names = "--snap",
            paramLabel = "BYTES",
            description =
                    "keep only the first bytes of each frame, 78 or more; 78 are an Ethernet "
                            + "header and one of HXB (default: all)")
    private Integer snapBytes;

    @Option(
            names = "--keys",
            paramLabel = "FILE",
            description =
                    "write encrypted frames opened by this file of hxb key export --for-capture; "
                            + "several times for several files")
    private List<Path> keyFiles = List.of();

    @Option(
            names = "--open",
            paramLabel = "FILE",
            description = "take the frames of this pcapng file in place of those of links")
    private Path captured;

    @Parameters(
            arity = "0..*",
            paramLabel = "[NODE] [LINK]",
            description =
                    "write the frames of these links, such as x.0 (default: all), of this node: "
                            + "a host name of the cluster file, coordinates or an id (default: as "
                            + "--node)")
    private List<String> words = List.of();

    /** Picocli makes it. */
    CaptureCommand() {}

    @Override
    public Integer call() throws IOException {
        checkOptions();
        if (captured != null) {
            CapturedFile.open(captured, file, CapturedFile.keys(keyFiles), output);
            return ExitStatus.OK;
        }
        final CaptureKeys keys = keyFiles.isEmpty() ? null : CapturedFile.keys(keyFiles);
        final long limitNs = seconds == null ? 0 : (long) (seconds * 1e9);
        final long sizeBytes = sizeBytes();
        final ClusterConfig config = cluster.config();
        final Predicate<FrameView> wanted =
                filter == null ? null : FilterWords.parse(filter, config);
        final boolean hasNode = !words.isEmpty() && !isLink(config, words.getFirst());
        final int node =
                hasNode
                        ? UsageException.check(
                                "NODE", () -> new NodeNames(config).node(words.getFirst()))
                        : cluster.runningNode(config);
        final List<LinkConfig> links =
                links(config, node, words.subList(hasNode ? 1 : 0, words.size()));
        if (file == null && Terminals.isTerminal(STANDARD_OUTPUT)) {
            throw new UsageException(
                    "standard output is a terminal: give --write FILE, or a pipe such as"
                            + " | wireshark -k -i -");
        }
        final List<CapturedLink> open = new ArrayList<>();
        try {
            for (final LinkConfig link : links) {
                final int snap = snapBytes == null ? CaptureSocket.MAX_SNAP_BYTES : snapBytes;
                open.add(CapturedLink.open(config, node, link, snap));
            }
            try (OpenedFrames opened = keys == null ? null : new OpenedFrames(keys)) {
                capture(open, names(open, keys), wanted, sizeBytes, limitNs, opened);
            }
        } finally {
            open.forEach(CapturedLink::close);
        }
        return ExitStatus.OK;
    }

    private void checkOptions() {
        if (count < 0) {
            throw new UsageException("--count must be 0 or more: " + count);
        }
        if (seconds != null && !(seconds > 0 && seconds <= MAX_SECONDS)) {
            throw new UsageException(
                    "--seconds must be above 0, at most " + MAX_SECONDS + ": " + seconds);
        }
        if (snapBytes != null
                && (snapBytes < MIN_SNAP_BYTES || snapBytes > CaptureSocket.MAX_SNAP_BYTES)) {
            throw new UsageException(
                    "--snap must be "
                            + MIN_SNAP_BYTES
                            + ".."
                            + CaptureSocket.MAX_SNAP_BYTES
                            + ": "
                            + snapBytes);
        }
        if (ringFiles != null && (ringFiles < 1 || ringFiles > MAX_FILES)) {
            throw new UsageException("--ring must be 1.." + MAX_FILES + ": " + ringFiles);
        }
        if (ringFiles != null && (file == null || size == null)) {
            throw new UsageException("--ring needs --write FILE and --size SIZE");
        }
        if (output.isJson() && file == null) {
            throw new UsageException("--json needs --write: standard output has the frames");
        }
        if (file != null) {
            OutputFiles.check("--write", file);
        }
        if (!keyFiles.isEmpty() && snapBytes != null) {
            throw new UsageException("--keys needs whole frames: leave out --snap");
        }
        if (captured != null) {
            checkOpening();
        }
    }

    private void checkOpening() {
        if (keyFiles.isEmpty() || file == null) {
            throw new UsageException("--open needs --keys FILE and --write FILE");
        }
        final boolean isLive = filter != null || size != null || seconds != null || count > 0;
        if (isLive || !words.isEmpty()) {
            throw new UsageException(
                    "--open takes all of a file: leave out NODE, LINK, --filter, --size, --ring,"
                            + " --count and --seconds");
        }
    }

    private static List<PcapName> names(final List<CapturedLink> links, final CaptureKeys keys) {
        return links.stream()
                .map(CapturedLink::name)
                .map(
                        name ->
                                keys == null
                                        ? name
                                        : new PcapName(
                                                name.name(),
                                                name.description()
                                                        + ", "
                                                        + CapturedFile.note(keys)))
                .toList();
    }

    private long sizeBytes() {
        if (size == null) {
            return 0;
        }
        final long bytes = UsageException.check(() -> Quantity.parseSizeBytes(size));
        if (bytes < MIN_SIZE_BYTES) {
            throw new UsageException("--size must be 64KiB or more: " + size);
        }
        return bytes;
    }

    // All nodes have links of the same names; a name such as x.9 is no node either.
    private static boolean isLink(final ClusterConfig config, final String word) {
        return word.matches("[a-z]\\.\\d+")
                || config.links(0).stream().anyMatch(link -> link.label().equals(word));
    }

    private static List<LinkConfig> links(
            final ClusterConfig config, final int node, final List<String> labels) {
        final List<LinkConfig> all = config.links(node);
        if (labels.isEmpty()) {
            return all;
        }
        final Set<LinkConfig> chosen = new LinkedHashSet<>();
        for (final String label : labels) {
            chosen.add(
                    all.stream()
                            .filter(link -> link.label().equals(label))
                            .findFirst()
                            .orElseThrow(() -> noLink(node, label, all)));
        }
        return List.copyOf(chosen);
    }

    private static UsageException noLink(
            final int node, final String label, final List<LinkConfig> all) {
        return new UsageException(
                "node "
                        + node
                        + " has no link "
                        + label
                        + "; it has "
                        + all.stream().map(LinkConfig::label).collect(Collectors.joining(", ")));
    }

    private void capture(
            final List<CapturedLink> links,
            final List<PcapName> names,
            final Predicate<FrameView> wanted,
            final long sizeBytes,
            final long limitNs,
            final OpenedFrames opened)
            throws IOException {
        CaptureRun run = null;
        try (CaptureOutput written =
                new CaptureOutput(
                        file,
                        sizeBytes,
                        ringFiles == null ? 0 : ringFiles,
                        names,
                        snapBytes == null ? 0 : snapBytes,
                        opened != null)) {
            run = new CaptureRun(links, written, wanted, count, opened);
            Signals.handle("INT", run::stop);
            Signals.handle("TERM", run::stop);
            run.run(limitNs);
        } catch (final IOException e) {
            if (file == null && String.valueOf(e.getMessage()).contains("Broken pipe")) {
                return;
            }
            throw new ToolException(
                    "cannot write "
                            + (file == null ? "to standard output" : file)
                            + ": "
                            + e.getMessage(),
                    e);
        }
        report(links, run, opened);
    }

    // Standard output may have the frames.
    private void report(
            final List<CapturedLink> links, final CaptureRun run, final OpenedFrames opened)
            throws LinuxException {
        final List<Map<String, Object>> reports = new ArrayList<>();
        for (final CapturedLink link : links) {
            final long drops = link.socket().drops();
            if (!output.isJson()) {
                System.err.println(
                        link.name().name()
                                + ": "
                                + link.frames()
                                + " frames, "
                                + drops
                                + " dropped for want of room"
                                + (drops > 0 ? "; --snap and a faster reader help" : ""));
            }
            final Map<String, Object> report = new LinkedHashMap<>();
            report.put("link", link.label());
            report.put("frames", link.frames());
            report.put("dropped_frames", drops);
            reports.add(report);
        }
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", true);
        report.put("dropped_frames", run.drops());
        report.put("links", reports);
        if (opened != null) {
            report.putAll(opened.report());
            if (!output.isJson()) {
                System.err.println(opened.text());
            }
        }
        output.report(report);
    }
}
