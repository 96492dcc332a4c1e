package io.hxb.tool.report;

/** Exit statuses of all commands. Stateless. */
public final class ExitStatus {
    /** The command succeeded. */
    public static final int OK = 0;

    /** The command failed, and trying again may help. */
    public static final int FAILED = 1;

    /** The command was used incorrectly; trying again does not help. */
    public static final int USAGE = 2;

    private ExitStatus() {}

    /**
     * The exit status that agrees with what a command reported.
     *
     * @param isOk the {@code ok} of its last object.
     */
    public static int of(final boolean isOk) {
        return isOk ? OK : FAILED;
    }
}
