package io.hxb.tool.mpi;

import io.hxb.tool.machine.Programs;
import io.hxb.tool.machine.Shell;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The mpirun of the user's MPICH, Hydra. Immutable.
 *
 * @param mpirun its file.
 * @param version such as {@code 4.0.2}.
 */
record Mpich(Path mpirun, String version) implements Mpi {
    private static final Pattern VERSION =
            Pattern.compile("HYDRA build details:\\s+Version:\\s+(\\d+[.\\d]*)");
    private static final Pattern DEVICE = Pattern.compile("MPICH Device:\\s+(\\S+)");
    private static final Pattern TRIED = Pattern.compile("4\\.[02](\\..*)?");

    /**
     * Reads the output of {@code mpirun --version}.
     *
     * @return empty if it belongs to another MPI.
     * @throws ToolException if it is MPICH, but one that does not use libfabric.
     */
    static Optional<Mpich> of(final Path mpirun, final String text) {
        final Matcher version = VERSION.matcher(text);
        if (!version.find()) {
            return Optional.empty();
        }
        Programs.find(mpirun.resolveSibling("mpichversion").toString()).ifPresent(Mpich::check);
        return Optional.of(new Mpich(mpirun, version.group(1)));
    }

    /** Other devices would run all programs, without HXB. */
    private static void check(final Path mpichVersion) {
        final String text = Shell.run("", List.of(mpichVersion.toString())).output();
        final Matcher device = DEVICE.matcher(text);
        if (device.find() && !device.group(1).startsWith("ch4:ofi")) {
            throw new ToolException(
                    "the MPICH in "
                            + mpichVersion.getParent()
                            + " does not use libfabric: its device is "
                            + device.group(1)
                            + ", and HXB needs ch4:ofi (configure --with-device=ch4:ofi;"
                            + " benchmarks/mpich builds one)");
        }
    }

    @Override
    public String name() {
        return "MPICH " + version;
    }

    @Override
    public boolean isUntried() {
        return !TRIED.matcher(version).matches();
    }

    @Override
    public Optional<String> warning() {
        return Optional.empty();
    }

    @Override
    public boolean isStartedByScript() {
        return false;
    }

    @Override
    public MpirunWords.Syntax syntax() {
        return MpirunWords.Syntax.HYDRA;
    }

    /**
     * It takes the provider that FI_PROVIDER names, and complains of variables of its own that do.
     */
    @Override
    public Map<String, String> transport() {
        return Map.of();
    }

    @Override
    public Map<String, String> defaults() {
        return Map.of();
    }

    /** Ranks of a lab are on one machine, and would all talk by its memory. */
    @Override
    public Map<String, String> crowding() {
        return Map.of("MPIR_CVAR_NOLOCAL", "1");
    }

    @Override
    public Map<String, String> root() {
        return Map.of();
    }

    /**
     * Hydra hands its whole environment to ranks, also on other hosts. Ranks that a program spawns
     * are started without the script: in a lab they find the first node.
     */
    @Override
    public Launch launch(
            final MpirunWords words,
            final Map<String, String> environment,
            final Optional<Path> rankScript) {
        if (rankScript.isEmpty()) {
            return new Launch(mpirun, words.with(List.of()), environment);
        }
        if (words.hasProgramFile()) {
            throw new UsageException(
                    "in a lab, MPICH's programs have to be among the arguments, not in a file");
        }
        final Map<String, String> withNode = new HashMap<>(environment);
        final String sockets = environment.get("HXB_RANK_SOCKETS");
        if (sockets != null) {
            final String node = environment.getOrDefault("HXB_RANK_LIST", "0").split(",", 2)[0];
            withNode.put("HXB_SOCKET", sockets.replace("{node}", node));
        }
        return new Launch(
                mpirun, words.withInFront(List.of(rankScript.get().toString())), withNode);
    }
}
