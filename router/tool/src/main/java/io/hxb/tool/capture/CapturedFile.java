package io.hxb.tool.capture;

import io.hxb.link.pcap.PcapFile;
import io.hxb.session.CaptureKeys;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A capture that was made before, and is written once more with its frames opened. Stateless. */
final class CapturedFile {
    private CapturedFile() {}

    /** Reads the keys of several files. */
    static CaptureKeys keys(final List<Path> files) throws IOException {
        CaptureKeys all = new CaptureKeys(List.of());
        for (final Path file : files) {
            try {
                all = all.and(CaptureKeys.read(file));
            } catch (final IOException e) {
                throw new ToolException("cannot read keys: " + e.getMessage(), e);
            }
        }
        return all;
    }

    /** What the descriptions of interfaces say when frames are opened. */
    static String note(final CaptureKeys keys) {
        return "opened by keys of " + keys.entries().size() + " sessions: payload in plain text";
    }

    /** Opens the frames of a file. */
    static void open(final Path from, final Path to, final CaptureKeys keys, final Output output) {
        if (!Files.isReadable(from) || Files.isDirectory(from)) {
            throw new UsageException("--open " + from + ": there is no such file to read");
        }
        if (to.toAbsolutePath().normalize().equals(from.toAbsolutePath().normalize())) {
            throw new UsageException("--open and --write name the same file: " + from);
        }
        try (InputStream in = new BufferedInputStream(Files.newInputStream(from));
                OutputStream out =
                        new BufferedOutputStream(
                                Channels.newOutputStream(PcapFile.createPrivateChannel(to)));
                OpenedFrames opened = new OpenedFrames(keys);
                PcapCopy copy = new PcapCopy(in, out, opened, note(keys))) {
            try {
                copy.run();
            } catch (final IOException e) {
                out.flush();
                throw new ToolException(
                        "cannot open all of "
                                + from
                                + ": "
                                + e.getMessage()
                                + "; "
                                + copy.frames()
                                + " frames are in "
                                + to,
                        e);
            }
            report(to, copy, opened, output);
        } catch (final IOException e) {
            throw new ToolException("cannot write " + to + ": " + e.getMessage(), e);
        }
    }

    private static void report(
            final Path to, final PcapCopy copy, final OpenedFrames opened, final Output output) {
        output.text().println(copy.frames() + " frames, " + opened.text() + ": " + to);
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", true);
        report.put("file", to.toString());
        report.put("frames", copy.frames());
        report.putAll(opened.report());
        output.report(report);
    }
}
