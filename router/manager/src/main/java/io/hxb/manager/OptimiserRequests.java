package io.hxb.manager;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/**
 * Answers what sessions ask of the {@link PathOptimiser}. A session has one search at a time, and
 * asks again and again until it is over, so that nobody else waits for it. Owned by the manager's
 * thread.
 */
final class OptimiserRequests {
    /** Demands of all sessions together; one takes 16 bytes. */
    static final int MAX_DEMANDS = 262_144;

    private static final Logger LOGGER = LoggerFactory.getLogger(OptimiserRequests.class);

    private final PathOptimiser optimiser;
    private int demands;

    /** Answers for an optimiser, or that there is none. */
    OptimiserRequests(final PathOptimiser optimiser) {
        this.optimiser = optimiser;
    }

    Status answer(
            final ManagerSession session,
            final ManagerOperation operation,
            final ManagerMessage request,
            final ManagerMessage reply) {
        if (optimiser == null) {
            return Status.NO_PLAN;
        }
        return switch (operation) {
            case DEMAND -> demand(session.search(), request);
            case OPTIMISE -> begin(session.search(), reply);
            case CHOICE -> choice(session.search(), request.index(), reply);
            default -> Status.MALFORMED;
        };
    }

    private Status demand(final HostPathSearch search, final ManagerMessage request) {
        final int from = request.index();
        final int to = request.peerNumber();
        final long bytes = request.value(0);
        if (request.kind() != ManagerMessage.PeerKind.HOST || bytes < 0) {
            return Status.MALFORMED;
        }
        if (!isHost(from) || !isHost(to)) {
            return Status.NO_SUCH_HOST;
        }
        if (demands == MAX_DEMANDS) {
            return Status.LIMIT;
        }
        search.add(from, to, bytes);
        demands++;
        return Status.OK;
    }

    private boolean isHost(final int host) {
        return host >= 0 && host < optimiser.hostCount();
    }

    private Status begin(final HostPathSearch search, final ManagerMessage reply) {
        if (search.isRunning()) {
            return Status.RUNNING;
        }
        reply.index(search.demands());
        demands -= search.demands();
        search.begin(optimiser);
        return Status.OK;
    }

    private static Status choice(
            final HostPathSearch search, final int index, final ManagerMessage reply) {
        final Future<PathOptimiser.Result> task = search.task();
        if (task == null) {
            return Status.END_OF_LIST;
        }
        if (!task.isDone()) {
            return Status.RUNNING;
        }
        final PathOptimiser.Result result;
        try {
            result = task.get();
        } catch (final ExecutionException e) {
            LOGGER.warn("paths were not computed", e.getCause());
            search.drop();
            return Status.NOT_COMPUTED;
        } catch (final InterruptedException | CancellationException e) {
            throw new IllegalStateException("only who asks forgets a search", e);
        }
        reply.value(0, result.planned()).value(1, result.load()).value(2, result.bound());
        if (index < 0 || index >= result.choices().size()) {
            return Status.END_OF_LIST;
        }
        final PathOptimiser.Choice choice = result.choices().get(index);
        reply.index(choice.low()).peerHost(choice.high()).vid(choice.vid());
        return Status.OK;
    }

    /** A session has ended. */
    void forget(final ManagerSession session) {
        final HostPathSearch search = session.search();
        demands -= search.demands();
        search.clear();
        if (search.isRunning()) {
            optimiser.forget(search.task());
        }
    }
}
