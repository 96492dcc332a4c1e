package io.hxb.tool;

import picocli.CommandLine;

import java.util.List;
import java.util.Optional;

/** Commands and options of earlier versions: an old name ends a command and names the new one. */
final class RenamedWords {
    private static final List<Renamed> COMMANDS = List.of(new Renamed("hxb", "manage", "optimise"));

    private static final List<Renamed> OPTIONS =
            List.of(
                    new Renamed("hxb( lab run)? (perf|chaos)", "--warm-up", "--warmup"),
                    new Renamed("hxb stat", "--watch", "--interval"),
                    new Renamed("hxb stat", "--times", "--count"),
                    new Renamed("hxb optimise", "--rounds", "--count"),
                    new Renamed("hxb route .*", "--lab", "--name"),
                    new Renamed("hxb plan vlan", "--config", "--dialect"),
                    new Renamed("hxb sim .*", "--hosts", "--hosts-per-switch"),
                    new Renamed("hxb sim ethernet", "--switch-us", "--switch-delay"),
                    new Renamed("hxb sim ethernet", "--milliseconds", "--duration"),
                    new Renamed("hxb stat", "--links", "--per-link"),
                    new Renamed("hxb stat", "--users", "--per-user"),
                    new Renamed("hxb manager", "--keep", "--pin"),
                    new Renamed("hxb optimise", "--hold", "--hold-down"),
                    new Renamed("hxb optimise stop", "--freeze", "--keep"));

    /**
     * A name that has changed.
     *
     * @param place a pattern of the commands that had it.
     */
    private record Renamed(String place, String oldName, String newName) {
        private boolean isIn(final String command, final String word) {
            return command.matches(place) && word.replaceFirst("=.*", "").equals(oldName);
        }
    }

    private RenamedWords() {}

    /**
     * Looks for an old name in a command line.
     *
     * @param command what was called.
     * @param words all words before {@code --}.
     * @return the message; empty if there is none.
     */
    static Optional<String> message(final CommandLine command, final List<String> words) {
        final String name = command.getCommandSpec().qualifiedName();
        final Optional<String> ofCommand =
                words.stream().limit(1).flatMap(word -> command(word).stream()).findFirst();
        return ofCommand.or(
                () ->
                        OPTIONS.stream()
                                .filter(
                                        renamed ->
                                                words.stream().anyMatch(w -> renamed.isIn(name, w)))
                                .map(one -> one.oldName() + " is called " + one.newName() + " now")
                                .findFirst());
    }

    /** The message about a command, if its name is an old one. */
    static Optional<String> command(final String word) {
        return COMMANDS.stream()
                .filter(renamed -> renamed.oldName().equals(word))
                .map(one -> "'hxb %s' is called 'hxb %s' now".formatted(word, one.newName()))
                .findFirst();
    }
}
