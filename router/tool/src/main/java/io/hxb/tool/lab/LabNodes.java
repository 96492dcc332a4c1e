package io.hxb.tool.lab;

import io.hxb.config.ClusterConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.tool.machine.Shell;
import io.hxb.tool.report.ToolException;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Kills, stops and starts the nodes of a lab, whose processes are found by its state file. Any
 * thread may call it.
 */
public final class LabNodes {
    private static final long KILL_LIMIT_S = 10;

    private final LabRegistry registry;
    private final String lab;
    private final BitSet killed = new BitSet();
    private final BitSet paused = new BitSet();

    /** Takes the nodes of a lab that is up. */
    public LabNodes(final LabRegistry registry, final String lab) {
        this.registry = registry;
        this.lab = lab;
    }

    private Path file() {
        return registry.folder(lab).resolve("cluster.yaml");
    }

    /**
     * Makes sure that every node has a process of its own.
     *
     * @throws ToolException if not, with the remedy.
     */
    public void requireProcesses() {
        if (registry.require(lab).nodePids().isEmpty()) {
            throw new ToolException(
                    "the nodes of lab "
                            + lab
                            + " are one process, and cannot be killed or paused one by one: make it"
                            + " with --processes");
        }
    }

    /** Kills a node immediately, as by kill -9; returns when it is gone. */
    public synchronized void kill(final int node) {
        final ProcessHandle process = process(node);
        killed.set(node);
        process.destroyForcibly();
        try {
            process.onExit().get(KILL_LIMIT_S, TimeUnit.SECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (final java.util.concurrent.ExecutionException
                | java.util.concurrent.TimeoutException e) {
            throw new ToolException("node " + node + " could not be killed: " + e, e);
        }
    }

    /**
     * Starts a killed node; does not wait until it is ready. If this process owns the lab, the node
     * ends with it.
     */
    public synchronized void restart(final int node) {
        final LabState state = registry.require(lab);
        final boolean isOwned = state.ownerPid() == ProcessHandle.current().pid();
        final ClusterConfig config = ClusterConfigYaml.read(file());
        final Process process =
                NodeProcesses.start(
                        registry.folder(lab), config, file(), node, isOwned, Capture.NONE);
        final List<Long> pids = new ArrayList<>(state.nodePids());
        pids.set(node, process.pid());
        registry.write(state.withNodes(pids, state.isReady()));
        killed.clear(node);
    }

    /** Suspends a node's process. */
    public synchronized void pause(final int node) {
        signal("STOP", node);
        paused.set(node);
    }

    /** Resumes a paused node. */
    public synchronized void resume(final int node) {
        signal("CONT", node);
        paused.clear(node);
    }

    /** Resumes paused nodes and starts killed ones. */
    public synchronized void repair() {
        resumeAll();
        killed.stream().boxed().toList().forEach(this::restart);
    }

    /** Resumes paused nodes, which could not be ended otherwise. */
    public synchronized void resumeAll() {
        paused.stream().boxed().toList().forEach(this::resume);
    }

    private void signal(final String name, final int node) {
        Shell.check("", List.of("sh", "-c", "kill -" + name + " " + process(node).pid()));
    }

    private ProcessHandle process(final int node) {
        return ProcessHandle.of(registry.require(lab).nodePids().get(node))
                .filter(LabRegistry::isOurs)
                .orElseThrow(
                        () ->
                                new ToolException(
                                        "the process of node "
                                                + node
                                                + " of lab "
                                                + lab
                                                + " has gone"));
    }
}
