package io.hxb.tool.mpi;

import io.hxb.tool.report.ToolException;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The mpirun of the user's Open MPI. Immutable.
 *
 * @param mpirun its file.
 * @param version such as {@code 4.1.4}.
 */
record OpenMpi(Path mpirun, String version) implements Mpi {
    private static final Pattern VERSION = Pattern.compile("\\(Open MPI\\) (\\d+[.\\d]*)");
    private static final String TRIED = "4.";

    /**
     * Reads what {@code mpirun --version} has said.
     *
     * @return empty if it belongs to another MPI.
     */
    static Optional<OpenMpi> of(final Path mpirun, final String text) {
        final Matcher version = VERSION.matcher(text);
        return version.find()
                ? Optional.of(new OpenMpi(mpirun, version.group(1)))
                : Optional.empty();
    }

    @Override
    public String name() {
        return "Open MPI " + version;
    }

    @Override
    public boolean isUntried() {
        return !version.startsWith(TRIED);
    }

    @Override
    public MpirunWords.Syntax syntax() {
        return MpirunWords.Syntax.OPEN_MPI;
    }

    @Override
    public Map<String, String> transport() {
        return Map.of(
                "OMPI_MCA_pml", "cm",
                "OMPI_MCA_mtl", "ofi",
                "OMPI_MCA_mtl_ofi_provider_include", "hxb");
    }

    /**
     * The provider is opened once by each rank, for messages, and not again for one-sided
     * operations, which go by messages or the memory of the machine.
     */
    @Override
    public Map<String, String> defaults() {
        return Map.of("OMPI_MCA_btl", "^ofi", "OMPI_MCA_osc", "^rdma");
    }

    /**
     * Open MPI need not give the CPU away while it waits: the provider does, and sleeps where
     * others compute.
     */
    @Override
    public Map<String, String> crowding() {
        return Map.of(
                "OMPI_MCA_rmaps_base_oversubscribe", "1",
                "OMPI_MCA_hwloc_base_binding_policy", "none",
                "OMPI_MCA_mpi_yield_when_idle", "0");
    }

    @Override
    public Map<String, String> root() {
        return Map.of("OMPI_ALLOW_RUN_AS_ROOT", "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    }

    @Override
    public Launch launch(
            final MpirunWords words,
            final Map<String, String> environment,
            final Optional<Path> rankScript) {
        final Map<String, String> all = new HashMap<>(environment);
        rankScript.ifPresent(script -> all.put("OMPI_MCA_orte_fork_agent", withoutBlank(script)));
        final List<String> exports =
                all.keySet().stream()
                        .filter(variable -> !variable.startsWith("OMPI_"))
                        .sorted()
                        .flatMap(variable -> Stream.of("-x", variable))
                        .toList();
        return new Launch(mpirun, words.with(exports), all);
    }

    private static String withoutBlank(final Path script) {
        if (script.toString().matches(".*\\s.*")) {
            throw new ToolException(
                    "Open MPI starts nothing by a path with a blank, and HXB is in "
                            + script.getParent()
                            + ": move it, or make a link to it and start deploy/hxb there");
        }
        return script.toString();
    }
}
