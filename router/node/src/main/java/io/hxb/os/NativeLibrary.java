package io.hxb.os;

import io.netty.channel.epoll.Epoll;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Netty's native library, without which nothing here receives anything. Stateless. */
public final class NativeLibrary {
    private NativeLibrary() {}

    /**
     * Makes sure that it is loaded.
     *
     * @throws UncheckedIOException if it cannot be, with the reason and what to do.
     */
    public static void require() {
        if (!Epoll.isAvailable()) {
            final Throwable cause = Epoll.unavailabilityCause();
            throw new UncheckedIOException(
                    "Netty's native library for epoll cannot be loaded: run deploy/hxb, which has"
                            + " it unpacked, or name a folder where programs may run, unlike in one"
                            + " mounted noexec, by -Dio.netty.native.workdir=FOLDER, such as in"
                            + " HXB_JAVA_OPTIONS ("
                            + rootMessage(cause)
                            + ")",
                    new IOException(cause));
        }
    }

    private static String rootMessage(final Throwable thrown) {
        Throwable root = thrown;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return String.valueOf(root.getMessage());
    }
}
