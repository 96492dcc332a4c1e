package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.linux.Memory;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One end of a conversation between two contexts of a node: sends numbered messages in many ways
 * and checks those of the other end. Used by one thread.
 */
final class DirectEnd {
    /** Messages that each end sends. */
    static final int MESSAGES = 4_000;

    private static final int SLOTS = 64;
    private static final int REGION_BYTES = 8_192;

    final PmContext context;
    private final SplittableRandom random;
    private final PmDevice device;
    private final PmRegion region;
    private final int peer;
    private final List<Long> claimed = new ArrayList<>();
    private final List<Long> held = new ArrayList<>();
    private final PmMessage message = new PmMessage();
    private int sent;
    private int received;

    DirectEnd(final PmDevice device, final int own, final int peer, final long seed)
            throws Exception {
        random = new SplittableRandom(seed);
        this.device = device;
        this.peer = peer;
        context = device.openContext(own, PmContextOptions.DEFAULT.withSendBuffers(SLOTS));
        region = device.openRegion((long) SLOTS * REGION_BYTES);
    }

    /** Length of a message, known from its number. */
    private static int lengthBytes(final int number) {
        final int kind = number % 7;
        return kind == 6 ? 8 + number * 131 % 8_000 : 4 + number * 17 % (kind == 5 ? 900 : 60);
    }

    private static void write(final long address, final int number) {
        final int length = lengthBytes(number);
        Memory.fill(address, length, number);
        Memory.putInt(address, number);
    }

    private void claim() {
        final int slot = context.claim(0, peer, context.maxLengthBytes());
        if (slot >= 0) {
            claimed.add((long) slot);
            Memory.fill(context.sendAddress(slot), 64, 0x5A);
        }
    }

    private void endClaim() {
        if (claimed.isEmpty()) {
            return;
        }
        final int slot = claimed.remove(random.nextInt(claimed.size())).intValue();
        final int how = random.nextInt(8);
        if (how == 0 || sent == MESSAGES) {
            context.abandon(slot);
        } else if (how == 1) {
            // Bytes of the slot's own, which are not written again before its message is done.
            final long offset = (long) slot * REGION_BYTES;
            write(region.address() + offset, sent);
            final int status = context.sendFrom(slot, region, offset, lengthBytes(sent), sent * 3);
            assertEquals(PmStatus.OK, status);
            sent++;
        } else {
            write(context.sendAddress(slot), sent);
            assertEquals(PmStatus.OK, context.send(slot, lengthBytes(sent), sent * 3));
            sent++;
        }
    }

    private void receive() {
        if (context.receive(message) == PmStatus.OK) {
            assertEquals(0, message.sourceNode());
            assertEquals(peer, message.sourceContext());
            final int number = Memory.getInt(message.address());
            assertEquals(received, number);
            assertEquals(lengthBytes(number), message.lengthBytes());
            assertEquals(number * 3, message.tag());
            for (int i = Integer.BYTES; i < message.lengthBytes(); i++) {
                assertEquals((byte) number, Memory.getByte(message.address() + i));
            }
            held.add(message.handle());
            received++;
        }
    }

    private void release() {
        if (!held.isEmpty()) {
            context.release(held.remove(random.nextInt(held.size())));
        }
    }

    void step() {
        final int what = random.nextInt(10);
        if (what < 3) {
            if (claimed.size() < 4 && sent < MESSAGES) {
                claim();
            }
        } else if (what < 6) {
            endClaim();
        } else if (what < 8) {
            receive();
        } else {
            release();
        }
        if (held.size() > 40) {
            release();
        }
    }

    boolean isDone() {
        return sent == MESSAGES && received == MESSAGES && claimed.isEmpty() && held.isEmpty();
    }

    void close() {
        context.close();
        region.close();
        device.close();
    }
}
