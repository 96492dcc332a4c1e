package io.hxb.bench.attack;

import io.hxb.bench.soak.Forgery;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.SealFlyweight;
import io.hxb.linux.Memory;

import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Makes the frames of the attack, most of them of frames that were seen. Owned by one thread;
 * allocates nothing for a frame.
 */
final class Forger {
    private static final int MAX_FLIPS = 8;
    private static final int KIND_SHARES = 16;

    /** Of the body of a data frame that is authenticated and not encrypted. */
    private static final int COVERED_BYTES = 16;

    private final SeenFrames seen;
    private final Forgery forgery;
    private final SplittableRandom random;
    private final boolean isPayloadCovered;
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final FrameHeaderFlyweight other = new FrameHeaderFlyweight();
    private final Map<Kind, long[]> made = new EnumMap<>(Kind.class);

    /** What is done to a frame. */
    enum Kind {
        /** Sent once more, as it was or to another place. */
        REPLAYED,
        /** Its end is missing. */
        CUT,
        /** Some of its bits are changed. */
        FLIPPED,
        /** Parts of two frames, or its two ends exchanged. */
        SWAPPED,
        /** Its fields, or all of it, are made up. */
        FORGED
    }

    /**
     * Has made nothing.
     *
     * @param isPayloadCovered true if nodes find any change of payload; else only what they do find
     *     is changed in frames with payload, because a changed copy that arrives before the frame
     *     itself is taken for it.
     */
    Forger(
            final SeenFrames seen,
            final Forgery forgery,
            final SplittableRandom random,
            final boolean isPayloadCovered) {
        this.isPayloadCovered = isPayloadCovered;
        this.seen = seen;
        this.forgery = forgery;
        this.random = random;
        for (final Kind kind : Kind.values()) {
            made.put(kind, new long[1]);
        }
    }

    /**
     * Makes a frame.
     *
     * @param line where it will be sent.
     * @param to where to, with room for {@link SeenFrames#MAX_BYTES}: prefix and frame.
     * @return its length in bytes with the prefix, or 0 while nothing has been seen.
     */
    int make(final int line, final long to) {
        final int slot = seen.anyOf(line);
        if (slot < 0) {
            return 0;
        }
        final Kind kind = draw();
        made.get(kind)[0]++;
        final int lengthBytes = seen.lengthBytes(slot);
        Memory.copy(seen.address(slot), to, lengthBytes);
        final long frame = to + seen.prefixBytes();
        final int frameBytes = lengthBytes - seen.prefixBytes();
        final int result =
                switch (kind) {
                    case REPLAYED -> replay(to, frameBytes);
                    case CUT -> cut(frameBytes);
                    case FLIPPED -> flip(frame, frameBytes);
                    case SWAPPED -> swap(frame, frameBytes);
                    case FORGED -> forge(frame, frameBytes);
                };
        return seen.prefixBytes() + result;
    }

    private Kind draw() {
        return switch (random.nextInt(KIND_SHARES)) {
            case 0, 1, 2, 3 -> Kind.REPLAYED;
            case 4, 5 -> Kind.CUT;
            case 6, 7, 8 -> Kind.FLIPPED;
            case 9, 10, 11 -> Kind.SWAPPED;
            default -> Kind.FORGED;
        };
    }

    private int replay(final long to, final int frameBytes) {
        if (random.nextInt(4) == 0) {
            Memory.copy(seen.address(seen.any()), to, seen.prefixBytes());
        }
        return frameBytes;
    }

    private int cut(final int frameBytes) {
        return random.nextBoolean()
                ? random.nextInt(frameBytes)
                : frameBytes - 1 - random.nextInt(Math.min(frameBytes - 1, 32));
    }

    private int flip(final long frame, final int frameBytes) {
        for (int left = 1 + random.nextInt(MAX_FLIPS); left > 0; left--) {
            final int at =
                    switch (random.nextInt(4)) {
                        case 0 -> random.nextInt(flippableBytes(frame, frameBytes));
                        case 1 -> frameBytes - 1 - random.nextInt(SealFlyweight.LENGTH);
                        default -> random.nextInt(FrameHeaderFlyweight.LENGTH);
                    };
            final int bit = 1 << random.nextInt(8);
            Memory.putByte(frame + at, Memory.getUnsignedByte(frame + at) ^ bit);
        }
        return frameBytes;
    }

    private int flippableBytes(final long frame, final int frameBytes) {
        return isPayloadCovered || header.wrap(frame).type() != FrameType.DATA
                ? frameBytes
                : Math.min(frameBytes, FrameHeaderFlyweight.LENGTH + COVERED_BYTES);
    }

    private int swap(final long frame, final int frameBytes) {
        header.wrap(frame);
        final int slot = seen.any();
        final long donor = seen.address(slot) + seen.prefixBytes();
        final int donorBytes = seen.lengthBytes(slot) - seen.prefixBytes();
        switch (random.nextInt(5)) {
            case 0 -> {
                final long source = header.source();
                header.source(header.destination()).destination(source);
            }
            case 1 -> {
                final int context = header.sourceContext();
                header.sourceContext(header.destinationContext()).destinationContext(context);
            }
            case 2 ->
                    // The trailer of another frame.
                    Memory.copy(
                            donor + donorBytes - SealFlyweight.LENGTH,
                            frame + frameBytes - SealFlyweight.LENGTH,
                            SealFlyweight.LENGTH);
            case 3 -> {
                // The header of another frame.
                Memory.copy(donor, frame, FrameHeaderFlyweight.LENGTH);
                header.bodyLength(frameBytes - FrameHeaderFlyweight.LENGTH);
            }
            default -> {
                // The numbers of another frame.
                other.wrap(donor);
                header.sequence(other.sequence())
                        .acknowledgement(other.acknowledgement())
                        .epoch(other.epoch());
            }
        }
        return frameBytes;
    }

    private int forge(final long frame, final int frameBytes) {
        if (random.nextBoolean()) {
            return forgery.write(1 + random.nextInt(FrameType.COUNT - 1), frame);
        }
        header.wrap(frame);
        switch (random.nextInt(6)) {
            case 0 -> header.type(1 + random.nextInt(FrameType.COUNT - 1));
            case 1 -> header.sequence(header.sequence() + 1 + random.nextInt(64));
            case 2 -> header.acknowledgement(header.acknowledgement() + 1 + random.nextInt(64));
            case 3 -> header.sourceIncarnation(header.sourceIncarnation() + 1);
            case 4 -> header.epoch((header.epoch() + 1) & 0xFFFF);
            default -> unseal();
        }
        return frameBytes;
    }

    // As if there were no key; what was the trailer is padding then.
    private void unseal() {
        header.flags(header.flags() & ~FrameHeaderFlyweight.FLAG_SEALED);
    }

    /** Frames made so far to which this was done. */
    long made(final Kind kind) {
        return made.get(kind)[0];
    }
}
