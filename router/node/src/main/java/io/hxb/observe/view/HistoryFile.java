package io.hxb.observe.view;

import io.hxb.linux.Folder;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A copy of the {@link History} in a file of the run folder, for the process that takes over: one
 * write a second. Without the file everything works, but a history begins with its process. Owned
 * by {@link LiveNetwork}.
 *
 * <p>Big-endian: the head has the version, its length, the number of series, and the length and
 * text of each name. Up to {@link History#SECONDS} rows follow in a ring, each with its time in ms
 * since 1970, the values of every series, and its time once more. A series that was not known then
 * has the state {@value #UNKNOWN}.
 */
public final class HistoryFile {
    /** A history whose last row is older is that of another time. */
    static final long MAX_GAP_MS = 10_000;

    private static final Logger LOGGER = LoggerFactory.getLogger(HistoryFile.class);
    private static final int VERSION = 0x4858_4801;
    private static final int MODE = 0600;
    private static final int MAX_BYTES = 20 << 20;
    private static final float UNKNOWN = -1;
    private static final int VALUE_BYTES = History.COLUMNS * Float.BYTES;

    private final Path file;
    private List<String> names = List.of();
    private FileChannel channel;
    private int headBytes;
    private long rows;
    private boolean hasFailed;

    /** One that has not been read or written. */
    public HistoryFile(final Path file) {
        this.file = file.toAbsolutePath();
    }

    private record Row(long timeMs, int at) {}

    /** Reads what an earlier process wrote, if it is recent. */
    void load(final History history, final long nowMs) {
        final byte[] bytes;
        try (Folder folder = Folder.open(file.getParent())) {
            bytes = folder.readSecret(file.getFileName().toString(), MAX_BYTES);
        } catch (final IOException e) {
            LOGGER.debug("there is no earlier history", e);
            return;
        }
        try {
            load(ByteBuffer.wrap(bytes), history, nowMs);
        } catch (final BufferUnderflowException | IllegalArgumentException e) {
            LOGGER.warn("{} is damaged: the history begins anew", file);
            history.clear();
        }
    }

    private static void load(final ByteBuffer in, final History history, final long nowMs) {
        if (in.getInt() != VERSION) {
            return;
        }
        final int head = in.getInt();
        final int count = in.getInt();
        if (count < 0 || count > History.MAX_SERIES) {
            throw new IllegalArgumentException("series: " + count);
        }
        final List<String> known = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            final byte[] name = new byte[in.getShort() & 0xFFFF];
            in.get(name);
            known.add(new String(name, StandardCharsets.UTF_8));
        }
        final List<Row> found = new ArrayList<>();
        for (int at = head; at <= in.limit() - rowBytes(count); at += rowBytes(count)) {
            final long timeMs = in.getLong(at);
            if (timeMs == in.getLong(at + rowBytes(count) - Long.BYTES)
                    && timeMs <= nowMs
                    && timeMs > nowMs - History.SECONDS * LiveNetwork.RATE_INTERVAL_MS) {
                found.add(new Row(timeMs, at));
            }
        }
        found.sort(Comparator.comparingLong(Row::timeMs));
        if (found.isEmpty() || found.getLast().timeMs < nowMs - MAX_GAP_MS) {
            return;
        }
        for (final Row row : found) {
            in.position(row.at + Long.BYTES);
            for (final String name : known) {
                final float[] values = new float[History.COLUMNS];
                for (int i = 0; i < values.length; i++) {
                    values[i] = in.getFloat();
                }
                if (values[History.COLUMNS - 1] != UNKNOWN) {
                    history.add(name, values);
                }
            }
        }
    }

    private static int rowBytes(final int series) {
        return 2 * Long.BYTES + series * VALUE_BYTES;
    }

    /** Writes the last values of all series. */
    void append(final History history, final long nowMs) {
        try {
            if (channel == null || !names.equals(history.names())) {
                rewrite(history, nowMs);
                return;
            }
            final ByteBuffer row = ByteBuffer.allocate(rowBytes(names.size()));
            put(row, history, 0, nowMs);
            channel.write(row.flip(), headBytes + rows % History.SECONDS * row.limit());
            rows++;
            hasFailed = false;
        } catch (final IOException e) {
            if (!hasFailed) {
                LOGGER.warn("the history is lost with this process: {}", e.getMessage());
            }
            hasFailed = true;
        }
    }

    private void put(
            final ByteBuffer row, final History history, final int age, final long timeMs) {
        row.putLong(timeMs);
        for (final String name : names) {
            for (final float value : history.row(name, age, UNKNOWN)) {
                row.putFloat(value);
            }
        }
        row.putLong(timeMs);
    }

    // All rows once more: there are other series.
    private void rewrite(final History history, final long nowMs) throws IOException {
        close();
        names = history.names();
        final List<byte[]> texts =
                names.stream().map(name -> name.getBytes(StandardCharsets.UTF_8)).toList();
        headBytes = 3 * Integer.BYTES + texts.stream().mapToInt(text -> 2 + text.length).sum();
        rows = history.seconds();
        final ByteBuffer all = ByteBuffer.allocate(headBytes + (int) rows * rowBytes(names.size()));
        all.putInt(VERSION).putInt(headBytes).putInt(names.size());
        for (final byte[] text : texts) {
            all.putShort((short) text.length).put(text);
        }
        for (int age = (int) rows - 1; age >= 0; age--) {
            put(all, history, age, nowMs - age * LiveNetwork.RATE_INTERVAL_MS);
        }
        final String name = file.getFileName().toString();
        try (Folder folder = Folder.open(file.getParent())) {
            folder.replace(name, all.array(), MODE);
            channel = folder.openOrCreate(name, MODE);
        }
    }

    private void close() throws IOException {
        if (channel != null) {
            channel.close();
            channel = null;
        }
    }
}
