package io.hxb.tool.lab.command;

import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.switches.HostPair;
import io.hxb.tool.lab.switches.HostStream;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.TextTable;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** {@code hxb lab perf}: throughput between hosts of a lab of switches. Picocli makes it. */
@Command(
        name = "perf",
        mixinStandardHelpOptions = true,
        header = "Measure throughput by IP in a lab of switches.",
        description =
                "Have the first host of each pair send to the second by TCP as fast as "
                        + "it can, all pairs at once. Measure nodes of HXB by 'hxb perf'.",
        footer = {"", "Example: hxb lab perf 0,8 1,9 --seconds 10"})
final class LabPerfCommand implements Callable<Integer> {
    private static final double MAX_SECONDS = 3_600;

    @Option(
            names = "--name",
            paramLabel = "LAB",
            defaultValue = "lab",
            description = "use the lab of this name (default: ${DEFAULT-VALUE})")
    private String name;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            defaultValue = "3",
            description = "send for this long (default: ${DEFAULT-VALUE})")
    private double seconds;

    @Parameters(
            arity = "1..*",
            paramLabel = "PAIR",
            description = "measure between the hosts of these numbers, such as 0,8")
    private List<String> pairs;

    @Mixin private Output output;

    /** Picocli makes it. */
    LabPerfCommand() {}

    @Override
    public Integer call() throws IOException {
        if (!(seconds > 0 && seconds <= MAX_SECONDS)) {
            throw new UsageException("--seconds must be above 0, at most 3600: " + seconds);
        }
        final int hosts = LabRegistry.ofUser().requireSwitches(name).spec().shape().nodeCount();
        final List<HostPair> all = pairs.stream().map(text -> HostPair.parse(text, hosts)).toList();
        final List<HostStream> streams = new ArrayList<>();
        try {
            for (final HostPair pair : all) {
                streams.add(HostStream.between(name, pair));
            }
            final double[] rates = measure(streams);
            report(all, rates);
            for (final double rate : rates) {
                if (rate == 0) {
                    return ExitStatus.FAILED;
                }
            }
            return ExitStatus.OK;
        } finally {
            for (final HostStream stream : streams) {
                stream.close();
            }
        }
    }

    /** What arrives, in MB/s, {@code [streams]}. */
    private double[] measure(final List<HostStream> streams) {
        final double[] rates = new double[streams.size()];
        final long[] before = streams.stream().mapToLong(HostStream::receivedBytes).toArray();
        final long startNs = System.nanoTime();
        final long forNs = (long) (seconds * 1e9);
        for (long left = forNs; left > 0; left = forNs - (System.nanoTime() - startNs)) {
            LockSupport.parkNanos(left);
        }
        final double tookNs = System.nanoTime() - startNs;
        for (int i = 0; i < rates.length; i++) {
            rates[i] = (streams.get(i).receivedBytes() - before[i]) * 1e3 / tookNs;
        }
        return rates;
    }

    private void report(final List<HostPair> all, final double[] rates) {
        final TextTable table = new TextTable("from", "to", "MB/s");
        final List<Map<String, Object>> rows = new ArrayList<>();
        double sum = 0;
        for (int i = 0; i < rates.length; i++) {
            table.row(all.get(i).from(), all.get(i).to(), text(rates[i]));
            final Map<String, Object> row = new LinkedHashMap<>();
            row.put("from", all.get(i).from());
            row.put("to", all.get(i).to());
            row.put("bandwidth_MBps", rates[i]);
            rows.add(row);
            sum += rates[i];
        }
        output.text().print(table);
        output.text().println("in all " + text(sum) + " MB/s");
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", true);
        report.put("seconds", seconds);
        report.put("pairs", rows);
        report.put("bandwidth_MBps", sum);
        output.report(report);
    }

    private static String text(final double rate) {
        return String.format(Locale.ROOT, "%.2f", rate);
    }
}
