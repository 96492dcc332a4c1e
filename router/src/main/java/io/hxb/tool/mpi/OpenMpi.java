package io.hxb.tool.mpi;

import io.hxb.tool.machine.Programs;
import io.hxb.tool.machine.Shell;
import io.hxb.tool.report.ToolException;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The mpirun of the user's Open MPI. Immutable.
 *
 * @param mpirun its file.
 * @param version such as {@code 4.1.4}.
 */
record OpenMpi(Path mpirun, String version) {
    private static final Pattern VERSION = Pattern.compile("\\(Open MPI\\) (\\d+[.\\d]*)");
    private static final String TRIED = "4.";

    /**
     * Finds it.
     *
     * @param name a path, or a name that is looked for in the PATH.
     * @param provider folder of the provider, for what a message says.
     * @throws ToolException when there is none, or it belongs to another MPI.
     */
    static OpenMpi find(final String name, final Path provider) {
        final Path mpirun =
                Programs.find(name)
                        .orElseThrow(
                                () ->
                                        new ToolException(
                                                "there is no program '"
                                                        + name
                                                        + "': install Open MPI (Debian: apt-get"
                                                        + " install openmpi-bin libopenmpi-dev), or"
                                                        + " name its mpirun by --mpirun PATH"));
        final String text = Shell.run("", List.of(mpirun.toString(), "--version")).output();
        final Matcher version = VERSION.matcher(text);
        if (!version.find()) {
            throw new ToolException(stranger(mpirun, text, provider));
        }
        return new OpenMpi(mpirun, version.group(1));
    }

    private static String stranger(final Path mpirun, final String text, final Path provider) {
        final boolean isMpich = text.contains("HYDRA") || text.contains("MPICH");
        final String first = text.lines().findFirst().orElse("nothing");
        return mpirun
                + (isMpich
                        ? " is that of MPICH"
                        : " is not that of Open MPI (--version says: " + first + ")")
                + ", and hxb mpirun has only been tried with Open MPI 4.1: name another by --mpirun"
                + " PATH. An MPI over libfabric finds HXB by FI_PROVIDER_PATH="
                + provider
                + " FI_PROVIDER=hxb; that has not been tried";
    }

    /** True if nobody has tried HXB with such a version. */
    boolean isUntried() {
        return !version.startsWith(TRIED);
    }

    /** What has ranks use HXB and nothing else, on all hosts. */
    static Map<String, String> transport() {
        return Map.of(
                "OMPI_MCA_pml", "cm",
                "OMPI_MCA_mtl", "ofi",
                "OMPI_MCA_mtl_ofi_provider_include", "hxb");
    }

    /**
     * What the user may want otherwise: the provider is opened once by each rank, for messages, and
     * not again for one-sided operations, which go by messages or the memory of the machine.
     */
    static Map<String, String> defaults() {
        return Map.of("OMPI_MCA_btl", "^ofi", "OMPI_MCA_osc", "^rdma");
    }

    /**
     * What lets more ranks than CPUs share one machine, unless the user wants it otherwise. Open
     * MPI need not give the CPU away while it waits: the provider does, and sleeps where others
     * compute.
     */
    static Map<String, String> crowding() {
        return Map.of(
                "OMPI_MCA_rmaps_base_oversubscribe", "1",
                "OMPI_MCA_hwloc_base_binding_policy", "none",
                "OMPI_MCA_mpi_yield_when_idle", "0");
    }

    /** What lets root run programs. */
    static Map<String, String> root() {
        return Map.of("OMPI_ALLOW_RUN_AS_ROOT", "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    }

    /**
     * What puts a program in front of each rank.
     *
     * @throws ToolException if Open MPI could not find it.
     */
    static Map<String, String> inFrontOfRanks(final Path script) {
        if (script.toString().matches(".*\\s.*")) {
            throw new ToolException(
                    "Open MPI starts nothing by a path with a blank, and HXB is in "
                            + script.getParent()
                            + ": move it, or make a link to it and start deploy/hxb there");
        }
        return Map.of("OMPI_MCA_orte_fork_agent", script.toString());
    }
}
