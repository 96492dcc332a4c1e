package io.hxb.link.udp;

import io.hxb.link.FrameOwner;
import io.hxb.link.HostileTrain;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;
import io.hxb.linux.LinuxException;
import io.hxb.linux.SocketOptions;
import io.hxb.os.TrainVector;

import java.util.EnumMap;
import java.util.Map;

/**
 * Sends hostile trains from the socket of an honest UDP link, whose address its neighbour hears.
 * Used by one thread, which also runs the link.
 */
public final class HostileUdp implements AutoCloseable {
    private static final FrameOwner NOBODY = token -> {};

    private final Link link;
    private final LinkSender sender;
    private final HostileTrain train;
    private final Map<HostileTrain.Kind, Integer> sent = new EnumMap<>(HostileTrain.Kind.class);

    /** Sends by a link that knows its neighbour. */
    public HostileUdp(final Link link, final HostileTrain train) {
        this.link = link;
        this.train = train;
        sender = link.newSender(1);
    }

    /** Sends a train to a neighbour; the kernel may refuse it. */
    public void attack(final int neighbour) throws LinuxException {
        train.next();
        final long before = sender.sentFrames();
        cut(train.segmentBytes());
        if (sender.offer(
                neighbour,
                new OutgoingFrame().wrap(train.address(), train.lengthBytes(), NOBODY, 0))) {
            sender.flush();
            sender.discard();
        }
        cut(0);
        if (sender.sentFrames() > before) {
            sent.merge(train.kind(), 1, Integer::sum);
        }
    }

    // What is sent without a size of its own; honest frames that go alone are sent before or after.
    private void cut(final int segmentBytes) throws LinuxException {
        SocketOptions.set(
                link.descriptor(0), TrainVector.SOL_UDP, TrainVector.UDP_SEGMENT, segmentBytes);
    }

    /** How many of a kind the kernel has taken. */
    public int sent(final HostileTrain.Kind kind) {
        return sent.getOrDefault(kind, 0);
    }

    @Override
    public void close() {
        sender.close();
    }
}
