package io.hxb.tool.mpi;

import io.hxb.config.ClusterConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.pm.PmDevice;
import io.hxb.tool.lab.LabCluster;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSession;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.lab.LabState;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.option.GivenOptions;
import io.hxb.tool.option.LabLinkOptions;
import io.hxb.tool.option.LabStartOptions;
import io.hxb.tool.option.NodeNames;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Unmatched;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** {@code hxb mpirun}: programs of MPI over HXB. Picocli makes it. */
@Command(
        name = "mpirun",
        mixinStandardHelpOptions = true,
        header = "Run an MPI program over the links of the cluster.",
        description = {
            "Have the mpirun of this machine's Open MPI, or of an MPICH with "
                    + "ch4:ofi, run a program over HXB. Everything after the options below "
                    + "is passed on to it: its own options, the program and its arguments. "
                    + "The program does not change.",
            "Ranks use the node of the machine that they run on. In a lab, which "
                    + "--lab makes for this run and --name finds, ranks are dealt to its "
                    + "nodes, and there may be more of them than CPUs.",
            "The first run builds the provider of libfabric that MPI uses, which "
                    + "needs a C compiler, make and the headers of libfabric. On other "
                    + "machines it has to be at the same path.",
            "Exit status: that of mpirun; 2 also for wrong usage of this command."
        },
        footer = {
            "",
            "Examples: hxb mpirun --lab 2x2x2 --links 2 -np 8 ./program",
            "          hxb mpirun --name lab -np 4 ./program",
            "          hxb mpirun -np 4 --host a,b,c,d ./program",
            "          eval \"$(hxb mpirun --environment)\"; srun --mpi=pmix -n 4 ./program"
        })
public final class MpirunCommand implements Callable<Integer> {
    private static final Set<String> SCHEDULERS =
            Set.of("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID");

    private CommandLine.Model.CommandSpec spec;

    @Option(
            names = "--lab",
            paramLabel = "SHAPE",
            description =
                    "make a lab of this shape, such as 2x2x2, for this run, and remove it "
                            + "afterwards")
    private String shape;

    @Option(
            names = "--name",
            paramLabel = "LAB",
            description =
                    "use the lab of this name, which is up; with --lab: give this name to "
                            + "the lab that is made")
    private String name;

    @Option(
            names = "--order",
            paramLabel = "node|block",
            description =
                    "in a lab: deal ranks to the nodes in turn, or let neighbouring ranks "
                            + "share a node (default: node)")
    private RankPlacement.Order order;

    @Option(
            names = "--nodes",
            paramLabel = "NODE",
            split = ",",
            description =
                    "in a lab: give ranks to these nodes alone, in this order, by id or "
                            + "coordinates such as 3 or 1-0-0, with commas between them "
                            + "(default: all)")
    private List<String> nodeNames = List.of();

    @Option(
            names = "--collectives",
            description =
                    "have the nodes carry out MPI_Barrier, MPI_Bcast and MPI_Allreduce of "
                            + "up to 4 KB, by a library in front of Open MPI")
    private boolean hasCollectives;

    @Option(
            names = "--mpirun",
            paramLabel = "PATH",
            defaultValue = "mpirun",
            description =
                    "run this mpirun of Open MPI or MPICH, found in the PATH (default: "
                            + "${DEFAULT-VALUE})")
    private String mpirun;

    @Option(
            names = "--dry-run",
            description = "build the provider if need be, print what would be run, and end")
    private boolean isDryRun;

    @Option(
            names = "--environment",
            description =
                    "build the provider if need be, print the variables that ranks need, "
                            + "as lines for a shell, and end: for srun and other launchers")
    private boolean isEnvironment;

    @Mixin private LabLinkOptions links;
    @Mixin private LabStartOptions nodes;

    @Unmatched private List<String> words;

    /** Picocli makes it. */
    MpirunCommand() {}

    // Short options of mpirun such as -np must not be read as -n with a value, or -host as -h.
    @CommandLine.Spec
    void setSpec(final CommandLine.Model.CommandSpec value) {
        spec = value;
        value.parser().stopAtUnmatched(true).stopAtPositional(true);
        value.parser().posixClusteredShortOptionsAllowed(false);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        final Path root = Path.of(System.getProperty("hxb.root", "."));
        final FabricProvider provider = new FabricProvider(root);
        final Mpi mpi = Mpi.find(mpirun, provider.folder());
        final MpirunWords given = MpirunWords.of(mpi.syntax(), words == null ? List.of() : words);
        checkOptions(given, mpi);
        final LabSpec wanted = shape == null ? null : links.spec(newName(), shape);
        final LabState up = shape == null && name != null ? registry().requireNodes(name) : null;
        if (wanted != null || up != null) {
            // Wrong names are refused before anything is built.
            nodes(wanted != null ? wanted : up.spec());
        }
        if (mpi.isUntried()) {
            System.err.printf(
                    "hxb: %s: HXB was tested with Open MPI 4.1 and 5.0, MPICH 4.0 and 4.2%n",
                    mpi.name());
        }
        mpi.warning().ifPresent(text -> System.err.println("hxb: " + text));
        provider.build();
        final Run run =
                new Run(
                        given,
                        mpi,
                        provider,
                        root.resolve("deploy/hxb-rank").toAbsolutePath().normalize(),
                        preload(root, mpi));
        if (wanted != null) {
            return inNewLab(run, wanted);
        }
        return up != null ? inLab(run, up.spec()) : onCluster(run);
    }

    /** What the script in front of each rank has it load. */
    private Map<String, String> preload(final Path root, final Mpi mpi) {
        final List<String> libraries = new ArrayList<>();
        if (mpi instanceof OpenMpi) {
            final OpenMpiLibrary library = new OpenMpiLibrary(root);
            library.build();
            libraries.add(library.file().toString());
        }
        if (hasCollectives) {
            final CollectiveLibrary library = new CollectiveLibrary(root);
            library.build();
            libraries.add(library.file().toString());
        }
        return libraries.isEmpty()
                ? Map.of()
                : Map.of("HXB_RANK_PRELOAD", String.join(":", libraries));
    }

    private String newName() {
        return name == null ? "mpi-" + ProcessHandle.current().pid() : name;
    }

    private boolean isOnlyPrinted() {
        return isDryRun || isEnvironment;
    }

    private static LabRegistry registry() {
        return LabRegistry.ofUser();
    }

    private void checkOptions(final MpirunWords given, final Mpi mpi) {
        final Set<String> ours =
                spec.options().stream()
                        .flatMap(option -> Stream.of(option.names()))
                        .filter(option -> !option.matches("-.|--help|--version"))
                        .collect(Collectors.toSet());
        final List<String> late = given.options(option -> ours.contains(option.split("=", 2)[0]));
        if (!late.isEmpty()) {
            throw new UsageException(
                    "give "
                            + late.getFirst()
                            + " before the options of mpirun, which begin with '"
                            + words.getFirst()
                            + "'");
        }
        if (isEnvironment && shape != null) {
            throw new UsageException(
                    "--environment: not with --lab, whose lab ends with the run; hxb lab up makes"
                            + " one that --name finds");
        }
        if (isEnvironment && (isDryRun || given.hasPrograms())) {
            throw new UsageException("--environment takes no program and no --dry-run");
        }
        if (!given.hasPrograms() && !isEnvironment) {
            throw new UsageException(
                    "no program is named; for example: hxb mpirun -np 4 ./program");
        }
        final List<String> ofNewLab = shape == null ? labOptions() : List.of();
        GivenOptions.refuse(ofNewLab, "needs --lab, for the lab that it makes");
        if (order != null && shape == null && name == null) {
            throw new UsageException(
                    "--order: needs --lab or --name; elsewhere mpirun places the ranks");
        }
        if (!nodeNames.isEmpty() && shape == null && name == null) {
            throw new UsageException(
                    "--nodes: needs --lab or --name; elsewhere --host and --hostfile of mpirun name"
                            + " machines, each of which has a node");
        }
        if (hasCollectives && !(mpi instanceof OpenMpi)) {
            throw new UsageException("--collectives needs Open MPI");
        }
        if ((shape != null || name != null) && given.namesHosts()) {
            throw new UsageException(
                    "a lab is on this machine alone: leave out the other hosts; --nodes chooses"
                            + " among its nodes");
        }
    }

    /** The given options that apply to a new lab. */
    private List<String> labOptions() {
        final Set<String> others =
                Set.of(
                        "--lab",
                        "--name",
                        "--order",
                        "--nodes",
                        "--collectives",
                        "--mpirun",
                        "--dry-run",
                        "--environment");
        return GivenOptions.except(spec, others);
    }

    /** What is the same on clusters and in labs. */
    private record Run(
            MpirunWords words,
            Mpi mpi,
            FabricProvider provider,
            Path rankScript,
            Map<String, String> preload) {
        /** The command on a cluster. */
        Launch launch() {
            return launch(
                    Map.of(), mpi.isStartedByScript() ? Optional.of(rankScript) : Optional.empty());
        }

        Launch launchInLab(final RankPlacement placement) {
            final Map<String, String> more = new HashMap<>(placement.environment());
            more.putAll(unlessSet(mpi.crowding()));
            if (Privileges.isRoot()) {
                more.putAll(mpi.root());
            }
            return launch(more, Optional.of(rankScript));
        }

        private Launch launch(final Map<String, String> more, final Optional<Path> inFront) {
            final Map<String, String> environment = new HashMap<>(mpi.transport());
            environment.putAll(provider.environment());
            environment.putAll(preload);
            environment.putAll(more);
            environment.putAll(unlessSet(mpi.defaults()));
            return mpi.launch(words, environment, inFront);
        }

        private static Map<String, String> unlessSet(final Map<String, String> variables) {
            return variables.entrySet().stream()
                    .filter(variable -> System.getenv(variable.getKey()) == null)
                    .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        }
    }

    private int inNewLab(final Run run, final LabSpec wanted) throws InterruptedException {
        final RankPlacement placement = placement(wanted);
        final Launch launch = launchInLab(run, placement);
        if (isDryRun) {
            return print(launch);
        }
        try (LabSession session = nodes.start(wanted, false, LabCluster::patient)) {
            checkRanks(run.words(), placement, session.cluster().config());
            return MpirunProcess.run(launch);
        }
    }

    private int inLab(final Run run, final LabSpec up) throws InterruptedException {
        final RankPlacement placement = placement(up);
        final Path file = LabCluster.file(registry().folder(up.name()));
        final ClusterConfig config = ClusterConfigYaml.read(file);
        checkRanks(run.words(), placement, config);
        final Launch launch = launchInLab(run, placement);
        if (isOnlyPrinted()) {
            return print(launch);
        }
        final int status = MpirunProcess.run(launch);
        if (status != ExitStatus.OK && !LabCluster.isPatient(config)) {
            System.err.printf(
                    "hxb: a node of lab '%s' that gets no CPU for a second is given up, and MPI"
                            + " then ends the job; hxb lab up --patient makes a lab that waits%n",
                    up.name());
        }
        return status;
    }

    private RankPlacement placement(final LabSpec lab) {
        return RankPlacement.inLab(
                registry().folder(lab.name()),
                lab.name(),
                nodes(lab),
                order == null ? RankPlacement.Order.NODE : order);
    }

    private List<Integer> nodes(final LabSpec lab) {
        if (nodeNames.isEmpty()) {
            return IntStream.range(0, lab.shape().nodeCount()).boxed().toList();
        }
        final NodeNames names = new NodeNames(lab.name(), lab.shape());
        final List<Integer> chosen =
                nodeNames.stream()
                        .map(one -> UsageException.check("--nodes", () -> names.node(one.strip())))
                        .toList();
        if (Set.copyOf(chosen).size() < chosen.size()) {
            throw new UsageException("--nodes has a node twice: " + String.join(",", nodeNames));
        }
        return chosen;
    }

    /** One rank a node, unless their number was given. */
    private static Launch launchInLab(final Run run, final RankPlacement placement) {
        if (!run.words().isCountOpen()) {
            return run.launchInLab(placement);
        }
        final MpirunWords counted =
                MpirunWords.of(
                        run.mpi().syntax(),
                        run.words().with(List.of("-np", Integer.toString(placement.nodeCount()))));
        return new Run(counted, run.mpi(), run.provider(), run.rankScript(), run.preload())
                .launchInLab(placement);
    }

    private static void checkRanks(
            final MpirunWords words, final RankPlacement placement, final ClusterConfig config) {
        words.ranks().ifPresent(ranks -> placement.check(ranks, config.contexts()));
    }

    private int onCluster(final Run run) throws InterruptedException {
        final boolean isPlacedElsewhere =
                run.words().namesHosts()
                        || SCHEDULERS.stream().anyMatch(System.getenv()::containsKey);
        if (!isPlacedElsewhere && !isOnlyPrinted()) {
            requireNode();
        }
        final Launch launch = run.launch();
        return isOnlyPrinted() ? print(launch) : MpirunProcess.run(launch);
    }

    /** Ranks would find the same, each for itself and less readably. */
    private static void requireNode() {
        try {
            PmDevice.attach().close();
        } catch (final IOException e) {
            throw new ToolException(
                    e.getMessage()
                            + "; hxb mpirun --lab 2x2x2 makes a lab for the run, --name LAB uses"
                            + " one that is up",
                    e);
        }
    }

    private int print(final Launch launch) {
        System.out.print(isEnvironment ? launch.exports() : launch.text() + "\n");
        return ExitStatus.OK;
    }
}
