package io.hxb.tool.events;

import io.hxb.tool.report.UsageException;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;

/**
 * A moment as an option gives it: a time of day such as {@code 12:03:10}, which is the last one, a
 * time that has passed since, such as {@code -5m}, or a date and time as in ISO 8601. Stateless.
 */
public final class Moment {
    private Moment() {}

    /**
     * Reads a moment.
     *
     * @param option its name, for the message.
     * @param text what was given.
     * @throws UsageException that names the option, what was given and what it may be.
     */
    public static Instant parse(
            final String option, final String text, final Instant now, final ZoneId zone) {
        final String value = text.strip();
        try {
            if (value.startsWith("-")) {
                final String age = value.substring(1);
                return now.minus(Duration.ofNanos(Age.parseNs(option, age)));
            }
            if (value.contains("T")) {
                return dateAndTime(value, zone);
            }
            final ZonedDateTime today =
                    LocalTime.parse(value).atDate(now.atZone(zone).toLocalDate()).atZone(zone);
            return (today.toInstant().isAfter(now) ? today.minusDays(1) : today).toInstant();
        } catch (final DateTimeException | UsageException e) {
            throw new UsageException(
                    option
                            + " must be a time of day such as 12:03:10, the time since then, such"
                            + " as -5m, or a date and time such as 2026-05-04T12:03:10: "
                            + text,
                    e);
        }
    }

    private static Instant dateAndTime(final String value, final ZoneId zone) {
        return value.matches(".*(Z|[+-]\\d\\d:\\d\\d)")
                ? OffsetDateTime.parse(value).toInstant()
                : LocalDateTime.parse(value).atZone(zone).toInstant();
    }
}
