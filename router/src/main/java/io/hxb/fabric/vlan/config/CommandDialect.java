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
     * Writes what a switch has to be told.
     *
     * @param setup how it is set up afterwards.
     * @param changes by which it comes to that.
     * @param what that is, for the heading.
     */
    abstract String write(SwitchSetup setup, Changes changes, String what);
}
