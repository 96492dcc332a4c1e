package io.hxb.tool.measure;

import io.hxb.node.service.ServiceProtocol;
import io.hxb.os.CpuTime;
import io.hxb.tool.report.Json;
import io.hxb.tool.report.ToolException;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Receivers of nodes of this machine in a process of their own, which ends with this one, however
 * this one ends: its standard input is a pipe from here. Owned by the thread that makes it.
 */
public final class ReceiverProcess implements Receivers {
    private static final long READY_S = 30;
    private static final long END_S = 2;
    private static final int SIGNALLED = 128;
    private static final int LONGEST_COMPLAINT = 2_000;

    private final Process process;
    private final CompletableFuture<String> first;
    private final CompletableFuture<String> errors;
    private final Map<Integer, Integer> contexts = new HashMap<>();

    /**
     * Starts it and does not wait for it.
     *
     * @param command that runs {@code hxb perf --receive} with {@code --attended} and {@code
     *     --json}.
     */
    public ReceiverProcess(final List<String> command) {
        try {
            process = new ProcessBuilder(command).start();
        } catch (final IOException e) {
            throw new ToolException("cannot start the receiver: " + e.getMessage(), e);
        }
        first = read(process.getInputStream(), true);
        errors = read(process.getErrorStream(), false);
    }

    // A thread of its own for each: what is not read stops the process.
    private static CompletableFuture<String> read(final InputStream stream, final boolean isLine) {
        final CompletableFuture<String> text = new CompletableFuture<>();
        final Thread thread =
                new Thread(
                        () -> {
                            try (BufferedReader reader =
                                    new BufferedReader(
                                            new InputStreamReader(
                                                    stream, StandardCharsets.UTF_8))) {
                                readAll(reader, isLine, text);
                            } catch (final IOException e) {
                                text.complete("");
                            }
                        },
                        "hxb-perf-receiver");
        thread.setDaemon(true);
        thread.start();
        return text;
    }

    private static void readAll(
            final BufferedReader reader, final boolean isLine, final CompletableFuture<String> text)
            throws IOException {
        final StringBuilder all = new StringBuilder();
        String line = reader.readLine();
        while (line != null) {
            if (isLine) {
                text.complete(line);
            } else if (all.length() < LONGEST_COMPLAINT) {
                all.append(line).append('\n');
            }
            line = reader.readLine();
        }
        text.complete(all.toString().strip());
    }

    /**
     * Waits until it receives.
     *
     * @throws ToolException with what it complained of, if it does not.
     */
    public void awaitReady() {
        final Map<?, ?> report;
        try {
            final String line = first.get(READY_S, TimeUnit.SECONDS);
            report = line.isEmpty() ? Map.of() : Json.parse(line, Map.class, "the receiver's line");
        } catch (final TimeoutException e) {
            throw new ToolException("the receiver is not ready after " + READY_S + " s", e);
        } catch (final ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ToolException("interrupted while the receiver started", e);
        }
        if (!(report.get("receivers") instanceof final List<?> found)) {
            throw new ToolException(
                    report.get("error") instanceof final String text
                            ? "the receiver: " + text
                            : ended());
        }
        for (final Object one : found) {
            final Map<?, ?> receiver = (Map<?, ?>) one;
            contexts.put((Integer) receiver.get("node"), (Integer) receiver.get("context"));
        }
    }

    @Override
    public int context(final int node) {
        return contexts.getOrDefault(node, ServiceProtocol.CONTEXT);
    }

    @Override
    public OptionalLong cpuNs() {
        return CpuTime.ofNs(List.of(process.pid()));
    }

    @Override
    public Optional<String> problem() {
        return process.isAlive() ? Optional.empty() : Optional.of(ended());
    }

    private String ended() {
        final String how;
        try {
            if (!process.waitFor(END_S, TimeUnit.SECONDS)) {
                return "the receiving process does not report its state";
            }
            final int status = process.exitValue();
            how =
                    status > SIGNALLED
                            ? "was ended by signal " + (status - SIGNALLED)
                            : "ended with status " + status;
            final String complaint = errors.get(END_S, TimeUnit.SECONDS);
            return "the receiving process " + how + (complaint.isEmpty() ? "" : ": " + complaint);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return "the receiving process has ended";
        } catch (final ExecutionException | TimeoutException e) {
            return "the receiving process has ended";
        }
    }

    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(END_S, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (final IOException e) {
            process.destroyForcibly();
        } catch (final InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
