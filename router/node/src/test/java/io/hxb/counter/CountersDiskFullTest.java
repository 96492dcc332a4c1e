package io.hxb.counter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

@Tag("system")
class CountersDiskFullTest {
    private static int run(final String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    @Test
    void shouldWarnAndCountInMemoryWhenTheDiskIsFull(@TempDir final Path folder)
            throws IOException, InterruptedException {
        // given
        final String size = "size=16k,mode=755";
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", size, "hxbt", folder.toString()) == 0,
                "skipped: a small disk can be mounted by root only");
        try {
            final List<String> warnings = new ArrayList<>();
            final CounterLabels labels = new CounterLabels("lab", 1, 0, 0, 3, List.of());
            // when
            final Counters counters =
                    Counters.create(folder.resolve("a"), labels, 1, warnings::add);
            counters.ofLoop(0).increment(CounterType.FLOW_SENT_FRAMES);
            counters.ofLoop(0).publish();
            // then
            assertEquals(1, counters.sum(CounterType.FLOW_SENT_FRAMES));
            assertNull(counters.file());
            assertEquals(1, warnings.size());
            assertTrue(warnings.get(0).contains("no space left"), warnings.get(0));
            try (var files = Files.list(folder)) {
                assertEquals(List.of(), files.toList());
            }
        } finally {
            run("umount", folder.toString());
        }
    }
}
