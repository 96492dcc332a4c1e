package io.hxb.tool;

import java.util.List;
import java.util.Set;

/** Text of a manual page in mdoc(7). Used by one thread. */
final class Mdoc {
    private static final int WIDTH = 100;

    /** Arguments that are callable macros of mdoc, which would be called; source: mdoc(7). */
    private static final Set<String> CALLABLE =
            Set.of(
                    "Ac", "Ad", "An", "Ao", "Ap", "Aq", "Ar", "Bc", "Bo", "Bq", "Brc", "Bro", "Brq",
                    "Cd", "Cm", "Dc", "Do", "Dq", "Dv", "Ec", "Em", "En", "Eo", "Er", "Ev", "Fa",
                    "Fc", "Fl", "Fn", "Fo", "Ft", "Ic", "In", "Li", "Lk", "Ms", "Mt", "Nm", "No",
                    "Ns", "Oc", "Oo", "Op", "Ot", "Pa", "Pc", "Pf", "Po", "Pq", "Qc", "Ql", "Qo",
                    "Qq", "Sc", "So", "Sq", "St", "Sx", "Sy", "Ta", "Tn", "Va", "Vt", "Xc", "Xo",
                    "Xr");

    private final StringBuilder lines = new StringBuilder();

    /** An empty text. */
    Mdoc() {}

    /**
     * A line with a macro.
     *
     * @param name without the dot.
     * @param arguments each of which is one argument, whatever is in it.
     */
    Mdoc macro(final String name, final String... arguments) {
        lines.append('.').append(name);
        for (final String argument : arguments) {
            lines.append(' ').append(quoted(argument));
        }
        lines.append('\n');
        return this;
    }

    /** A line as it is. */
    Mdoc raw(final String line) {
        lines.append(line).append('\n');
        return this;
    }

    /** A paragraph of running text; line ends in it do not count. Each sentence begins a line. */
    Mdoc text(final String text) {
        for (final String sentence : text.strip().split("(?<=[.;:)])\\s+(?=[A-Z])", -1)) {
            String line = "";
            for (final String word : sentence.strip().split("\\s+", -1)) {
                if (!line.isEmpty() && line.length() + 1 + word.length() > WIDTH) {
                    lines.append(escaped(line)).append('\n');
                    line = "";
                }
                line = line.isEmpty() ? word : line + " " + word;
            }
            lines.append(escaped(line)).append('\n');
        }
        return this;
    }

    /** Lines that are shown as they are. */
    Mdoc literal(final List<String> shown) {
        raw(".Bd -literal -offset indent");
        shown.forEach(line -> lines.append(escaped(line)).append('\n'));
        return raw(".Ed");
    }

    private static String quoted(final String argument) {
        final String text = escapedInLine(argument);
        if (CALLABLE.contains(argument)) {
            return "\\&" + text;
        }
        return argument.isEmpty() || argument.contains(" ") ? '"' + text + '"' : text;
    }

    private static String escaped(final String line) {
        final String text = escapedInLine(line);
        return text.startsWith(".") || text.startsWith("'") ? "\\&" + text : text;
    }

    /** A word as it is written among the arguments of a macro. */
    static String inLine(final String word) {
        return word.contains(" ") ? '"' + escapedInLine(word) + '"' : escapedInLine(word);
    }

    private static String escapedInLine(final String line) {
        return line.replace("\\", "\\e").replace("-", "\\-").replace("\"", "\\(dq");
    }

    @Override
    public String toString() {
        return lines.toString();
    }
}
