package io.hxb.flow;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.frame.EndedFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.MessageRecordFlyweight;
import io.hxb.frame.UnreachableFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.linux.Memory;
import io.hxb.pm.PmStatus;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A node whose peer sends frames from a script of bytes: frames of flows that are right in form and
 * whose every field is the script's, between sends, releases and the passing of time. After each
 * step the books are checked: every send is done exactly once, every buffer is in the pool, in an
 * ordering array or with the application. Used by one thread.
 */
public final class HostilePeer {
    private static final int SLOTS = 64;
    private static final int STEPS = 400;
    private static final int FLUSH_STEPS = 5;

    private final FlowFixture flows = new FlowFixture();
    private final Set<Integer> pending = new HashSet<>();
    private final byte[] script;
    private int at;
    private int slot;

    /** What the node sent last: a peer that means harm knows it too. */
    private int lastEpoch;

    private int lastNonce;

    /** The peer restarts from time to time. */
    private int incarnation = FlowFixture.PEER_INCARNATION;

    private int lastSequence = FlowFixture.FIRST;
    private int deliveredFrames;

    private HostilePeer(final byte[] script) {
        this.script = script;
    }

    /**
     * Runs a script of any bytes.
     *
     * @return what the flows counted.
     * @throws AssertionError if the books are wrong.
     */
    public static CounterBlock run(final byte[] script) {
        final HostilePeer peer = new HostilePeer(script);
        try {
            peer.run();
            return peer.flows.loop.counters();
        } finally {
            peer.flows.close();
        }
    }

    private void run() {
        for (int step = 0; step < STEPS && at < script.length; step++) {
            step();
            check();
        }
        flows.releaseLink();
        flows.isLinkSlow = false;
        flows.isBlocked = false;
        flows.loop.closeContext(FlowFixture.CONTEXT);
        releaseAll();
        for (int i = 0; i < FLUSH_STEPS; i++) {
            flows.work(FlowFixture.MILLISECOND);
        }
        if (flows.pool.outstanding() != 0 || flows.loop.framesInUse() != 0) {
            throw new AssertionError(
                    flows.pool.outstanding()
                            + " buffers and "
                            + flows.loop.framesInUse()
                            + " frames are out after the end");
        }
    }

    private void step() {
        final int what = next();
        switch (what & 15) {
            case 0, 15 -> submit();
            case 1 -> flows.work(next() * 20_000L);
            case 2 -> flows.work(next() * 4L * FlowFixture.MILLISECOND);
            case 3 -> releaseAll();
            case 4 -> flows.isBlocked = (what & 16) != 0;
            case 5 -> slowLink((what & 16) != 0);
            case 6 -> flows.answer = (what & 16) != 0 ? FlowListener.DELIVERED : FlowListener.FULL;
            case 14 -> deny(what);
            default -> frame(what);
        }
    }

    // Denials are believed only if the probe that follows is denied, too.
    private void deny(final int what) {
        frame(what);
        if ((what & 16) != 0) {
            flows.work(0);
            frame(what);
            flows.work(next() * 4L * FlowFixture.MILLISECOND);
        }
    }

    private void submit() {
        // A number is used again only when its message is done.
        for (int tries = 0; tries < SLOTS && pending.contains(slot); tries++) {
            slot = (slot + 1) % SLOTS;
        }
        if (pending.contains(slot)) {
            return;
        }
        final int status = flows.submit(slot, next() * 4, peer());
        if (status == PmStatus.OK) {
            pending.add(slot);
        }
        slot = (slot + 1) % SLOTS;
    }

    private void slowLink(final boolean isSlow) {
        flows.isLinkSlow = isSlow;
        flows.releaseLink();
    }

    private void releaseAll() {
        flows.delivered.forEach(flows::release);
        flows.delivered.clear();
        flows.loop.resume(FlowFixture.CONTEXT);
    }

    private void frame(final int what) {
        final int id = flows.share.acquire();
        if (id == BufferPool.NONE) {
            return;
        }
        incarnation += next() > 252 ? 1 : 0;
        final FrameHeaderFlyweight header =
                new FrameHeaderFlyweight().wrap(flows.pool.headerAddress(id)).clear();
        header.type(type(what))
                .flags(next() & FrameHeaderFlyweight.FLAGS)
                .source(flows.table.shape().coordinates(peer()))
                .sourceIncarnation(near(incarnation))
                .destinationIncarnation(near(FlowFixture.INCARNATION))
                .sourceContext(FlowFixture.PEER_CONTEXT)
                .destinationContext(near(FlowFixture.CONTEXT) & 0xFFFF)
                .sequence(sequence(isAnswer(header) ? flows.asked : nextSequence()))
                .acknowledgement(sequence(lastSequence))
                .windowFrames(window())
                .epoch(near(epoch(header)) & 0xFFFF)
                .acknowledgedEpoch(near(lastEpoch) & 0xFFFF);
        final int bodyBytes = body(header);
        header.bodyLength(bodyBytes);
        flows.loop.onFrame(header.address(), FrameHeaderFlyweight.LENGTH + bodyBytes, id);
    }

    private static boolean isAnswer(final FrameHeaderFlyweight header) {
        return header.type() == FrameType.UNREACHABLE || header.type() == FrameType.CLOSED;
    }

    private int nextSequence() {
        return FlowFixture.FIRST + deliveredFrames;
    }

    private int epoch(final FrameHeaderFlyweight header) {
        return switch (header.type()) {
            case FrameType.UNREACHABLE -> lastEpoch;
            case FrameType.ACCEPT -> lastNonce;
            default -> 0;
        };
    }

    private static int type(final int what) {
        return switch (what & 15) {
            case 7 -> FrameType.DATA;
            case 8 -> FrameType.ACK;
            case 9 -> (what & 16) != 0 ? FrameType.CLOSE : FrameType.ACK;
            case 10 -> FrameType.OPEN;
            case 11 -> FrameType.ACCEPT;
            case 12 -> (what & 16) != 0 ? FrameType.CLOSED : FrameType.ACCEPT;
            case 13 -> FrameType.PROBE;
            case 14 -> (what & 32) != 0 ? FrameType.ENDED : FrameType.UNREACHABLE;
            default -> throw new IllegalStateException("no frame: " + what);
        };
    }

    private int body(final FrameHeaderFlyweight header) {
        final long body = header.bodyAddress();
        if (header.type() == FrameType.DATA) {
            new MessageRecordFlyweight().wrap(body).payloadLength(8).tag(next());
            Memory.putLong(body + MessageRecordFlyweight.LENGTH, header.sequence());
            header.messageCount(1);
            return MessageRecordFlyweight.LENGTH + 8;
        }
        if (header.type() == FrameType.UNREACHABLE) {
            denyAFrameSent(header);
            return 0;
        }
        if (header.type() == FrameType.ENDED) {
            return endAFlow(header);
        }
        final int lengthBytes = next() * 5 % 1_400;
        for (int i = 0; i < lengthBytes; i++) {
            Memory.putByte(body + i, i < 8 ? next() : 0);
        }
        return lengthBytes;
    }

    private void denyAFrameSent(final FrameHeaderFlyweight header) {
        final int reason = next() & 15;
        header.windowFrames(reason < 8 ? reason : UnreachableFlyweight.NO_SUCH_CONTEXT);
        final List<FlowFixture.Sent> requests =
                flows.sent.stream().filter(FlowFixture.Sent::isRequest).toList();
        if (requests.isEmpty()) {
            return;
        }
        final int back = near(0) & 0xFF;
        final FlowFixture.Sent request = requests.get(Math.max(0, requests.size() - 1 - back));
        request.copyHeader(header.bodyAddress());
        final FrameHeaderFlyweight denied = new FrameHeaderFlyweight().wrap(header.bodyAddress());
        final boolean isOfRelay = new UnreachableFlyweight().wrap(header.address()).isOfRelay();
        header.sequence(near(denied.sequence()))
                .windowFrames(header.windowFrames() | denied.type() << 8)
                .acknowledgement(near(isOfRelay ? request.node : denied.destinationIncarnation()));
        if (isOfRelay) {
            header.sourceIncarnation(near(denied.order()));
        }
    }

    /** Reports that the context is closed, and what it had: runs that are right in form. */
    private int endAFlow(final FrameHeaderFlyweight header) {
        final int flags = next();
        final List<FlowFixture.Sent> requests =
                flows.sent.stream().filter(FlowFixture.Sent::isRequest).toList();
        final boolean isUnasked = requests.isEmpty() || (flags & 60) == 4;
        final int seen = next() & 15;
        final int first = sequence(lastSequence - 1 - (next() & 3));
        final EndedFlyweight ended = new EndedFlyweight().wrap(header.address());
        ended.kind(
                isUnasked ? 0 : near(requests.getLast().type) % FrameType.COUNT & 0xFF,
                (flags & 1) != 0,
                (flags & 2) != 0);
        ended.ends(first, first + seen);
        header.sequence(isUnasked ? first + seen : near(requests.getLast().sequence));
        int runs = 0;
        int place = next() & 3;
        while (runs < EndedFlyweight.MAX_RUNS && place < seen) {
            final int frames = 1 + (next() & 3) % (seen - place);
            ended.run(runs++, first + place, frames, 1 + next() * 257 % 0xFFFF);
            place += frames + (next() & 3);
        }
        return runs * EndedFlyweight.RUN_BYTES;
    }

    private int peer() {
        return FlowFixture.PEER + (next() < 230 ? 0 : 1);
    }

    // Mostly the valid value, which no guessing finds; else one beside it or any.
    private int near(final int valid) {
        final int choice = next();
        return choice < 246 ? valid : choice < 253 ? valid + choice - 249 : next() << 24 | next();
    }

    private int sequence(final int valid) {
        final int choice = next();
        return choice < 100
                ? valid
                : choice < 240
                        ? valid + choice - 120
                        : next() << 24 | next() << 16 | next() << 8 | next();
    }

    private int window() {
        final int choice = next();
        return choice < 200 ? choice : choice << 8 | next();
    }

    private int next() {
        return at < script.length ? script[at++] & 0xFF : 0;
    }

    private void check() {
        for (final String done : flows.done) {
            final int doneSlot = Integer.parseInt(done.substring(0, done.indexOf(':')));
            if (!pending.remove(doneSlot)) {
                throw new AssertionError("send " + done + " was done already");
            }
        }
        flows.done.clear();
        for (final FlowFixture.Sent frame : flows.sent) {
            if (frame.type == FrameType.OPEN) {
                lastEpoch = frame.epoch;
                lastNonce = frame.sequence;
                lastSequence = FlowFixture.FIRST;
            } else if (frame.type == FrameType.DATA) {
                lastEpoch = frame.epoch;
                lastSequence = frame.sequence + 1;
            }
        }
        deliveredFrames = (int) flows.loop.counters().value(CounterType.FLOW_DELIVERED_FRAMES);
        flows.sent.clear();
        flows.peerStatus.clear();
        if (flows.delivered.size() > flows.pool.outstanding()) {
            throw new AssertionError(
                    flows.delivered.size()
                            + " frames delivered, only "
                            + flows.pool.outstanding()
                            + " buffers out");
        }
        final ContextCredit credit = flows.table.context(FlowFixture.CONTEXT).credit;
        if (credit.committedFrames() < 0 || credit.committedFrames() > credit.quotaFrames()) {
            throw new AssertionError("credit for " + credit.committedFrames() + " frames");
        }
    }
}
