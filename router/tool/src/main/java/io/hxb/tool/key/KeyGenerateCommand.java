package io.hxb.tool.key;

import io.hxb.session.KeyFile;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;

/** {@code hxb key generate}: a new key. Picocli makes it. */
@Command(
        name = "generate",
        mixinStandardHelpOptions = true,
        header = "Write a new key to a file that only its owner may read.",
        footer = {
            "",
            "Copy the file to every node and name it in security.keys of the cluster file.",
            "Example: hxb key generate /etc/hxb/key"
        })
final class KeyGenerateCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "make this file, which must not exist yet")
    private Path file;

    @Mixin private Output output;

    /** Picocli makes it. */
    KeyGenerateCommand() {}

    @Override
    public Integer call() throws IOException {
        try {
            final String fingerprint = KeyFile.generate(file).idText();
            output.text().println(fingerprint);
            output.report(Map.of("ok", true, "fingerprint", fingerprint));
        } catch (final FileAlreadyExistsException e) {
            throw new UsageException("there is a file " + file + "; a key is never overwritten");
        }
        return ExitStatus.OK;
    }
}
