package io.hxb.stream;

import io.hxb.link.FrameOwner;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A link that loses some of the frames it is to send. Owned by the loop of the link. */
final class LossyLink {
    private final Random random;
    private final double loss;

    private LossyLink(final Random random, final double loss) {
        this.random = random;
        this.loss = loss;
    }

    /** Puts a loss around a link, 0 to 1. */
    static Link of(final Link link, final Random random, final double loss) {
        final LossyLink lossy = new LossyLink(random, loss);
        return proxy(
                Link.class,
                (method, arguments) -> {
                    final Object result = method.invoke(link, arguments);
                    return result instanceof final LinkSender sender
                            ? proxy(LinkSender.class, lossy.new Sender(sender))
                            : result;
                });
    }

    private static <T> T proxy(final Class<T> type, final Call call) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, arguments) -> {
                            try {
                                return call.invoke(method, arguments);
                            } catch (final InvocationTargetException e) {
                                throw e.getCause();
                            }
                        }));
    }

    @FunctionalInterface
    private interface Call {
        Object invoke(Method method, Object[] arguments) throws ReflectiveOperationException;
    }

    /** Takes the frames that are lost and gives them back at the next flush. */
    private final class Sender implements Call {
        private final LinkSender sender;
        private final List<Runnable> lost = new ArrayList<>();

        Sender(final LinkSender sender) {
            this.sender = sender;
        }

        @Override
        public Object invoke(final Method method, final Object[] arguments)
                throws ReflectiveOperationException {
            return switch (method.getName()) {
                case "offer" -> {
                    if (random.nextDouble() >= loss) {
                        yield method.invoke(sender, arguments);
                    }
                    // Its flyweight is laid over other frames before the next flush.
                    final OutgoingFrame frame = (OutgoingFrame) arguments[1];
                    final FrameOwner owner = frame.owner();
                    final long token = frame.token();
                    yield lost.add(() -> owner.release(token));
                }
                case "queuedFrames" -> sender.queuedFrames() + lost.size();
                case "flush", "discard", "close" -> {
                    lost.forEach(Runnable::run);
                    lost.clear();
                    yield method.invoke(sender, arguments);
                }
                default -> method.invoke(sender, arguments);
            };
        }
    }
}
