package io.hxb.observe.metrics;

import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * Metrics as text: OpenMetrics for who accepts it, otherwise the format of Prometheus. Immutable.
 */
public enum MetricText {
    /** OpenMetrics 1.0. */
    OPEN_METRICS,

    /** Text format 0.0.4 of Prometheus. */
    PROMETHEUS;

    private ExpositionFormatWriter writer() {
        return switch (this) {
            case OPEN_METRICS -> OpenMetricsTextFormatWriter.create();
            case PROMETHEUS -> PrometheusTextFormatWriter.create();
        };
    }

    /** The format for a header Accept. */
    public static MetricText accepted(final String accept) {
        return OPEN_METRICS.writer().accepts(accept) ? OPEN_METRICS : PROMETHEUS;
    }

    /** The content type. */
    public String type() {
        return writer().getContentType();
    }

    /** The text. */
    public byte[] bytes(final MetricSnapshots metrics) {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            writer().write(bytes, metrics);
        } catch (final IOException e) {
            throw new UncheckedIOException("memory takes every byte", e);
        }
        return bytes.toByteArray();
    }

    /** The same as a string. */
    public String text(final MetricSnapshots metrics) {
        return new String(bytes(metrics), StandardCharsets.UTF_8);
    }
}
