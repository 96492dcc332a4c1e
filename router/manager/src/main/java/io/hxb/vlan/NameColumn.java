package io.hxb.vlan;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Names of all hosts. Each holds the length of its common prefix with the name before it, and what
 * follows; every {@value #BLOCK}th is whole, so that no more than that are read for one. Immutable.
 * Source: Witten, Moffat and Bell, Managing Gigabytes, 1999, 4.1 (front coding).
 */
final class NameColumn {
    private static final int BLOCK = 16;
    private static final int MAX_COUNT = 255;

    // Both counts are halves of a byte; of the second, the largest means that more bytes follow.
    private static final int HALF_BITS = 4;
    private static final int MAX_HALF = 15;

    private final byte[] bytes;
    private final TableColumn starts;

    private NameColumn(final byte[] bytes, final TableColumn starts) {
        this.bytes = bytes;
        this.starts = starts;
    }

    static NameColumn of(final List<String> names) {
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        final long[] starts = new long[(names.size() + BLOCK - 1) / BLOCK];
        byte[] before = {};
        for (int host = 0; host < names.size(); host++) {
            if (host % BLOCK == 0) {
                starts[host / BLOCK] = all.size();
                before = new byte[0];
            }
            final byte[] name = names.get(host).getBytes(StandardCharsets.UTF_8);
            final int end = Math.min(MAX_HALF, Math.min(before.length, name.length));
            final int mismatch = Arrays.mismatch(before, 0, end, name, 0, end);
            final int common = mismatch < 0 ? end : mismatch;
            final int rest = name.length - common;
            all.write(common << HALF_BITS | Math.min(rest, MAX_HALF));
            if (rest >= MAX_HALF) {
                writeCount(all, rest - MAX_HALF);
            }
            all.write(name, common, name.length - common);
            before = name;
        }
        return new NameColumn(all.toByteArray(), TableColumn.of(starts));
    }

    /** A byte, and more if it is the largest there is. */
    private static void writeCount(final ByteArrayOutputStream all, final int count) {
        IntStream.range(0, count / MAX_COUNT).forEach(i -> all.write(MAX_COUNT));
        all.write(count % MAX_COUNT);
    }

    String get(final int host) {
        byte[] name = {};
        int position = (int) starts.get(host / BLOCK);
        for (int i = 0; i <= host % BLOCK; i++) {
            final int counts = bytes[position++] & 0xFF;
            final int common = counts >>> HALF_BITS;
            int rest = counts & MAX_HALF;
            for (int part = rest == MAX_HALF ? MAX_COUNT : 0; part == MAX_COUNT; ) {
                part = bytes[position++] & 0xFF;
                rest += part;
            }
            name = Arrays.copyOf(name, common + rest);
            System.arraycopy(bytes, position, name, common, rest);
            position += rest;
        }
        return new String(name, StandardCharsets.UTF_8);
    }
}
