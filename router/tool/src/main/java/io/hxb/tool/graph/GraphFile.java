package io.hxb.tool.graph;

import io.hxb.config.ConfigException;
import io.hxb.fabric.EdgeList;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.generate.GraphSpec;
import io.hxb.fabric.verify.OpenSmCabling;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;

/** Reads a graph by the ending of its file's name, or makes it from a notation. Stateless. */
public final class GraphFile {
    private static final int MAX_BYTES = 64 << 20;

    private GraphFile() {}

    /**
     * Reads a graph.
     *
     * @param name a file: {@code .yaml} or {@code .yml} cabling, {@code .dot} or {@code .gv},
     *     {@code .json} LLDP neighbours, {@code .graphml}; otherwise what the content is: output of
     *     ibnetdiscover, opensm-subnet.lst, BookSim's anynet, or an edge list. Or words such as
     *     {@code torus:8x8}.
     * @param hostsPerSwitch hosts on each switch when the source names none.
     * @throws ToolException or another message for people if it cannot be read or is not a graph.
     */
    public static SwitchGraph read(final String name, final int hostsPerSwitch) throws IOException {
        return read(name, hostsPerSwitch, Set.of());
    }

    /**
     * Reads a graph of which some nodes are known to be hosts.
     *
     * @param hostNames nodes that are hosts, whatever the file has them for.
     */
    public static SwitchGraph read(
            final String name, final int hostsPerSwitch, final Set<String> hostNames)
            throws IOException {
        if (GraphSpec.isSpec(name) && !Files.exists(Path.of(name))) {
            return UsageException.check(() -> GraphSpec.parse(name, hostsPerSwitch));
        }
        if (!Files.exists(Path.of(name))) {
            throw new ToolException(
                    "there is no file '"
                            + name
                            + "'; graphs can also be made: "
                            + String.join(", ", GraphSpec.NOTATIONS));
        }
        final String text = text(name);
        final String ending = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
        return switch (ending) {
            case "yaml", "yml" -> cabling(text, name, hostsPerSwitch);
            case "dot", "gv" -> DotGraph.parse(name, text, hostsPerSwitch, hostNames);
            case "json" -> LldpNeighbours.parse(name, text, hostsPerSwitch, hostNames);
            case "graphml" -> GraphMl.parse(name, text, hostsPerSwitch, hostNames);
            default -> byContent(name, text, hostsPerSwitch);
        };
    }

    private static SwitchGraph byContent(
            final String name, final String text, final int hostsPerSwitch) {
        if (OpenSmCabling.matches(text)) {
            return OpenSmCabling.parse(name, text).graph();
        }
        return Anynet.matches(text)
                ? Anynet.parse(name, text, hostsPerSwitch)
                : EdgeList.parse(name, text, hostsPerSwitch);
    }

    private static SwitchGraph cabling(
            final String text, final String name, final int hostsPerSwitch) {
        try {
            return CablingYaml.parse(text, name, hostsPerSwitch);
        } catch (final ConfigException e) {
            throw new ToolException(e.getMessage(), e);
        }
    }

    /**
     * Reads a file of text.
     *
     * @throws ToolException if it is not there, not text or too large.
     */
    public static String text(final String name) throws IOException {
        // Read without asking for its size: what is not a regular file may have no end.
        try (InputStream input = Files.newInputStream(Path.of(name))) {
            final byte[] bytes = input.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw new ToolException(name + " is larger than 64 MiB; give a smaller file");
            }
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (final NoSuchFileException e) {
            throw new ToolException("there is no file '" + name + "'", e);
        } catch (final CharacterCodingException e) {
            throw new ToolException(name + " is not UTF-8 text", e);
        }
    }
}
