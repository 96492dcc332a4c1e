package io.hxb.bench.harness;

import picocli.CommandLine.Option;

import java.nio.file.Path;

/** Whether results are kept. Picocli fills it. */
public final class ResultsOption {
    @Option(
            names = "--no-results",
            description = "print the results, but do not append them to results/")
    private boolean isNotKept;

    /** Folder to which results are appended; null for none. */
    public Path folder() {
        return isNotKept ? null : Peers.results();
    }
}
