package io.hxb.sim.ethernet;

import java.util.List;

/**
 * Processes, one on each host, that do the same steps in order: send a message to a partner once
 * the partner has also reached this step, as MPI does with long messages, and go on when the
 * partner's message has arrived. Owned by one run.
 */
public final class AllToAllExchange implements SimulatedApplication {
    private final List<Step> steps;
    private final int frameBytes;
    private final int rounds;
    private final int[] step;
    private final long[] leftToSend;
    private final long[][] received;
    private int finished;
    private EthernetNetwork network;

    /**
     * One step of all processes.
     *
     * @param partner of each process, itself to skip the step, {@code [hosts]}.
     * @param vlan in which each process sends to its partner, {@code [hosts]}.
     * @param messageBytes that each sends.
     */
    public record Step(List<Integer> partner, List<Integer> vlan, long messageBytes) {}

    /** Repeats the steps {@code rounds} times, with frames of this length. */
    public AllToAllExchange(
            final List<Step> steps, final int hosts, final int frameBytes, final int rounds) {
        this.steps = List.copyOf(steps);
        this.frameBytes = frameBytes;
        this.rounds = rounds;
        this.step = new int[hosts];
        this.leftToSend = new long[hosts];
        this.received = new long[hosts][steps.size()];
        for (int host = 0; host < hosts; host++) {
            begin(host);
        }
    }

    private Step current(final int host) {
        return steps.get(step[host] % steps.size());
    }

    private boolean isDone(final int host) {
        return step[host] == rounds * steps.size();
    }

    private void begin(final int host) {
        while (!isDone(host) && current(host).partner.get(host) == host) {
            step[host]++;
        }
        if (isDone(host)) {
            finished++;
            return;
        }
        leftToSend[host] = current(host).messageBytes;
    }

    /** Whether all processes have done all steps. */
    public boolean isDone() {
        return finished == step.length;
    }

    @Override
    public boolean next(final int host, final long nowNs, final Draft draft) {
        advance(host);
        if (isDone(host) || leftToSend[host] == 0) {
            return false;
        }
        final Step now = current(host);
        if (step[now.partner.get(host)] < step[host]) {
            return false;
        }
        final int bytes = (int) Math.min(frameBytes, leftToSend[host]);
        leftToSend[host] -= bytes;
        draft.set(now.partner.get(host), now.vlan.get(host), bytes, step[host] % steps.size());
        return true;
    }

    @Override
    public void onFrame(
            final EthernetNetwork on,
            final int host,
            final int source,
            final int vlan,
            final int bytes,
            final int tag,
            final long nowNs) {
        network = on;
        received[host][tag] += bytes;
        advance(host);
        on.wake(host, nowNs);
    }

    /** Goes on to the next step once this one's message is sent and the partner's has arrived. */
    private void advance(final int host) {
        while (!isDone(host)) {
            final int at = step[host] % steps.size();
            final long needed = steps.get(at).messageBytes;
            if (leftToSend[host] > 0 || received[host][at] < needed) {
                break;
            }
            received[host][at] -= needed;
            step[host]++;
            begin(host);
            if (!isDone(host)) {
                // It may have waited for this process to get here.
                network.wake(current(host).partner.get(host), 0);
            }
        }
    }
}
