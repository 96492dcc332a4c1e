package io.hxb.tool.graph;

import com.sun.management.ThreadMXBean;

import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.generate.RandomGraphs;
import io.hxb.fabric.verify.OpenSmDump;
import io.hxb.tool.chaos.script.ScriptReader;
import io.hxb.tool.chaos.script.Selector;
import io.hxb.topology.Shape;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Every file that the tools read, with any bytes in it: it is read, or refused with a message,
 * within five seconds of CPU and a bounded amount of memory. Used by one thread.
 */
public final class HostileFiles {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final long MAX_CPU_NS = 5_000_000_000L;
    private static final long MAX_BYTES = 512L << 20;
    private static final int MAX_INPUT_BYTES = 20_000;
    private static final String[] GRAPHS = {
        ".edges", ".yaml", ".dot", ".json", ".graphml", ".anynet"
    };
    private static final SwitchGraph GRAPH = RandomGraphs.connected(4, 4, false, 1, 1);

    private HostileFiles() {}

    /** Runs an input: the first byte selects the kind of file of the rest. */
    public static void run(final byte[] bytes) {
        if (bytes.length == 0 || bytes.length > MAX_INPUT_BYTES) {
            return;
        }
        final byte[] content = Arrays.copyOfRange(bytes, 1, bytes.length);
        final int kind = bytes[0] & 0xFF;
        // The first time classes may have been loaded, which is not the input's doing.
        final String excess = excess(kind, content).isEmpty() ? "" : excess(kind, content);
        if (!excess.isEmpty()) {
            throw new AssertionError(content.length + " bytes took " + excess);
        }
    }

    // What reading takes if it is too much, else an empty text.
    private static String excess(final int kind, final byte[] content) {
        final long cpuNs = THREADS.getCurrentThreadCpuTime();
        final long allocated = THREADS.getCurrentThreadAllocatedBytes();
        try {
            read(kind, content);
        } catch (final IOException e) {
            // In words, as all of ours are.
        } catch (final RuntimeException e) {
            if (!e.getClass().getName().startsWith("io.hxb.") || e.getMessage() == null) {
                throw e;
            }
        }
        final long usedNs = THREADS.getCurrentThreadCpuTime() - cpuNs;
        final long usedBytes = THREADS.getCurrentThreadAllocatedBytes() - allocated;
        return usedNs <= MAX_CPU_NS && usedBytes <= MAX_BYTES
                ? ""
                : usedNs / 1_000_000 + " ms and " + (usedBytes >> 20) + " MB";
    }

    private static void read(final int kind, final byte[] content) throws IOException {
        final String text = new String(content, StandardCharsets.UTF_8);
        switch (kind % 11) {
            case 0 -> ClusterConfigYaml.parse(text, "input");
            case 1, 2, 3, 4 -> readGraph(GRAPHS[kind % 11 - 1], content);
            case 9, 10 -> readGraph(GRAPHS[kind % 11 - 5], content);
            case 5 -> new ScriptReader(new Selector(Shape.of(2, 2), 2)).parse(text, "input");
            case 6 -> {
                final int half = text.length() / 2;
                OpenSmDump.parse(
                        "tables", text.substring(0, half), "cabling", text.substring(half));
            }
            case 7 -> readTraffic(content);
            default -> readWords(text);
        }
    }

    private static void readGraph(final String ending, final byte[] content) throws IOException {
        final Path file = Files.createTempFile("hxb-fuzz", ending);
        try {
            Files.write(file, content);
            GraphFile.read(file.toString(), 1);
        } finally {
            Files.delete(file);
        }
    }

    private static void readTraffic(final byte[] content) throws IOException {
        final Path file = Files.createTempFile("hxb-fuzz", ".txt");
        try {
            Files.write(file, content);
            TrafficFile.read(file.toString(), GRAPH);
        } finally {
            Files.delete(file);
        }
    }

    // Names such as torus:8x8 stand for files that are generated.
    private static void readWords(final String text) throws IOException {
        if (text.length() < 60 && text.matches("[a-z-]+:[0-9x,.-]+")) {
            GraphFile.read(text, 1);
        }
    }
}
