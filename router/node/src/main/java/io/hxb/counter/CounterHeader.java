package io.hxb.counter;

import io.hxb.os.ProcessStat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes the part of a counter file that describes its contents. Stateless. */
final class CounterHeader {
    private CounterHeader() {}

    /** The bytes of a file whose counters are all 0. */
    static byte[] image(final CounterLayout layout, final CounterLabels labels) {
        final ByteBuffer image = ByteBuffer.allocate(layout.length).order(ByteOrder.LITTLE_ENDIAN);
        final long nowMs = System.currentTimeMillis();
        image.putLong(0, CounterLayout.MAGIC);
        image.putInt(CounterLayout.VERSION_OFFSET, CounterLayout.VERSION);
        image.putInt(CounterLayout.STATE_OFFSET, CounterLayout.RUNNING);
        final ProcessStat process = ProcessStat.ofThisProcess();
        image.putLong(CounterLayout.PID_OFFSET, process.pid());
        image.putLong(CounterLayout.START_TICKS_OFFSET, process.startTicks());
        image.putLong(CounterLayout.NAMESPACE_OFFSET, process.namespace());
        image.putLong(CounterLayout.START_OFFSET, nowMs);
        image.putLong(CounterLayout.HEARTBEAT_OFFSET, nowMs);
        image.putLong(CounterLayout.COORDINATES_OFFSET, labels.coordinates());
        image.putInt(CounterLayout.NODE_OFFSET, labels.node());
        image.putInt(CounterLayout.CLUSTER_OFFSET, labels.clusterId());
        image.putInt(CounterLayout.LINKS_OFFSET, layout.links);
        image.putInt(CounterLayout.DIMENSIONS_OFFSET, layout.dimensions);
        image.putInt(CounterLayout.WRITERS_OFFSET, layout.writers);
        image.putInt(CounterLayout.TYPES_OFFSET, CounterType.values().length);
        image.putInt(CounterLayout.DESCRIPTIONS_AT_OFFSET, CounterLayout.HEADER_BYTES);
        image.putInt(CounterLayout.LINKS_AT_OFFSET, layout.linksAt);
        image.putInt(CounterLayout.FINDINGS_AT_OFFSET, layout.findingsAt);
        image.putInt(CounterLayout.SHARES_AT_OFFSET, layout.sharesAt);
        image.putInt(CounterLayout.VALUES_AT_OFFSET, layout.valuesAt);
        image.putInt(CounterLayout.STRIDE_OFFSET, layout.stride);
        image.putInt(CounterLayout.LENGTH_OFFSET, layout.length);
        putText(image, CounterLayout.NAME_OFFSET, CounterLayout.NAME_BYTES, labels.clusterName());
        for (final CounterType type : CounterType.values()) {
            putDescription(image, layout, type);
        }
        for (int link = 0; link < layout.links; link++) {
            final CounterLabels.LinkLabel label = labels.links().get(link);
            final int at = layout.linksAt + link * CounterLayout.LINK_BYTES;
            image.put(at, (byte) label.dimension());
            image.put(at + 1, (byte) label.number());
            image.put(
                    at + CounterLayout.LINK_LINE_OFFSET,
                    (byte) Math.max(0, layout.places.nodes(link) - 1));
            image.putInt(at + CounterLayout.LINK_STEP_OFFSET, label.step());
            putText(
                    image,
                    at + CounterLayout.LINK_NAME_OFFSET,
                    CounterLayout.LINK_NAME_BYTES,
                    label.name());
        }
        return image.array();
    }

    private static void putDescription(
            final ByteBuffer image, final CounterLayout layout, final CounterType type) {
        final int at =
                CounterLayout.HEADER_BYTES + (type.id() - 1) * CounterLayout.DESCRIPTION_BYTES;
        image.putShort(at, (short) type.id());
        image.put(at + 2, (byte) type.scope().code());
        image.put(at + 3, (byte) type.kind().code());
        image.putInt(at + 4, layout.firstIndex(type));
        putText(
                image,
                at + CounterLayout.DESCRIPTION_UNIT_OFFSET,
                CounterLayout.UNIT_BYTES,
                type.unit());
        putText(
                image,
                at + CounterLayout.DESCRIPTION_NAME_OFFSET,
                CounterLayout.EXPORT_NAME_BYTES,
                type.exportName());
    }

    /** Writes the length in 2 bytes and as much of the text as fits. */
    private static void putText(
            final ByteBuffer image, final int at, final int spaceBytes, final String text) {
        final byte[] all = text.getBytes(StandardCharsets.UTF_8);
        final byte[] bytes = Arrays.copyOf(all, Math.min(all.length, spaceBytes - Short.BYTES));
        image.putShort(at, (short) bytes.length);
        image.put(at + Short.BYTES, bytes);
    }

    /** Where the values of neighbours are, from the links of a file, which lie inside it. */
    static NeighbourPlaces places(final ByteBuffer image) {
        final int[] lineNodes = new int[image.getInt(CounterLayout.LINKS_OFFSET)];
        for (int link = 0; link < lineNodes.length; link++) {
            lineNodes[link] = lineNodes(image, link);
        }
        return NeighbourPlaces.of(lineNodes);
    }

    /** Nodes of a link's line if they are counted one by one, otherwise 0. */
    static int lineNodes(final ByteBuffer image, final int link) {
        final int at =
                image.getInt(CounterLayout.LINKS_AT_OFFSET)
                        + link * CounterLayout.LINK_BYTES
                        + CounterLayout.LINK_LINE_OFFSET;
        final int others = image.get(at) & 0xFF;
        return others == 0 ? 0 : others + 1;
    }

    /** Reads what {@link #putText} wrote; a length that does not fit is cut. */
    static String text(final ByteBuffer image, final int at, final int spaceBytes) {
        final int length = Math.min(image.getShort(at) & 0xFFFF, spaceBytes - Short.BYTES);
        final byte[] bytes = new byte[length];
        image.get(at + Short.BYTES, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
