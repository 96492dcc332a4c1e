package io.hxb.fabric.vlan.config;

/** A language in which a new switch gets the commands that turn a blank one into it. Stateless. */
abstract class CommandDialect extends Dialect {
    @Override
    final String writeFull(final SwitchSetup setup) {
        return write(setup, Changes.between(SwitchSetup.blank(setup), setup), true);
    }

    @Override
    final String writeChanges(
            final SwitchSetup before, final SwitchSetup after, final Changes changes) {
        return changes.isEmpty() ? "" : write(after, changes, false);
    }

    /**
     * Writes the commands for a switch.
     *
     * @param setup how it is set up afterwards.
     * @param changes that lead to this setup.
     * @param isFull whether they set up a new switch.
     */
    abstract String write(SwitchSetup setup, Changes changes, boolean isFull);

    /** A heading that names what the commands are. */
    static String heading(final String mark, final SwitchSetup setup, final boolean isFull) {
        return heading(mark, setup, isFull ? "" : "changes; then ");
    }
}
