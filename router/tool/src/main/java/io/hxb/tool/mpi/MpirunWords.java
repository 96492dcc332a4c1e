package io.hxb.tool.mpi;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The words that mpirun is given, as far as they have to be understood: they are passed on as they
 * are. Immutable.
 *
 * @param syntax how mpirun reads them.
 * @param parts the words between colons: options, a program and its arguments; at least one.
 */
record MpirunWords(Syntax syntax, List<Part> parts) {
    private static final String COLON = ":";

    /** How an mpirun reads its arguments. */
    enum Syntax {
        /**
         * Source: mpirun --help full, of Open MPI 4.1.4; other options have no words after them.
         */
        OPEN_MPI(
                "H am app bind-to c cf cartofile cpu-list cpu-set cpus-per-proc cpus-per-rank"
                    + " debugger default-hostfile hnp host hostfile launch-agent machinefile map-by"
                    + " max-restarts max-vm-size N n np npernode npersocket ompi-server"
                    + " output-filename path personality ppr prefix preload-files rank-by rankfile"
                    + " report-events report-pid report-uri rf stdin timeout tune wd wdir x"
                    + " xml-file xterm",
                "mca gmca",
                "np n c",
                "N npernode pernode npersocket ppr",
                "H host hostfile machinefile default-hostfile rf rankfile",
                "app"),

        /** Source: mpiexec -help of MPICH 4.0.2, src/pm/hydra/ui/mpich/utils.c. */
        HYDRA(
                "genvlist f hostfile machinefile machine machines machinelist host hosts hostlist"
                        + " ppn output-from prepend-pattern outfile-pattern errfile-pattern outfile"
                        + " errfile wdir configfile envlist n np launcher launcher-exec bootstrap"
                        + " bootstrap-exec rmk topolib binding bind-to map-by membind demux iface"
                        + " nameserver usize pmi-port gpus-per-proc g",
                "genv env",
                "np n",
                "",
                "f hostfile machinefile machine machines machinelist host hosts hostlist",
                "configfile");

        private final String oneArgument;
        private final String twoArguments;
        private final String ranks;
        private final String otherCounts;
        private final String hosts;
        private final String programFiles;

        Syntax(
                final String oneArgument,
                final String twoArguments,
                final String ranks,
                final String otherCounts,
                final String hosts,
                final String programFiles) {
            this.oneArgument = oneArgument;
            this.twoArguments = twoArguments;
            this.ranks = ranks;
            this.otherCounts = otherCounts;
            this.hosts = hosts;
            this.programFiles = programFiles;
        }

        /** Words after an option. */
        private int arguments(final String option) {
            if (is(option, twoArguments)) {
                return 2;
            }
            return is(option, oneArgument) ? 1 : 0;
        }

        private static boolean is(final String option, final String names) {
            final String name = option.replaceFirst("^--?", "");
            return !name.isEmpty() && List.of(names.split(" ", -1)).contains(name);
        }
    }

    /**
     * What one program runs by.
     *
     * @param words all of them.
     * @param programIndex where the program is; the count of words if there is none.
     */
    record Part(List<String> words, int programIndex) {
        private static Part of(final Syntax syntax, final List<String> words) {
            int index = 0;
            while (index < words.size() && words.get(index).startsWith("-")) {
                index += 1 + syntax.arguments(words.get(index));
            }
            return new Part(List.copyOf(words), Math.min(index, words.size()));
        }

        private boolean hasProgram() {
            return programIndex < words.size();
        }

        /** Its options, each without its arguments. */
        private List<String> options(final Syntax syntax) {
            final List<String> options = new ArrayList<>();
            for (int i = 0; i < programIndex; i += 1 + syntax.arguments(words.get(i))) {
                options.add(words.get(i));
            }
            return options;
        }

        private boolean setsParameter(final Syntax syntax, final String name) {
            for (int i = 0; i + 1 < programIndex; i += 1 + syntax.arguments(words.get(i))) {
                if (syntax.arguments(words.get(i)) == 2 && words.get(i + 1).equals(name)) {
                    return true;
                }
            }
            return false;
        }

        /** How many ranks it asks for; empty if it does not, or not by a number. */
        private OptionalInt ranks(final Syntax syntax) {
            for (int i = 0; i + 1 < programIndex; i += 1 + syntax.arguments(words.get(i))) {
                if (Syntax.is(words.get(i), syntax.ranks)) {
                    final String count = words.get(i + 1);
                    return count.matches("\\d{1,7}")
                            ? OptionalInt.of(Integer.parseInt(count))
                            : OptionalInt.empty();
                }
            }
            return OptionalInt.empty();
        }
    }

    /** Reads what stands after the options of hxb. */
    static MpirunWords of(final Syntax syntax, final List<String> words) {
        final List<Part> parts = new ArrayList<>();
        List<String> part = new ArrayList<>();
        for (final String word : words) {
            if (word.equals(COLON)) {
                parts.add(Part.of(syntax, part));
                part = new ArrayList<>();
            } else {
                part.add(word);
            }
        }
        parts.add(Part.of(syntax, part));
        return new MpirunWords(syntax, List.copyOf(parts));
    }

    /** True if each part has a program, or a file names them. */
    boolean hasPrograms() {
        return hasProgramFile() || parts.stream().allMatch(Part::hasProgram);
    }

    /** How many ranks there will be; empty if the words do not tell. */
    OptionalInt ranks() {
        int sum = 0;
        for (final Part part : parts) {
            final OptionalInt ranks = part.ranks(syntax);
            if (ranks.isEmpty()) {
                return ranks;
            }
            sum += ranks.getAsInt();
        }
        return OptionalInt.of(sum);
    }

    /** True if mpirun chooses how many ranks there are of its only program. */
    boolean isCountOpen() {
        return parts.size() == 1
                && !hasProgramFile()
                && !hasOption(syntax.ranks)
                && !hasOption(syntax.otherCounts);
    }

    /** True if a file names the programs. */
    boolean hasProgramFile() {
        return hasOption(syntax.programFiles);
    }

    /** True if they select the hosts of the ranks. */
    boolean namesHosts() {
        return hasOption(syntax.hosts);
    }

    /** Those of mpirun's options that are such, without their arguments. */
    List<String> options(final Predicate<String> wanted) {
        return parts.stream()
                .flatMap(part -> part.options(syntax).stream())
                .filter(wanted)
                .toList();
    }

    /** True if an option with two words after it, such as --mca, sets that parameter. */
    boolean setsParameter(final String name) {
        return parts.stream().anyMatch(part -> part.setsParameter(syntax, name));
    }

    private boolean hasOption(final String names) {
        return !options(option -> Syntax.is(option, names)).isEmpty();
    }

    /** The words, with others in front of each part. */
    List<String> with(final List<String> others) {
        return joined(
                part ->
                        Stream.of(others, part.words())
                                .flatMap(List::stream)
                                .collect(Collectors.toList()));
    }

    /** The words, with others in front of each program. */
    List<String> withInFront(final List<String> others) {
        return joined(
                part -> {
                    final List<String> words = new ArrayList<>(part.words());
                    words.addAll(part.programIndex(), others);
                    return words;
                });
    }

    private List<String> joined(final Function<Part, List<String>> change) {
        final List<String> words = new ArrayList<>();
        for (final Part part : parts) {
            if (!words.isEmpty()) {
                words.add(COLON);
            }
            words.addAll(change.apply(part));
        }
        return words;
    }
}
