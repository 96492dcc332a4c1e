package io.hxb.tool.key;

import io.hxb.tool.option.MissingCommand;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code hxb key}: the parent of its subcommands. Picocli makes it. */
@Command(
        name = "key",
        mixinStandardHelpOptions = true,
        header = "Make and show keys, and export them for captures.",
        subcommands = {KeyGenerateCommand.class, KeyShowCommand.class, KeyExportCommand.class},
        footer = {"", "Example: hxb key generate /etc/hxb/key"})
public final class KeyCommand implements Runnable {
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    /** Picocli makes it. */
    KeyCommand() {}

    @Override
    public void run() {
        throw MissingCommand.of(spec);
    }
}
