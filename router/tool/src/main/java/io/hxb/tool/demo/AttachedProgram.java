package io.hxb.tool.demo;

import io.hxb.tool.lab.NodeProcesses;
import io.hxb.tool.machine.Shell;
import io.hxb.tool.report.ToolException;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs commands of hxb in processes of their own, which attach to a node as programs of users do.
 * Immutable.
 */
final class AttachedProgram {
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private final Path file;
    private final String node;

    /**
     * For programs at one node.
     *
     * @param file of the cluster.
     * @param node its coordinates.
     */
    AttachedProgram(final Path file, final String node) {
        this.file = file;
        this.node = node;
    }

    /**
     * Runs one and waits until it ends.
     *
     * @param words of the command, without those that name the file and the node.
     * @return the objects that it prints, the summary last.
     * @throws ToolException with what it printed if it fails.
     */
    List<JsonNode> run(final String words) {
        final List<String> command = new ArrayList<>(NodeProcesses.self(words.split(" ", -1)));
        command.addAll(List.of("--config", file.toString(), "--node", node, "--json"));
        final String output = Shell.check("", command);
        final List<JsonNode> objects = new ArrayList<>();
        try {
            for (final String line : output.lines().filter(text -> text.startsWith("{")).toList()) {
                objects.add(MAPPER.readTree(line));
            }
        } catch (final JacksonException e) {
            throw new ToolException("'" + words + "' printed no result: " + output, e);
        }
        if (objects.isEmpty()) {
            throw new ToolException("'" + words + "' printed no result: " + output);
        }
        return objects;
    }
}
