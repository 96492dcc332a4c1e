package io.hxb.bench.programs;

import io.hxb.bench.harness.TcpRanks;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** The HPC Challenge on all nodes, over Open MPI, which checks its own results. Stateless. */
final class Hpcc implements NetworkProgram {
    private static final int SIZE = 200;
    private static final int BLOCK = 32;
    private static final double UNKNOWN = Double.NaN;
    private static final Pattern FAILURE =
            Pattern.compile("(?i).*(\\bFAILED\\b|Success=0|Found [1-9][0-9]* errors).*");

    private static final Pattern FAILED_TESTS =
            Pattern.compile("\\s*([0-9]+) tests completed and failed.*");

    @Override
    public String name() {
        return "HPCC, Open MPI over TCP";
    }

    @Override
    public Map<String, String> commands() {
        return Map.of("hpcc", "hpcc", "mpirun", "openmpi-bin");
    }

    @Override
    public List<String> versionCommand() {
        return List.of("dpkg-query", "-W", "hpcc");
    }

    @Override
    public boolean usesAllNodes() {
        return true;
    }

    @Override
    public Outcome run(final Site site, final double seconds) throws Exception {
        final int nodes = site.lab().nodes();
        Files.writeString(site.file("hpccinf.txt"), input(nodes));
        final List<String> command = new ArrayList<>(Repeat.command(seconds));
        command.addAll(
                TcpRanks.commandByVirtualNics(
                        site.file(""),
                        site.lab().spec(),
                        IntStream.range(0, nodes).boxed().toList(),
                        site.prefix(),
                        List.of("hpcc")));
        final Site.Ended ended = site.local(command);
        return ended.problem().isEmpty()
                ? outcome(Files.readAllLines(site.file("hpccoutf.txt")), nodes)
                : Outcome.bad(ended.problem());
    }

    // Source: README.txt of HPCC, "Runtime configuration"; the lines are known by their numbers.
    private static String input(final int nodes) {
        return """
        HPLinpack benchmark input file
        HXB
        HPL.out output file name
        8 device out
        1 number of sizes
        %d sizes
        1 number of blocks
        %d blocks
        0 mapping of processes
        1 number of grids
        1 rows
        %d columns
        16.0 threshold
        1 number of panel factorizations
        2 panel factorization
        1 number of stopping criteria
        4 stopping criterion
        1 number of panels in recursion
        2 panels
        1 number of recursive factorizations
        1 recursive factorization
        1 number of broadcasts
        1 broadcast
        1 number of depths
        1 depth
        2 swap
        64 swapping threshold
        0 L1
        0 U
        1 equilibration
        8 alignment
        separator
        0 more sizes of PTRANS
        100 sizes
        0 more blocks of PTRANS
        40 blocks
        """
                .formatted(SIZE, BLOCK, nodes);
    }

    /** What its file of results says, to which each run adds. */
    static Outcome outcome(final List<String> lines, final int nodes) {
        int runs = 0;
        for (final String line : lines) {
            final Matcher failedTests = FAILED_TESTS.matcher(line);
            if (failedTests.lookingAt()
                    ? !failedTests.group(1).equals("0")
                    : FAILURE.matcher(line).matches()) {
                return Outcome.bad(line.strip());
            }
            runs += line.equals("Success=1") ? 1 : 0;
        }
        return runs == 0
                ? Outcome.bad("no run has ended")
                : Outcome.good("%d runs on %d nodes, all passed".formatted(runs, nodes), UNKNOWN);
    }
}
