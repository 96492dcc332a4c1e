package io.hxb.node;

import io.hxb.link.BufferPool;
import io.hxb.link.FrameOwner;
import io.hxb.link.FrameSink;
import io.hxb.link.Link;
import io.hxb.link.LongFrameJoin;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/**
 * Links that lose frames at random as they come in, and all of them while they are cut. The links
 * are each owned by their loop; any thread cuts and heals them.
 */
final class LossyLinks {
    private final AtomicBoolean isCut = new AtomicBoolean();
    private final AtomicLong cutFrames = new AtomicLong();
    private final AtomicLong lostFrames = new AtomicLong();
    private final int lossPercent;
    private final long seed;

    /**
     * Makes what links are wrapped with.
     *
     * @param lossPercent of the frames are lost while the links are not cut.
     * @param seed of what is lost.
     */
    LossyLinks(final int lossPercent, final long seed) {
        this.lossPercent = lossPercent;
        this.seed = seed;
    }

    /** Whether nothing passes from now on. */
    void cut(final boolean cut) {
        isCut.set(cut);
    }

    /** Frames that were lost as the links were cut. */
    long cutFrames() {
        return cutFrames.get();
    }

    /** Frames that were lost at random. */
    long lostFrames() {
        return lostFrames.get();
    }

    /** The link, with frames lost. */
    Link wrap(final Link link) {
        final RandomGenerator random =
                RandomGeneratorFactory.of("L64X128MixRandom").create(seed + link.index());
        return (Link)
                Proxy.newProxyInstance(
                        Link.class.getClassLoader(),
                        new Class<?>[] {Link.class},
                        (proxy, method, arguments) -> {
                            if ("receive".equals(method.getName())) {
                                arguments[1] = sink((Link) proxy, (FrameSink) arguments[1], random);
                            }
                            try {
                                return method.invoke(link, arguments);
                            } catch (final InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private FrameSink sink(
            final Link wrapped, final FrameSink target, final RandomGenerator random) {
        return new FrameSink() {
            @Override
            public void onBuffer(
                    final Link link,
                    final BufferPool.Share share,
                    final int bufferId,
                    final int lengthBytes,
                    final long source,
                    final int vlanTci) {
                if (isLost(random)) {
                    share.release(bufferId);
                } else {
                    target.onBuffer(wrapped, share, bufferId, lengthBytes, source, vlanTci);
                }
            }

            @Override
            public void onFirstSegment(final Link link, final long source) {
                target.onFirstSegment(wrapped, source);
            }

            @Override
            public LongFrameJoin longFrames() {
                return target.longFrames();
            }

            @Override
            public void onFrame(
                    final Link link,
                    final FrameOwner owner,
                    final long token,
                    final long header,
                    final int lengthBytes,
                    final long source,
                    final int vlanTci) {
                if (isLost(random)) {
                    owner.release(token);
                } else {
                    target.onFrame(wrapped, owner, token, header, lengthBytes, source, vlanTci);
                }
            }
        };
    }

    private boolean isLost(final RandomGenerator random) {
        if (isCut.get()) {
            cutFrames.incrementAndGet();
            return true;
        }
        if (random.nextInt(100) < lossPercent) {
            lostFrames.incrementAndGet();
            return true;
        }
        return false;
    }
}
