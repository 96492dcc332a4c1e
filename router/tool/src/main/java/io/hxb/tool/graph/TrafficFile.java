package io.hxb.tool.graph;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.traffic.TrafficMatrix;
import io.hxb.fabric.traffic.TrafficPatterns;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Reads the values of {@code --traffic}: names of patterns or of files. Stateless. */
public final class TrafficFile {
    private TrafficFile() {}

    /**
     * The traffic of a pattern or file.
     *
     * @throws UsageException if there is neither, or the pattern is not defined on this graph.
     */
    public static TrafficMatrix read(final String word, final SwitchGraph graph)
            throws IOException {
        return TrafficPatterns.isName(word)
                ? UsageException.check(() -> TrafficPatterns.of(word, graph))
                : TrafficMatrix.parse(word, text(word, TrafficPatterns.NAMES), graph);
    }

    /**
     * The text of a file of traffic.
     *
     * @param patterns what else could have been meant, for the message.
     * @throws UsageException if there is no such file.
     * @throws ToolException if it cannot be read.
     */
    public static String text(final String word, final List<String> patterns) throws IOException {
        if (!Files.exists(Path.of(word))) {
            throw new UsageException(
                    "--traffic: there is no file '"
                            + word
                            + "', and no such pattern; the patterns are "
                            + String.join(", ", patterns));
        }
        return GraphFile.text(word);
    }
}
