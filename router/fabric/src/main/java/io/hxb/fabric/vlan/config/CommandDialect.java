package io.hxb.fabric.vlan.config;

/** A language in which a new switch gets the commands that turn a blank one into it. Stateless. */
abstract class CommandDialect extends Dialect {
    @Override
    final String writeFull(final SwitchSetup setup) {
        return write(setup, Changes.between(SwitchSetup.blank(setup), setup), "");
    }

    @Override
    final String writeChanges(
            final SwitchSetup before, final SwitchSetup after, final Changes changes) {
        return changes.isEmpty() ? "" : write(after, changes, "changes; then ");
    }

    /**
     * Writes the commands for a switch.
     *
     * @param setup how it is set up afterwards.
     * @param changes that lead to this setup.
     * @param what describes the commands, for the heading.
     */
    abstract String write(SwitchSetup setup, Changes changes, String what);
}
