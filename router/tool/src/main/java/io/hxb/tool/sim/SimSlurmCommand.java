package io.hxb.tool.sim;

import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/** {@code hxb sim slurm}: an experiment file as an array job. Picocli makes it. */
@Command(
        name = "slurm",
        mixinStandardHelpOptions = true,
        header = "Print a script that runs an experiment under Slurm.",
        description =
                "Print a script for sbatch that runs an experiment file as an array "
                        + "job, a task for each combination (or fewer); every task writes "
                        + "FILE-TASK.json.")
final class SimSlurmCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "FILE",
            description = "run this experiment file, see hxb sim run --help")
    private Path file;

    @Option(
            names = "--tasks",
            paramLabel = "N",
            defaultValue = "0",
            description = "give the array this many tasks (default: one for each combination)")
    private int tasks;

    @Option(
            names = "--cpus",
            paramLabel = "N",
            defaultValue = "1",
            description = "give each task this many CPUs (default: ${DEFAULT-VALUE})")
    private int cpus;

    @Option(
            names = "--time",
            paramLabel = "LIMIT",
            defaultValue = "1:00:00",
            description = "limit each task to this time, H:MM:SS (default: ${DEFAULT-VALUE})")
    private String time;

    /** Picocli makes it. */
    SimSlurmCommand() {}

    @Override
    public Integer call() throws IOException {
        if (tasks < 0 || cpus < 1 || !time.matches("[0-9:-]{1,20}")) {
            throw new UsageException(
                    "--tasks must be 0 or more, --cpus at least 1 and --time like 1:00:00");
        }
        // Finds every mistake now instead of on the cluster.
        final int combinations = ExperimentFile.read(file).series().size();
        final int count = tasks == 0 ? combinations : Math.min(tasks, combinations);
        System.out.print(script(count));
        return 0;
    }

    private String script(final int count) {
        final String name = file.getFileName().toString().replaceFirst("\\.ya?ml$", "");
        final String launcher = System.getProperty("hxb.launcher", "hxb");
        return """
        #!/bin/bash
        #SBATCH --job-name=%s
        #SBATCH --array=1-%d
        #SBATCH --cpus-per-task=%d
        #SBATCH --time=%s
        #SBATCH --output=%s-%%a.log
        # Run 'hxb sim --help' once before: all tasks share what that builds. Afterwards, for example:
        # hxb sim merge %s-*.json --out %s.csv
        exec %s sim run %s --part "$SLURM_ARRAY_TASK_ID/%d" --threads %d \\
            --out "%s-$SLURM_ARRAY_TASK_ID.json"
        """
                .formatted(
                        name,
                        count,
                        cpus,
                        time,
                        name,
                        name,
                        name,
                        quoted(launcher),
                        quoted(file.toAbsolutePath().toString()),
                        count,
                        cpus,
                        name);
    }

    private static String quoted(final String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }
}
