package io.hxb.tool.option;

import io.hxb.tool.lab.Capture;

import picocli.CommandLine.Option;

import java.nio.file.Path;

/** {@code --capture}: every frame of every link to files for Wireshark. Filled by picocli. */
public final class CaptureOption {
    @Option(
            names = "--capture",
            paramLabel = "FOLDER",
            description =
                    "write every frame to FOLDER/CLUSTER-NODE.pcapng, for Wireshark or "
                            + "tshark; this costs speed")
    private Path directory;

    /** Picocli makes it. */
    public CaptureOption() {}

    /** What was asked for; {@link Capture#NONE} without the option. */
    public Capture capture() {
        return directory == null ? Capture.NONE : new Capture(directory.toAbsolutePath());
    }
}
