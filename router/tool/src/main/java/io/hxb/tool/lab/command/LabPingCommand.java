package io.hxb.tool.lab.command;

import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.switches.HostPair;
import io.hxb.tool.lab.switches.HostPing;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** {@code hxb lab ping}: round trips between hosts of a lab of switches. Picocli makes it. */
@Command(
        name = "ping",
        mixinStandardHelpOptions = true,
        header = "Measure round trips by IP in a lab of switches.",
        description =
                "Send UDP datagrams of 64 bytes, one every 200 ms, which the other "
                        + "host answers. The exit status is 1 if no answer comes. Measure nodes "
                        + "of HXB by 'hxb ping'.",
        footer = {"", "Example: hxb lab ping 0,8"})
final class LabPingCommand implements Callable<Integer> {
    private static final long PAUSE_NS = 200_000_000;
    private static final int MAX_COUNT = 100_000;

    @Option(
            names = "--name",
            paramLabel = "LAB",
            defaultValue = "lab",
            description = "use the lab of this name (default: ${DEFAULT-VALUE})")
    private String name;

    @Option(
            names = {"-c", "--count"},
            paramLabel = "N",
            defaultValue = "5",
            description = "send this many datagrams (default: ${DEFAULT-VALUE})")
    private int count;

    @Parameters(
            paramLabel = "PAIR",
            description = "measure between the hosts of these numbers, such as 0,8")
    private String pair;

    @Mixin private Output output;

    /** Picocli makes it. */
    LabPingCommand() {}

    @Override
    public Integer call() throws IOException {
        if (count < 1 || count > MAX_COUNT) {
            throw new UsageException("--count must be 1.." + MAX_COUNT + ": " + count);
        }
        final int hosts = LabRegistry.ofUser().requireSwitches(name).spec().shape().nodeCount();
        final HostPair hostPair = HostPair.parse(pair, hosts);
        final long[] times = new long[count];
        int answered = 0;
        try (HostPing ping = HostPing.between(name, hostPair)) {
            for (int i = 0; i < count; i++) {
                final long ns = ping.roundTripNs();
                if (ns == HostPing.LOST) {
                    output.text().printf("host %d: no answer in 1 s%n", hostPair.to());
                } else {
                    times[answered++] = ns;
                    output.text().printf("host %d: %.1f us%n", hostPair.to(), ns / 1e3);
                }
                LockSupport.parkNanos(i + 1 < count ? PAUSE_NS : 0);
            }
        }
        report(hostPair, Arrays.copyOf(times, answered));
        return answered > 0 ? ExitStatus.OK : ExitStatus.FAILED;
    }

    private void report(final HostPair hostPair, final long[] times) {
        Arrays.sort(times);
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", times.length > 0);
        report.put("from", hostPair.from());
        report.put("to", hostPair.to());
        report.put("sent", count);
        report.put("answered", times.length);
        if (times.length > 0) {
            final long median = times[times.length / 2];
            final Map<String, Object> rtt = new LinkedHashMap<>();
            rtt.put("min", times[0] / 1e3);
            rtt.put("median", median / 1e3);
            rtt.put("max", times[times.length - 1] / 1e3);
            report.put("rtt_us", rtt);
            output.text()
                    .printf(
                            "%d of %d answered: min %.1f, median %.1f, max %.1f us%n",
                            times.length,
                            count,
                            times[0] / 1e3,
                            median / 1e3,
                            times[times.length - 1] / 1e3);
        }
        output.report(report);
    }
}
