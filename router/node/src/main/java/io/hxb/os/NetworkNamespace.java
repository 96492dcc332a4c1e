package io.hxb.os;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Linux;
import io.hxb.linux.LinuxException;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Opens sockets in other network namespaces. Stateless; any thread may call it.
 *
 * <p>A socket stays in the namespace it was opened in, whichever thread uses it later.
 */
public final class NetworkNamespace {
    private static final String FOLDER = "/run/netns/";
    private static final int CLONE_NEWNET = 0x4000_0000;
    private static final int O_RDONLY_CLOEXEC = 0x80000;

    private NetworkNamespace() {}

    /**
     * Runs {@code action} in a namespace, on a thread of its own, and waits for it.
     *
     * @param namespace name as in {@code ip netns}, or a path; null for the caller's namespace,
     *     without another thread.
     * @return what the action returns.
     * @throws IOException what the action threw, or that the namespace cannot be entered.
     */
    public static <T> T run(final String namespace, final Callable<T> action) throws IOException {
        try {
            if (namespace == null) {
                return action.call();
            }
            final CompletableFuture<T> result = new CompletableFuture<>();
            final Thread thread =
                    Thread.ofPlatform()
                            .name("netns " + namespace)
                            .start(() -> enterAndCall(namespace, action, result));
            thread.join();
            return result.get();
        } catch (final ExecutionException e) {
            throw rethrow(e.getCause());
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted in network namespace " + namespace, e);
        } catch (final Exception e) {
            throw rethrow(e);
        }
    }

    private static <T> void enterAndCall(
            final String namespace, final Callable<T> action, final CompletableFuture<T> result) {
        try {
            enter(namespace);
            result.complete(action.call());
        } catch (final Throwable t) {
            result.completeExceptionally(t);
        }
    }

    private static IOException rethrow(final Throwable thrown) {
        return switch (thrown) {
            case IOException e -> e;
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> new IOException(thrown);
        };
    }

    private static void enter(final String namespace) throws LinuxException {
        final String path = namespace.startsWith("/") ? namespace : FOLDER + namespace;
        final MemorySegment errno = Linux.errnoSegment();
        final int fd;
        final int result;
        try (Arena arena = Arena.ofConfined()) {
            final long address = arena.allocateFrom(path).address();
            fd = (int) Calls.OPEN.invokeExact(errno, address, O_RDONLY_CLOEXEC);
            Linux.check(fd, "open(network namespace " + path + ")", errno);
            result = (int) Calls.SETNS.invokeExact(errno, fd, CLONE_NEWNET);
        } catch (final LinuxException e) {
            throw e;
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
        final int error = Linux.errno(errno);
        Descriptors.close(fd);
        if (result < 0) {
            throw new LinuxException("setns(" + path + ")", error);
        }
    }

    private static final class Calls {
        static final MethodHandle OPEN =
                Linux.bindVariadic(
                        "open",
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT),
                        2);
        static final MethodHandle SETNS =
                Linux.bind(
                        "setns",
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    }
}
