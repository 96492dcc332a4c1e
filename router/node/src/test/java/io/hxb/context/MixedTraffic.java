package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Memory;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmEvent;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One context that sends to two others in every way there is: short and long, from buffers and
 * regions, claimed together, sent in another order, abandoned. Everything has to arrive as it was,
 * in the order sent, once.
 */
final class MixedTraffic {
    private static final int MESSAGES = 4_000;
    private static final int LONGEST = 600;
    private static final int FIRST_RECEIVER = 2;

    private final long seed;
    private final SplittableRandom random;
    private final PmContext[] receivers = new PmContext[2];
    private final int[] sent = new int[2];
    private final int[] received = new int[2];
    private final List<Claim> claims = new ArrayList<>();
    private final List<Long> held = new ArrayList<>();
    private final PmMessage message = new PmMessage();
    private PmContext sender;
    private PmRegion region;
    private long regionOffset;
    private int receiver;

    MixedTraffic(final long seed) {
        this.seed = seed;
        random = new SplittableRandom(seed);
    }

    /** Sends and receives until all is done; {@code turn} lets the node work. */
    void run(final PmDevice device, final Runnable turn) throws Exception {
        final PmContextOptions options = new PmContextOptions(64, 640, 4096, 0, 0);
        sender = device.openContext(1, options);
        receivers[0] = device.openContext(FIRST_RECEIVER);
        receivers[1] = device.openContext(FIRST_RECEIVER + 1);
        region = device.openRegion((long) MESSAGES * LONGEST);
        int idle = 0;
        while (received[0] + received[1] < MESSAGES && idle < 100_000) {
            final int before = received[0] + received[1];
            for (int i = random.nextInt(40); i > 0; i--) {
                step();
            }
            for (int i = random.nextInt(4); i > 0; i--) {
                turn.run();
            }
            for (int i = 0; i < 2; i++) {
                take(i);
            }
            idle = received[0] + received[1] > before ? 0 : idle + 1;
        }
        claims.forEach(claim -> sender.abandon(claim.slot));
        for (int i = 0; i < 100_000 && sender.unfinishedSends() > 0; i++) {
            turn.run();
        }
        final String about = "seed " + seed + ", sent " + Arrays.toString(sent);
        assertEquals(MESSAGES, received[0] + received[1], about);
        assertEquals(0, sender.unfinishedSends(), about);
        assertEquals(PmStatus.EMPTY, sender.pollEvent(new PmEvent()));
    }

    private void step() {
        if (random.nextInt(20) == 0) {
            receiver = 1 - receiver;
        }
        if (claims.isEmpty() || (claims.size() < 5 && random.nextInt(3) == 0)) {
            final int length = random.nextInt(4) == 0 ? LONGEST : random.nextInt(8, 257);
            final int slot = sender.claim(0, FIRST_RECEIVER + receiver, length);
            if (slot >= 0) {
                claims.add(new Claim(slot, receiver, length));
            }
            return;
        }
        final Claim claim = claims.remove(random.nextInt(claims.size()));
        if (random.nextInt(30) == 0 || sent[0] + sent[1] == MESSAGES) {
            sender.abandon(claim.slot);
            return;
        }
        final int number = sent[claim.receiver]++;
        final int length = random.nextInt(8, claim.length + 1);
        if (random.nextInt(10) == 0) {
            write(region.address() + regionOffset, number, length);
            assertEquals(
                    PmStatus.OK, sender.sendFrom(claim.slot, region, regionOffset, length, number));
            regionOffset += LONGEST;
        } else {
            write(sender.sendAddress(claim.slot), number, length);
            assertTrue(sender.sendBuffer(claim.slot).capacity() >= length);
            assertEquals(number, sender.sendBuffer(claim.slot).getInt(0));
            assertEquals(PmStatus.OK, sender.send(claim.slot, length, number));
        }
    }

    private static void write(final long address, final int number, final int length) {
        Memory.putInt(address, number);
        Memory.putInt(address + 4, length);
        for (int offset = 8; offset < length; offset++) {
            Memory.putByte(address + offset, number + offset);
        }
    }

    private void take(final int index) {
        while (random.nextInt(10) > 0 && receivers[index].receive(message) == PmStatus.OK) {
            final int number = received[index]++;
            final long address = message.address();
            assertEquals(number, message.tag());
            assertEquals(number, Memory.getInt(address));
            assertEquals(message.lengthBytes(), Memory.getInt(address + 4));
            for (int offset = 8; offset < message.lengthBytes(); offset++) {
                assertEquals((byte) (number + offset), Memory.getByte(address + offset));
            }
            if (index == 0 && random.nextInt(4) == 0) {
                held.add(message.handle());
            } else {
                receivers[index].release(message);
            }
        }
        while (held.size() > 10) {
            receivers[0].release(held.remove(random.nextInt(held.size())));
        }
    }

    /** A slot claimed. */
    private record Claim(int slot, int receiver, int length) {}
}
