package io.hxb.tool.mpi;

import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The mpirun of the user's Open MPI. Immutable.
 *
 * @param mpirun its file.
 * @param version such as {@code 4.1.4}.
 */
record OpenMpi(Path mpirun, String version) implements Mpi {
    private static final Pattern VERSION = Pattern.compile("\\(Open MPI\\) (\\d+[.\\d]*)");
    private static final Set<String> TRIED = Set.of("4", "5");
    private static final String ENV = "OMPI_MCA_";
    private static final String FORK_AGENT = "orte_fork_agent";

    /**
     * From here on, PRRTE starts the ranks: its parameters have another prefix, and no fork agent.
     */
    private static final int[] FIRST_WITH_PRRTE = {5};

    /** From here on, persistent sends take datatypes as they are. */
    private static final int[] FIRST_CORRECT = {4, 1, 6};

    /**
     * Reads the output of {@code mpirun --version}.
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
        return !TRIED.contains(version.split("\\.", 2)[0]);
    }

    @Override
    public Optional<String> warning() {
        return isBefore(FIRST_CORRECT)
                ? Optional.of(
                        name()
                                + " sends wrong numbers over any provider of libfabric where a"
                                + " persistent send, MPI_Alltoallv, MPI_Alltoallw or a one-sided"
                                + " operation has a datatype that begins after its address. A"
                                + " library before each rank sets that right; Open MPI 4.1.6 or"
                                + " later, and MPICH, need none (docs/howto/mpi.md)")
                : Optional.empty();
    }

    private boolean isBefore(final int... other) {
        final String[] numbers = version.split("\\.", -1);
        for (int i = 0; i < other.length; i++) {
            final boolean isThere = i < numbers.length && numbers[i].matches("\\d{1,6}");
            final int number = isThere ? Integer.parseInt(numbers[i]) : 0;
            if (number != other[i]) {
                return number < other[i];
            }
        }
        return false;
    }

    private boolean hasPrrte() {
        return !isBefore(FIRST_WITH_PRRTE);
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
        return hasPrrte()
                ? Map.of(
                        "PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe",
                        "PRTE_MCA_hwloc_default_binding_policy", "none",
                        "OMPI_MCA_mpi_yield_when_idle", "0")
                : Map.of(
                        "OMPI_MCA_rmaps_base_oversubscribe", "1",
                        "OMPI_MCA_hwloc_base_binding_policy", "none",
                        "OMPI_MCA_mpi_yield_when_idle", "0");
    }

    @Override
    public Map<String, String> root() {
        return Map.of("OMPI_ALLOW_RUN_AS_ROOT", "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    }

    /** The script hands variables on, and has {@link OpenMpiLibrary} loaded. */
    @Override
    public boolean isStartedByScript() {
        return true;
    }

    @Override
    public Launch launch(
            final MpirunWords words,
            final Map<String, String> environment,
            final Optional<Path> rankScript) {
        final Map<String, String> all = new HashMap<>(environment);
        rankScript.ifPresent(script -> all.putAll(carried(environment)));
        if (hasPrrte()) {
            return new Launch(
                    mpirun,
                    words.withInFront(rankScript.map(Path::toString).stream().toList()),
                    all);
        }
        rankScript.ifPresent(
                script -> {
                    checkForkAgent(words);
                    all.put(ENV + FORK_AGENT, forkAgent(script));
                });
        return new Launch(mpirun, words.with(List.of()), all);
    }

    /**
     * The same variables under names that Open MPI hands on to all hosts by itself, and from which
     * the script takes them. Its ways to hand on others, -x and mca_base_env_list, exclude each
     * other and are the user's.
     */
    private static Map<String, String> carried(final Map<String, String> environment) {
        final Map<String, String> carried = new HashMap<>();
        environment.forEach(
                (name, value) -> {
                    if (!name.startsWith("OMPI_")) {
                        carried.put(ENV + "hxb_" + name, value);
                    }
                });
        return carried;
    }

    private static void checkForkAgent(final MpirunWords words) {
        if (words.setsParameter(FORK_AGENT)) {
            throw new UsageException(
                    "HXB starts ranks by a fork agent of its own: give yours by the variable "
                            + ENV
                            + FORK_AGENT
                            + ", and it is started by that one");
        }
    }

    private static String forkAgent(final Path script) {
        if (script.toString().matches(".*\\s.*")) {
            throw new ToolException(
                    "Open MPI starts nothing by a path with a blank, and HXB is in "
                            + script.getParent()
                            + ": move it, or make a link to it and start deploy/hxb there");
        }
        final String own = script.toString();
        final String before = System.getenv(ENV + FORK_AGENT);
        return before == null || before.isBlank() || before.startsWith(own)
                ? own
                : own + " " + before;
    }
}
