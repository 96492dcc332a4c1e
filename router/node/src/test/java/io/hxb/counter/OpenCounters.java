package io.hxb.counter;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Makes counters of nodes that a test does not stop in order, and gives their files up after it.
 * The files of counters that are left open are made again wherever somebody removes them, such as
 * the one who removes the folder of a test.
 */
public final class OpenCounters implements AfterEachCallback {
    private final List<Counters> all = new ArrayList<>();

    /** As {@link Counters#create}. */
    public Counters create(
            final Path file,
            final CounterLabels labels,
            final int loops,
            final Consumer<String> warning) {
        final Counters counters = Counters.create(file, labels, loops, warning);
        all.add(counters);
        return counters;
    }

    @Override
    public void afterEach(final ExtensionContext context) {
        all.forEach(Counters::close);
        all.clear();
    }
}
