package io.hxb.tool.machine;

import java.lang.reflect.Proxy;

/** Handles signals of this process. Stateless. */
public final class Signals {
    private Signals() {}

    /**
     * Has a signal handled by an action, each time in a thread of its own.
     *
     * @param name such as {@code INT}.
     * @return what handled it before, for {@link #restore}; null where signals cannot be handled,
     *     as with {@code -Xrs}, or where the process was started to ignore this one.
     */
    public static Object handle(final String name, final Runnable action) {
        return replace(name, handler(action));
    }

    /** Has a signal handled again as before. */
    public static void restore(final String name, final Object previous) {
        replace(name, previous);
    }

    private static Object handler(final Runnable action) {
        try {
            final Class<?> type = Class.forName("sun.misc.SignalHandler");
            return Proxy.newProxyInstance(
                    type.getClassLoader(),
                    new Class<?>[] {type},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("handle")) {
                            action.run();
                        }
                        return null;
                    });
        } catch (final ClassNotFoundException e) {
            return null;
        }
    }

    // There is no other interface to signals than this one of the module jdk.unsupported, which
    // javac warns of wherever it is named.
    private static Object replace(final String name, final Object handler) {
        if (handler == null) {
            return null;
        }
        try {
            final Class<?> signal = Class.forName("sun.misc.Signal");
            final Class<?> type = Class.forName("sun.misc.SignalHandler");
            return signal.getMethod("handle", signal, type)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), handler);
        } catch (final ReflectiveOperationException e) {
            return null;
        }
    }
}
