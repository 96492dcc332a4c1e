package io.hxb.forward.kernel;

import io.hxb.config.FrameConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.routing.DimensionOrder;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Trains by IP from one node to another, byte by byte, as a neighbour sends them to a relay. */
record TrainBytes(int clusterId, long source, long destination, long fromMac, long toMac) {
    /** Bytes before the first HXB header. */
    static final int HEADERS = 42;

    /** Offset of the header of IPv4. */
    static final int IP = 14;

    /** Time to live. */
    static final int HOPS = 9;

    private static final int UDP_PORT = FrameConfig.DEFAULT.etherType();
    private static final long LOCAL_BIT = 0x02L << 40;

    /** Frames of a size, the last one maybe shorter. */
    ByteBuffer of(final int payloadBytes, final int frameBytes) {
        final ByteBuffer train =
                ByteBuffer.allocate(HEADERS + payloadBytes).order(ByteOrder.LITTLE_ENDIAN);
        putMac(train, 0, toMac ^ LOCAL_BIT);
        putMac(train, 6, fromMac ^ LOCAL_BIT);
        putShort(train, 12, 0x0800);
        putShort(train, IP, 0x4500);
        putShort(train, IP + 2, 28 + payloadBytes);
        putShort(train, IP + 6, 0x4000);
        putShort(train, IP + 8, HOPS << 8 | 17);
        train.putInt(IP + 12, 0x0102_030A).putInt(IP + 16, 0x0506_070A);
        putShort(train, IP + 20, UDP_PORT ^ 0x1234);
        putShort(train, IP + 22, UDP_PORT);
        putShort(train, IP + 24, 8 + payloadBytes);
        putShort(train, IP + 26, 0xABCD);
        putSum(train);
        for (int i = 0; i < payloadBytes; i++) {
            train.put(HEADERS + i, (byte) i);
        }
        for (int at = 0; at < payloadBytes; at += frameBytes) {
            putHeader(train, at, Math.min(frameBytes, payloadBytes - at));
        }
        return train;
    }

    /** Writes the header of the frame at an offset from the first, if it has room for one. */
    void putHeader(final ByteBuffer train, final int at, final int lengthBytes) {
        final int header = HEADERS + at;
        if (lengthBytes < FrameHeaderFlyweight.LENGTH) {
            return;
        }
        train.put(header + FrameHeaderFlyweight.VERSION_OFFSET, (byte) FrameHeaderFlyweight.VERSION)
                .put(header + FrameHeaderFlyweight.TYPE_OFFSET, (byte) 1)
                .put(header + FrameHeaderFlyweight.FLAGS_OFFSET, (byte) 0)
                .put(header + FrameHeaderFlyweight.HOP_LIMIT_OFFSET, (byte) 77)
                .putInt(header + FrameHeaderFlyweight.ORDER_OFFSET, DimensionOrder.DEFAULT)
                .putInt(header + FrameHeaderFlyweight.CLUSTER_OFFSET, clusterId)
                .putLong(header + FrameHeaderFlyweight.SOURCE_OFFSET, source)
                .putLong(header + FrameHeaderFlyweight.DESTINATION_OFFSET, destination)
                .putInt(
                        header + FrameHeaderFlyweight.BODY_OFFSET,
                        lengthBytes - FrameHeaderFlyweight.LENGTH);
    }

    static void putMac(final ByteBuffer frame, final int offset, final long mac) {
        for (int i = 0; i < 6; i++) {
            frame.put(offset + i, (byte) (mac >>> (40 - 8 * i)));
        }
    }

    private static void putShort(final ByteBuffer frame, final int offset, final int value) {
        frame.put(offset, (byte) (value >>> 8)).put(offset + 1, (byte) value);
    }

    /** Writes the checksum of the header of IPv4. */
    static void putSum(final ByteBuffer train) {
        putShort(train, IP + 10, 0);
        putShort(train, IP + 10, ~sum(train));
    }

    /** The sum of the header of IPv4, 0xFFFF if its checksum is valid. */
    static int sum(final ByteBuffer train) {
        int sum = 0;
        for (int i = IP; i < IP + 20; i += 2) {
            sum += Short.toUnsignedInt(Short.reverseBytes(train.getShort(i)));
        }
        while (sum >>> 16 != 0) {
            sum = (sum & 0xFFFF) + (sum >>> 16);
        }
        return sum;
    }
}
