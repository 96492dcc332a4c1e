package io.hxb.tool.lab;

import io.hxb.config.ClusterConfig;
import io.hxb.link.pcap.PcapFile;
import io.hxb.link.pcap.PcapLink;
import io.hxb.link.pcap.PcapName;
import io.hxb.node.NodeOptions;
import io.hxb.tool.report.ToolException;

import org.agrona.concurrent.SystemEpochNanoClock;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Whether the frames of nodes are written to files, and where. Immutable.
 *
 * @param directory where the files are made; null for no capture.
 */
public record Capture(Path directory) {
    /** No capture. */
    public static final Capture NONE = new Capture(null);

    /**
     * The options of a node whose links are captured to a file of its own, as long as the node
     * runs; unchanged without capture.
     *
     * @throws ToolException when the file cannot be made.
     */
    public NodeOptions apply(final NodeOptions options) {
        if (directory == null) {
            return options;
        }
        final ClusterConfig config = options.config();
        final PcapFile file = create(file(config, options.nodeId()));
        return options.withWrapper(
                link ->
                        new PcapLink(
                                link,
                                file,
                                config.backend().usesNics(),
                                config.frame().etherType(),
                                PcapName.of(
                                        config,
                                        options.nodeId(),
                                        config.links(options.nodeId()).get(link.index()))));
    }

    /** The file of one node. */
    public Path file(final ClusterConfig config, final int node) {
        return directory.resolve(config.name() + "-" + node + ".pcapng");
    }

    /** Arguments that make another hxb capture likewise. */
    List<String> arguments() {
        return directory == null ? List.of() : List.of("--capture", directory.toString());
    }

    private static PcapFile create(final Path file) {
        try {
            return PcapFile.create(file, new SystemEpochNanoClock());
        } catch (final IOException e) {
            throw new ToolException(
                    "cannot write the capture " + file + ": " + e + "; choose another --capture",
                    e);
        }
    }
}
