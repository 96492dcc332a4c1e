package io.hxb.tool;

import io.hxb.tool.doctor.Finding;
import io.hxb.tool.doctor.MachineCheck;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.report.Json;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** {@code hxb doctor}: what is wrong here, and how to fix it. Picocli makes it. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        description =
                "Examines this machine, a cluster file and the running node; says how to fix each"
                        + " finding.")
final class DoctorCommand implements Callable<Integer> {
    @Option(names = "--json", description = "the last line of output is one JSON object")
    private boolean isJson;

    /** Picocli makes it. */
    DoctorCommand() {}

    @Override
    public Integer call() {
        final List<Finding> findings = new ArrayList<>(MachineCheck.run(LabRegistry.ofUser()));
        for (final Finding finding : findings) {
            System.out.printf(
                    "%-5s %-20s %s%n", finding.level(), finding.subject(), finding.text());
            if (!finding.fix().isEmpty()) {
                System.out.printf("%-5s %-20s -> %s%n", "", "", finding.fix());
            }
        }
        final boolean isOk =
                findings.stream().noneMatch(finding -> finding.level() == Finding.Level.FAIL);
        if (isJson) {
            final Map<String, Object> report = new LinkedHashMap<>();
            report.put("ok", isOk);
            report.put("findings", findings);
            System.out.println(Json.line(report));
        }
        return isOk ? Hxb.OK : Hxb.FAILED;
    }
}
