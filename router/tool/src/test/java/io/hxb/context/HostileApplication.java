package io.hxb.context;

import io.hxb.fuzz.Script;
import io.hxb.linux.EventFd;
import io.hxb.linux.Memory;
import io.hxb.pm.attach.Attachment;
import io.hxb.pm.attach.ContextRequest;

/**
 * An application that writes into the memory it shares with its node what a script contains,
 * between the node's turns. The node loses no buffer, context or memory by it, and every turn ends.
 * Used by one thread.
 */
public final class HostileApplication {
    private static final int RINGS = 512;
    private static final int SENDS = 16;
    private static final int MAX_STEPS = 200;
    private static final int CONTEXT = 3;
    private static final int END_TURNS = 8;
    private static TestNode node;

    private HostileApplication() {}

    /**
     * Runs a script of any bytes.
     *
     * @throws AssertionError if the node has not come to its own again.
     */
    public static void run(final byte[] bytes) {
        try {
            if (node == null) {
                node = new TestNode(512, 1);
            }
            run(new Script(bytes));
        } catch (final RuntimeException e) {
            throw e;
        } catch (final Exception e) {
            throw new AssertionError(e);
        }
    }

    private static void run(final Script script) throws Exception {
        final Attachment attachment = node.manager.attach(maxWaitNs -> node.loop.doWork(0));
        final Attachment.ContextMemory memory =
                attachment.openContext(CONTEXT, new ContextRequest(SENDS, 256, 2048, 0));
        for (int step = 0; step < MAX_STEPS && script.hasNext(); step++) {
            step(script, memory);
        }
        attachment.closeContext(memory);
        attachment.close();
        for (int i = 0; i < END_TURNS; i++) {
            node.loop.doWork(0);
        }
        if (node.manager.openContexts() != 0 || node.pool.outstanding() != 0) {
            throw new AssertionError(
                    node.manager.openContexts()
                            + " contexts and "
                            + node.pool.outstanding()
                            + " buffers are left");
        }
    }

    private static void step(final Script script, final Attachment.ContextMemory memory) {
        final long control = memory.controlAddress();
        switch (script.next() % 6) {
            case 0 -> {
                final long words = memory.controlBytes() / 8;
                Memory.putLong(
                        control + Math.floorMod(script.nextLong(), words) * 8, value(script));
            }
            case 1 -> submit(script, control);
            case 2 -> Memory.putLong(control + RINGS + script.next() % 128 * 8L, value(script));
            case 3 -> release(script, control);
            case 4 -> EventFd.signal(memory.wakeUps().node());
            default -> {
                node.loop.doWork(0);
                if (script.next() % 4 == 0 && node.loop.prepareToSleep()) {
                    node.loop.clearWake();
                    node.loop.awake();
                }
            }
        }
    }

    private static long value(final Script script) {
        return switch (script.next() % 3) {
            case 0 -> script.nextLong();
            case 1 -> script.next();
            default -> ((long) script.next() << 32) | script.next();
        };
    }

    // An entry that looks valid, at the position the node will look at next.
    private static void submit(final Script script, final long control) {
        final int position = script.next() % SENDS;
        final long entry = control + RINGS + position * 64L;
        Memory.putInt(entry + 8, (int) script.near(position));
        Memory.putInt(entry + 12, (int) script.near(8));
        Memory.putInt(entry + 16, (int) script.near(0));
        Memory.putInt(entry + 20, (int) script.near(CONTEXT));
        Memory.putInt(entry + 28, (int) script.near(0));
        Memory.putLong(entry + 32, script.near(0));
        Memory.putLong(entry + 40, script.near(0));
        Memory.putLongRelease(entry, script.near(position + 1));
    }

    private static void release(final Script script, final long control) {
        final long releases =
                control + RINGS + SENDS * 64 + SENDS * 16 + 256 + SENDS * 64 + 2048 * 32;
        final int position = script.next() % 32;
        Memory.putLongRelease(
                releases + position * 8L,
                ((position + 1L) << 32) | (script.near(position) & 0xFFFF_FFFFL));
    }
}
