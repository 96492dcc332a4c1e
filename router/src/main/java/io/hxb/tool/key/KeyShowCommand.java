package io.hxb.tool.key;

import io.hxb.session.KeyFile;
import io.hxb.tool.report.ExitStatus;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/** {@code hxb key show}: the fingerprint of a key. Picocli makes it. */
@Command(
        name = "show",
        mixinStandardHelpOptions = true,
        header = "Prints the fingerprint of a key, as hxb doctor does.",
        footer = {"", "Example: hxb key show /etc/hxb/key"})
final class KeyShowCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "file of the key")
    private Path file;

    /** Picocli makes it. */
    KeyShowCommand() {}

    @Override
    public Integer call() throws IOException {
        System.out.println(KeyFile.read(file).idText());
        return ExitStatus.OK;
    }
}
