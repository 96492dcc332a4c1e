package io.hxb.tool.mpi;

import io.hxb.tool.machine.Programs;
import io.hxb.tool.machine.Shell;
import io.hxb.tool.report.ToolException;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The user's MPI: the options and variables by which its mpirun lets ranks use HXB. Immutable. */
sealed interface Mpi permits OpenMpi, Mpich {
    /**
     * Finds it.
     *
     * @param name of its mpirun: a path, or a name that is looked for in the PATH.
     * @param provider folder of the provider, for messages.
     * @throws ToolException when there is none, or it belongs to an unknown MPI.
     */
    static Mpi find(final String name, final Path provider) {
        final Path mpirun =
                Programs.find(name)
                        .orElseThrow(
                                () ->
                                        new ToolException(
                                                "there is no program '"
                                                        + name
                                                        + "': install Open MPI (Debian: apt-get"
                                                        + " install openmpi-bin libopenmpi-dev), or"
                                                        + " name an mpirun by --mpirun PATH"));
        final String text = Shell.run("", List.of(mpirun.toString(), "--version")).output();
        final Optional<? extends Mpi> openMpi = OpenMpi.of(mpirun, text);
        final Optional<? extends Mpi> mpi = openMpi.isPresent() ? openMpi : Mpich.of(mpirun, text);
        return mpi.orElseThrow(
                () ->
                        new ToolException(
                                mpirun
                                        + " is not that of Open MPI or MPICH (--version prints: "
                                        + text.lines().findFirst().orElse("nothing")
                                        + "): name another by --mpirun PATH. An MPI over libfabric"
                                        + " finds HXB by FI_PROVIDER_PATH="
                                        + provider
                                        + " FI_PROVIDER=hxb"));
    }

    /** Its name and version. */
    String name();

    /** True if nobody has tried HXB with such a version. */
    boolean isUntried();

    /** What does not hold with this version, and what helps; empty if nothing is known. */
    Optional<String> warning();

    /** True if deploy/hxb-rank is to start in front of each rank outside of labs, too. */
    boolean isStartedByScript();

    /** How its mpirun reads its arguments. */
    MpirunWords.Syntax syntax();

    /** What has ranks use HXB and nothing else, on all hosts. */
    Map<String, String> transport();

    /** What the user may want otherwise. */
    Map<String, String> defaults();

    /** What a lab on one machine needs, unless the user wants it otherwise. */
    Map<String, String> crowding();

    /** What lets root run programs. */
    Map<String, String> root();

    /**
     * The command that runs programs.
     *
     * @param environment that ranks have on all hosts.
     * @param rankScript what is started in front of each rank.
     * @throws ToolException if it cannot be started so.
     */
    Launch launch(MpirunWords words, Map<String, String> environment, Optional<Path> rankScript);
}
