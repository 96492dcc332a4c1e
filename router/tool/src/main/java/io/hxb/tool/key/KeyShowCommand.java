package io.hxb.tool.key;

import io.hxb.session.KeyFile;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.ExitStatus;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;

/** {@code hxb key show}: the fingerprint of a key. Picocli makes it. */
@Command(
        name = "show",
        mixinStandardHelpOptions = true,
        header = "Print the fingerprint of a key, as hxb doctor does.",
        footer = {"", "Example: hxb key show /etc/hxb/key"})
final class KeyShowCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "read the key from this file")
    private Path file;

    @Mixin private Output output;

    /** Picocli makes it. */
    KeyShowCommand() {}

    @Override
    public Integer call() throws IOException {
        final String fingerprint = KeyFile.read(file).idText();
        output.text().println(fingerprint);
        output.report(Map.of("ok", true, "fingerprint", fingerprint));
        return ExitStatus.OK;
    }
}
