package io.hxb.testing;

import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

import java.util.ArrayList;
import java.util.List;

/** Keeps what is logged: {@code WARN text}. Owned by one thread. */
public final class RecordingLogger extends LegacyAbstractLogger {
    private static final long serialVersionUID = 1L;

    private final transient List<String> lines = new ArrayList<>();
    private final Level lowest;

    /** Keeps messages from {@code lowest} on. */
    public RecordingLogger(final Level lowest) {
        this.lowest = lowest;
        name = "recording";
    }

    /** What was logged so far. */
    public List<String> lines() {
        return lines;
    }

    @Override
    protected String getFullyQualifiedCallerName() {
        return null;
    }

    @Override
    protected void handleNormalizedLoggingCall(
            final Level level,
            final Marker marker,
            final String pattern,
            final Object[] arguments,
            final Throwable thrown) {
        lines.add(level + " " + MessageFormatter.basicArrayFormat(pattern, arguments));
    }

    private boolean isLogged(final Level level) {
        return level.toInt() >= lowest.toInt();
    }

    @Override
    public boolean isTraceEnabled() {
        return isLogged(Level.TRACE);
    }

    @Override
    public boolean isDebugEnabled() {
        return isLogged(Level.DEBUG);
    }

    @Override
    public boolean isInfoEnabled() {
        return isLogged(Level.INFO);
    }

    @Override
    public boolean isWarnEnabled() {
        return isLogged(Level.WARN);
    }

    @Override
    public boolean isErrorEnabled() {
        return isLogged(Level.ERROR);
    }
}
