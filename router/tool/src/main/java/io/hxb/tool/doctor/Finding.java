package io.hxb.tool.doctor;

import io.hxb.counter.NodeFinding;

/**
 * One thing that was examined. Immutable; the JSON fields are the components.
 *
 * @param level how bad it is.
 * @param subject what was examined, such as {@code nic eth2}.
 * @param text what was found.
 * @param fix what to do about it; empty when nothing has to be done.
 */
public record Finding(Level level, String subject, String text, String fix) {
    /** How bad a finding is. */
    public enum Level {
        /** As it should be. */
        OK,
        /** Works, but could be better. */
        WARN,
        /** Something will not work. */
        FAIL
    }

    static Finding ok(final String subject, final String text) {
        return new Finding(Level.OK, subject, text, "");
    }

    static Finding warn(final String subject, final String text, final String fix) {
        return new Finding(Level.WARN, subject, text, fix);
    }

    static Finding fail(final String subject, final String text, final String fix) {
        return new Finding(Level.FAIL, subject, text, fix);
    }

    /** What a node found itself. */
    static Finding ofNode(final String subject, final NodeFinding finding) {
        final Level level = finding.kind().isFailure() ? Level.FAIL : Level.WARN;
        return new Finding(
                level,
                subject,
                finding.text(),
                finding.fix().isEmpty() ? "look at the log of the node" : finding.fix());
    }

    /**
     * A problem of a cluster file, {@code file:line: what is wrong; what to do}, of which the last
     * part may be missing.
     */
    public static Finding failed(final String subject, final String text) {
        final int semicolon = text.lastIndexOf("; ");
        return semicolon < 0
                ? fail(subject, text, "correct this in the cluster file, the same on all nodes")
                : fail(subject, text.substring(0, semicolon), text.substring(semicolon + 2));
    }
}
