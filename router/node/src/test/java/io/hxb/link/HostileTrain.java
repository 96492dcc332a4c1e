package io.hxb.link;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.linux.Memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Makes trains that no honest sender makes, from frames that one has sent: repeated, cut anywhere,
 * joined wrongly, with sizes that lie, with a bit flipped. Every train is harmless to flows whose
 * frames have a CRC. Used by one thread.
 */
public final class HostileTrain {
    /** What is wrong with a train. */
    public enum Kind {
        /** Nothing but that its frames have come before. */
        REPEATED,

        /** The last frame ends too early. */
        TRUNCATED,

        /** Parts of several frames in a row, wherever they begin and end. */
        JOINED_WRONGLY,

        /** No frames at all. */
        NOISE,

        /** One bit. */
        FLIPPED_BIT,

        /** The header of a frame has a wrong length. */
        LYING_LENGTH,

        /** A few bytes. */
        TINY
    }

    /** The longest payload of UDP over IPv4. */
    public static final int MAX_BYTES = 65_507;

    private static final int MAX_SAMPLES = 64;
    private static final int MAX_SEGMENTS = 64;
    private static final int MAX_FRAMES = 8;

    private final SplittableRandom random;
    private final List<byte[]> samples = new ArrayList<>();
    private final MemorySegment memory = Arena.ofAuto().allocate(1 << 17, 64);
    private final long address = memory.address() + 64;
    private Kind kind = Kind.NOISE;
    private int lengthBytes;
    private int segmentBytes;
    private int trueSegmentBytes;

    /** Makes trains by {@code random}. */
    public HostileTrain(final SplittableRandom random) {
        this.random = random;
    }

    /** Keeps a data frame that somebody honest has sent, perhaps instead of another. */
    public void learn(final long headerAddress, final int frameBytes) {
        final byte[] bytes =
                Memory.ALL.asSlice(headerAddress, frameBytes).toArray(ValueLayout.JAVA_BYTE);
        if (samples.size() < MAX_SAMPLES) {
            samples.add(bytes);
        } else {
            samples.set(random.nextInt(MAX_SAMPLES), bytes);
        }
    }

    /** Makes the next train; frames must have been learned. */
    public void next() {
        kind = Kind.values()[random.nextInt(Kind.values().length)];
        lengthBytes = 0;
        trueSegmentBytes = 0;
        switch (kind) {
            case JOINED_WRONGLY -> joinParts();
            case NOISE -> addNoise(random.nextInt(MAX_BYTES));
            case TINY -> addNoise(random.nextInt(64));
            default -> repeatFrames();
        }
        switch (kind) {
            case TRUNCATED -> lengthBytes = 1 + random.nextInt(lengthBytes);
            case FLIPPED_BIT -> {
                final long at = address + random.nextInt(lengthBytes);
                Memory.putByte(at, Memory.getByte(at) ^ 1 << random.nextInt(Byte.SIZE));
            }
            case LYING_LENGTH -> {
                final int frame = random.nextInt(lengthBytes / trueSegmentBytes);
                Memory.putShort(
                        address
                                + (long) frame * trueSegmentBytes
                                + FrameHeaderFlyweight.BODY_OFFSET,
                        random.nextInt(1 << 16));
            }
            default -> {}
        }
        segmentBytes = segment();
    }

    // Frames of one size, as a train of somebody honest, though perhaps the same frame.
    private void repeatFrames() {
        final byte[] frame = samples.get(random.nextInt(samples.size()));
        final int count = 1 + random.nextInt(Math.min(MAX_FRAMES, MAX_BYTES / frame.length));
        trueSegmentBytes = frame.length;
        for (int i = 0; i < count; i++) {
            final byte[] other = samples.get(random.nextInt(samples.size()));
            add(other.length == frame.length ? other : frame, 0, frame.length);
        }
    }

    private void joinParts() {
        final int parts = 2 + random.nextInt(MAX_FRAMES);
        for (int i = 0; i < parts; i++) {
            final byte[] frame = samples.get(random.nextInt(samples.size()));
            final int from = random.nextInt(frame.length);
            final int count = 1 + random.nextInt(frame.length - from);
            if (lengthBytes + count <= MAX_BYTES) {
                add(frame, from, count);
            }
        }
    }

    private void addNoise(final int count) {
        final byte[] noise = new byte[count];
        for (int i = 0; i < count; i++) {
            noise[i] = (byte) random.nextInt();
        }
        add(noise, 0, count);
    }

    private void add(final byte[] bytes, final int from, final int count) {
        MemorySegment.copy(
                bytes, from, Memory.ALL, ValueLayout.JAVA_BYTE, address + lengthBytes, count);
        lengthBytes += count;
    }

    // In one train of four the size that its frames have, else any: what is cut has few pieces,
    // so that the kernel takes it, but once in a while.
    private int segment() {
        if (trueSegmentBytes != 0 && random.nextInt(4) == 0) {
            return trueSegmentBytes;
        }
        final int smallest = random.nextInt(50) == 0 ? 1 : lengthBytes / MAX_SEGMENTS + 1;
        return smallest + random.nextInt(9_000);
    }

    /** What is wrong with it. */
    public Kind kind() {
        return kind;
    }

    /** Where it lies; there are 64 bytes before it that may be written. */
    public long address() {
        return address;
    }

    /** Bytes of it. */
    public int lengthBytes() {
        return lengthBytes;
    }

    /** Bytes of the datagrams that it should be cut into, 1 or more. */
    public int segmentBytes() {
        return segmentBytes;
    }
}
