package io.hxb.tool.mpi;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The words that mpirun is given, as far as they have to be understood: they are passed on as they
 * are. Immutable.
 *
 * @param parts the words between colons: options, a program and its arguments; at least one.
 */
record MpirunWords(List<Part> parts) {
    private static final String COLON = ":";
    private static final Set<String> RANKS = Set.of("-np", "--np", "-n", "--n", "-c");
    private static final Set<String> HOSTS =
            Set.of(
                    "-H",
                    "-host",
                    "-hostfile",
                    "-machinefile",
                    "-default-hostfile",
                    "-rf",
                    "-rankfile");
    private static final String APP_FILE = "-app";

    /**
     * Words behind options, one dash in front. Source: mpirun --help full, of Open MPI 4.1.4; other
     * options have none.
     */
    private static final Map<String, Integer> ARGUMENTS =
            Stream.of(
                            "H am app bind-to c cf cartofile cpu-list cpu-set cpus-per-proc",
                            "cpus-per-rank debugger default-hostfile hnp host hostfile",
                            "launch-agent machinefile map-by max-restarts max-vm-size N n np",
                            "npernode npersocket ompi-server output-filename path personality ppr",
                            "prefix preload-files rank-by rankfile report-events report-pid",
                            "report-uri rf stdin timeout tune wd wdir x xml-file xterm")
                    .flatMap(line -> Stream.of(line.split(" ", -1)))
                    .collect(Collectors.toMap(name -> "-" + name, name -> 1));

    private static final Set<String> TWO_ARGUMENTS = Set.of("-mca", "-gmca");

    /**
     * What one program runs by.
     *
     * @param words all of them.
     * @param programIndex where the program is; the count of words if there is none.
     */
    record Part(List<String> words, int programIndex) {
        private static Part of(final List<String> words) {
            int index = 0;
            while (index < words.size() && words.get(index).startsWith("-")) {
                index += 1 + arguments(words.get(index));
            }
            return new Part(List.copyOf(words), Math.min(index, words.size()));
        }

        private boolean hasProgram() {
            return programIndex < words.size();
        }

        /** Its options, each without its arguments. */
        private List<String> options() {
            final List<String> options = new ArrayList<>();
            for (int i = 0; i < programIndex; i += 1 + arguments(words.get(i))) {
                options.add(words.get(i));
            }
            return options;
        }

        /** How many ranks it asks for; empty if it does not say, or not by a number. */
        private OptionalInt ranks() {
            for (int i = 0; i + 1 < programIndex; i += 1 + arguments(words.get(i))) {
                if (RANKS.contains(words.get(i))) {
                    final String count = words.get(i + 1);
                    return count.matches("\\d{1,7}")
                            ? OptionalInt.of(Integer.parseInt(count))
                            : OptionalInt.empty();
                }
            }
            return OptionalInt.empty();
        }
    }

    private static int arguments(final String option) {
        final String name = option.startsWith("--") ? option.substring(1) : option;
        return TWO_ARGUMENTS.contains(name) ? 2 : ARGUMENTS.getOrDefault(name, 0);
    }

    /** Reads what stands behind the options of hxb. */
    static MpirunWords of(final List<String> words) {
        final List<Part> parts = new ArrayList<>();
        List<String> part = new ArrayList<>();
        for (final String word : words) {
            if (word.equals(COLON)) {
                parts.add(Part.of(part));
                part = new ArrayList<>();
            } else {
                part.add(word);
            }
        }
        parts.add(Part.of(part));
        return new MpirunWords(List.copyOf(parts));
    }

    /** True if each part has a program, or a file names them. */
    boolean hasPrograms() {
        return hasOption(MpirunWords::isAppFile) || parts.stream().allMatch(Part::hasProgram);
    }

    /** How many ranks there will be; empty if the words do not say. */
    OptionalInt ranks() {
        int sum = 0;
        for (final Part part : parts) {
            final OptionalInt ranks = part.ranks();
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
                && !hasOption(
                        option ->
                                RANKS.contains(option)
                                        || isAppFile(option)
                                        || option.matches(
                                                "--?(N|npernode|pernode|npersocket|ppr)"));
    }

    private static boolean isAppFile(final String option) {
        return option.equals(APP_FILE) || option.equals("-" + APP_FILE);
    }

    /** True if they say on which hosts ranks run. */
    boolean namesHosts() {
        return hasOption(
                option -> HOSTS.contains(option.startsWith("--") ? option.substring(1) : option));
    }

    /** The first of mpirun's options that are such; empty if none is. */
    List<String> options(final Predicate<String> wanted) {
        return parts.stream().flatMap(part -> part.options().stream()).filter(wanted).toList();
    }

    private boolean hasOption(final Predicate<String> wanted) {
        return !options(wanted).isEmpty();
    }

    /** The words, with others in front of each part. */
    List<String> with(final List<String> others) {
        final List<String> words = new ArrayList<>();
        for (final Part part : parts) {
            if (!words.isEmpty()) {
                words.add(COLON);
            }
            words.addAll(others);
            words.addAll(part.words());
        }
        return words;
    }
}
