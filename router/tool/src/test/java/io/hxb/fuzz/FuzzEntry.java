package io.hxb.fuzz;

/** Where the fuzzer's own program enters, for long runs of the target {@code hxb.fuzz.target}. */
public final class FuzzEntry {
    private static final FuzzTarget TARGET = FuzzTarget.of(System.getProperty("hxb.fuzz.target"));

    private FuzzEntry() {}

    /** Runs one input. */
    public static void fuzzerTestOneInput(final byte[] input) {
        TARGET.run(input);
    }
}
