package io.hxb.fabric.vlan.config;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.VlanIds;
import io.hxb.fabric.vlan.config.SwitchSetup.Port;

import java.util.BitSet;
import java.util.List;
import java.util.Locale;

/** The language of a kind of switch. Stateless. */
public abstract class Dialect {
    /** Cisco IOS takes 254 characters a line. */
    static final int MAX_LINE = 250;

    private static final String SAFE = "[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,63}";
    private static final int MAX_LIST = 80;

    /** For subclasses of this package. */
    Dialect() {}

    /** Every language. */
    public static List<Dialect> all() {
        return List.of(
                new LinuxDialect(),
                new OvsDialect(),
                new SonicDialect(),
                new CumulusDialect(),
                new IosDialect(IosDialect.Platform.CATALYST),
                new IosDialect(IosDialect.Platform.CATALYST_3560),
                new DellDialect());
    }

    /**
     * The language of that name.
     *
     * @throws GraphException listing the valid names.
     */
    public static Dialect parse(final String word) {
        return all().stream()
                .filter(dialect -> dialect.word().equals(word))
                .findAny()
                .orElseThrow(
                        () ->
                                new GraphException(
                                        "there is no configuration for '"
                                                + word
                                                + "', only for "
                                                + String.join(
                                                        ", ",
                                                        all().stream()
                                                                .map(Dialect::word)
                                                                .toList())));
    }

    /** Its name on the command line. */
    public abstract String word();

    /** Names the kind of switches, for messages. */
    public abstract String switches();

    /** Ending of the name of a file with such text, with the dot. */
    public abstract String fileEnding();

    /** VIDs that these switches keep for themselves. */
    public BitSet reservedVids() {
        return new BitSet();
    }

    /**
     * What else may be in the way of VIDs on some of these switches.
     *
     * @param vids those of the plan.
     * @return a sentence for each, empty if nothing is.
     */
    public List<String> warnings(final BitSet vids) {
        return List.of();
    }

    /**
     * Refuses kinds of plans that such switches cannot carry out.
     *
     * @throws GraphException with what they lack and what the alternatives are.
     */
    public void check(final PlanKind kind) {}

    /**
     * The text that sets up a new switch.
     *
     * @throws GraphException if a name cannot be written in this language.
     */
    public final String full(final SwitchSetup setup) {
        checkNames(setup);
        return writeFull(setup);
    }

    /**
     * The text that changes a switch set up as {@code before}.
     *
     * @return empty text when nothing changes.
     * @throws GraphException if a name cannot be written in this language.
     */
    public final String changes(final SwitchSetup before, final SwitchSetup after) {
        checkNames(before);
        checkNames(after);
        return before.isLearning() == after.isLearning()
                ? writeChanges(before, after, Changes.between(before, after))
                : writeFull(after);
    }

    abstract String writeFull(SwitchSetup setup);

    abstract String writeChanges(SwitchSetup before, SwitchSetup after, Changes changes);

    /** The name of a port that the graph only numbers. */
    abstract String numberedPort(String switchName, int number);

    /** A port's name in this language. */
    final String port(final SwitchSetup setup, final String name) {
        return name.matches("\\d{1,6}") ? numberedPort(setup.name(), Integer.parseInt(name)) : name;
    }

    private void checkNames(final SwitchSetup setup) {
        checkName("switch", setup.name(), setup.name());
        for (final Port port : setup.ports()) {
            checkName("port", setup.name(), port(setup, port.name()));
        }
    }

    /** Maximum length of the name of an interface. */
    int maxNameLength() {
        return 64;
    }

    private void checkName(final String what, final String switchName, final String name) {
        if (!name.matches(SAFE) || name.length() > maxNameLength()) {
            throw new GraphException(
                    what
                            + " name '"
                            + name
                            + "' (switch '"
                            + switchName
                            + "') cannot be written for "
                            + switches()
                            + ": letters, digits and _.:/- only, at most "
                            + maxNameLength()
                            + "; rename it in the cabling file");
        }
    }

    /** {@code 02:48:58:42:00:01}. */
    static String mac(final long mac, final String separator) {
        final StringBuilder text = new StringBuilder();
        for (int shift = 40; shift >= 0; shift -= 8) {
            text.append(text.isEmpty() ? "" : separator)
                    .append(String.format(Locale.ROOT, "%02x", mac >> shift & 0xFF));
        }
        return text.toString();
    }

    /**
     * A command for VIDs, in as many lines as it takes.
     *
     * @param first what the first line begins with.
     * @param next what the other lines begin with.
     * @param last what all lines end with.
     * @return lines of at most {@link #MAX_LINE} characters, each with its line feed; none if there
     *     are no VIDs.
     */
    static String lines(
            final String first, final String next, final BitSet vids, final String last) {
        final StringBuilder text = new StringBuilder();
        final StringBuilder line = new StringBuilder();
        for (final String range : VlanIds.ranges(vids).split(",", -1)) {
            if (!line.isEmpty() && line.length() + range.length() + 1 + last.length() > MAX_LINE) {
                text.append(line).append(last).append('\n');
                line.setLength(0);
            }
            line.append(line.isEmpty() ? text.isEmpty() ? first : next : ",").append(range);
        }
        return vids.isEmpty() ? "" : text.append(line).append(last).append('\n').toString();
    }

    /** A heading of comment lines. */
    static String heading(final String mark, final SwitchSetup setup, final String change) {
        return "%s switch %s: %s%s, %d static MAC addresses. Written by 'hxb plan vlan'.%n"
                .formatted(mark, setup.name(), change, vlans(setup.vids()), setup.macs().size());
    }

    /** Their number, where the list of them would be long. */
    private static String vlans(final BitSet vids) {
        final String ranges = VlanIds.ranges(vids);
        return ranges.length() <= MAX_LIST ? "VLANs " + ranges : vids.cardinality() + " VLANs";
    }
}
