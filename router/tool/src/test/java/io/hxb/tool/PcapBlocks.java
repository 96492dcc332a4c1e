package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * What a pcapng file holds, read block by block as in the format. Immutable. Source:
 * draft-ietf-opsawg-pcapng.
 *
 * @param interfaces interface descriptions.
 * @param etherTypes frames by EtherType.
 */
record PcapBlocks(int interfaces, Map<Integer, Integer> etherTypes) {
    private static final int ETHER_TYPE_OFFSET = 28 + 12;

    /** Reads a file to its end, which has to be that of a block. */
    static PcapBlocks read(final Path file) throws IOException {
        final ByteBuffer bytes =
                ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(0x0A0D_0D0A, bytes.getInt(0));
        assertEquals(0x1A2B_3C4D, bytes.getInt(8));
        final Map<Integer, Integer> etherTypes = new HashMap<>();
        int interfaces = 0;
        int at = 0;
        while (at < bytes.capacity()) {
            final int length = bytes.getInt(at + 4);
            assertTrue(length >= 12 && length % 4 == 0, "length " + length + " at " + at);
            assertEquals(length, bytes.getInt(at + length - 4), "end of the block at " + at);
            if (bytes.getInt(at) == 1) {
                interfaces++;
            } else if (bytes.getInt(at) == 6) {
                final int etherType =
                        Short.toUnsignedInt(
                                Short.reverseBytes(bytes.getShort(at + ETHER_TYPE_OFFSET)));
                etherTypes.merge(etherType, 1, Integer::sum);
            }
            at += length;
        }
        return new PcapBlocks(interfaces, etherTypes);
    }

    int frames() {
        return etherTypes.values().stream().mapToInt(Integer::intValue).sum();
    }

    int framesOfEtherType(final int etherType) {
        return etherTypes.getOrDefault(etherType, 0);
    }
}
