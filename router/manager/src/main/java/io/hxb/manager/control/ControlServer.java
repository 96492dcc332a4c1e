package io.hxb.manager.control;

import io.hxb.observe.metrics.MetricText;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Lets a control work round by round, on the thread that calls {@link #run}. Others ask for its
 * report, and stop or start it.
 */
public final class ControlServer {
    private static final Logger LOGGER = LoggerFactory.getLogger(ControlServer.class);
    private static final int MAX_COMMANDS = 16;
    private static final long ANSWER_LIMIT_S = 10;

    private final NetworkControl control;
    private final long intervalNs;
    private final Function<Object, String> json;
    private final BlockingQueue<Runnable> commands = new ArrayBlockingQueue<>(MAX_COMMANDS);
    // Written by the thread of run, read by any.
    private volatile ControlReport report;
    private volatile boolean isEnding;
    private long failures;

    /**
     * Does not run yet.
     *
     * @param intervalNs from the beginning of a round to that of the next.
     * @param json writes an object in a line.
     */
    public ControlServer(
            final NetworkControl control,
            final long intervalNs,
            final Function<Object, String> json) {
        this.control = control;
        this.intervalNs = intervalNs;
        this.json = json;
        report = control.report(System.nanoTime());
    }

    /**
     * Works until it is ended.
     *
     * @param afterRound called with the report of each round.
     * @throws InterruptedException if the thread is interrupted.
     */
    public void run(final Consumer<ControlReport> afterRound) throws InterruptedException {
        long nextNs = System.nanoTime();
        while (!isEnding) {
            final long waitNs = nextNs - System.nanoTime();
            final Runnable command =
                    waitNs <= 0 ? null : commands.poll(waitNs, TimeUnit.NANOSECONDS);
            if (command != null) {
                attempt(command);
                continue;
            }
            if (isEnding || nextNs - System.nanoTime() > 0) {
                continue;
            }
            final long nowNs = System.nanoTime();
            nextNs = nowNs + intervalNs;
            attempt(() -> round(nowNs));
            afterRound.accept(report);
        }
    }

    private void round(final long nowNs) {
        control.step(nowNs);
        report = control.report(System.nanoTime());
    }

    /** The server goes on without what has failed: hosts undo what is no longer held up. */
    private void attempt(final Runnable action) {
        try {
            action.run();
        } catch (final RuntimeException e) {
            failures++;
            if (Long.bitCount(failures) == 1) {
                LOGGER.error("a round or command failed ({} so far)", failures, e);
            }
            control.onFailure(e);
            report = control.report(System.nanoTime());
        }
    }

    /** Ends {@link #run} soon; any thread. */
    public void end() {
        isEnding = true;
        final boolean ignored = commands.offer(() -> {});
    }

    /** The report of the last round. */
    public ControlReport report() {
        return report;
    }

    /** Answers a request over HTTP; not by the thread of {@link #run}. */
    public ControlSocket.Answer answer(final ControlSocket.Request request) {
        return switch (request.method() + " " + request.target()) {
            case "GET /v1/status" -> ControlSocket.Answer.json(200, json.apply(report.status()));
            case "GET /v1/explain" -> ControlSocket.Answer.json(200, json.apply(report.changes()));
            case "GET /metrics" -> metrics(MetricText.accepted(request.accept()));
            case "POST /v1/stop" -> command(() -> control.stop(false));
            case "POST /v1/stop?freeze" -> command(() -> control.stop(true));
            case "POST /v1/start" -> command(control::start);
            default ->
                    ControlSocket.Answer.json(
                            404, "{\"ok\":false,\"error\":\"there is no such function\"}");
        };
    }

    private ControlSocket.Answer metrics(final MetricText format) {
        return new ControlSocket.Answer(200, format.type(), format.text(report.metrics()));
    }

    /** Has the thread of {@link #run} do something, and a round, and waits for it. */
    private ControlSocket.Answer command(final Runnable action) {
        final CompletableFuture<Void> done = new CompletableFuture<>();
        final boolean isQueued =
                commands.offer(
                        () -> {
                            try {
                                action.run();
                                round(System.nanoTime());
                                done.complete(null);
                            } finally {
                                // Does nothing if it has been done.
                                done.cancel(false);
                            }
                        });
        try {
            if (isQueued) {
                done.get(ANSWER_LIMIT_S, TimeUnit.SECONDS);
                return ControlSocket.Answer.json(200, json.apply(report.status()));
            }
        } catch (final CancellationException e) {
            return ControlSocket.Answer.json(
                    500, "{\"ok\":false,\"error\":\"that failed: see the server's log\"}");
        } catch (final TimeoutException | ExecutionException e) {
            // Reported below.
            done.cancel(false);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return ControlSocket.Answer.json(
                503, "{\"ok\":false,\"error\":\"it is busy with its hosts: try again\"}");
    }
}
