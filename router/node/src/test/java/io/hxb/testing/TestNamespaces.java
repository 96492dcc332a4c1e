package io.hxb.testing;

import io.hxb.os.NetworkNamespace;
import io.hxb.os.nic.NicInfo;

import org.junit.jupiter.api.Assumptions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Network namespaces and veth NICs of one test, removed when closed. Owned by the test's thread.
 */
public final class TestNamespaces implements AutoCloseable {
    private static final AtomicInteger COUNTER = new AtomicInteger();
    private static final AtomicInteger NIC_INDEX = new AtomicInteger(100);
    private static final long WAIT_LIMIT_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long WAIT_STEP_NS = TimeUnit.MILLISECONDS.toNanos(2);

    private final String prefix =
            "hxbt-" + ProcessHandle.current().pid() + "-" + COUNTER.incrementAndGet() + "-";
    private final List<String> namespaces = new ArrayList<>();

    /** Skips the test, with the reason, where namespaces cannot be made. */
    public static void assumeRoot() {
        Assumptions.assumeTrue(
                "root".equals(System.getProperty("user.name")),
                "skipped: network namespaces need root");
    }

    /**
     * Makes a namespace.
     *
     * @param name distinguishes it within the test.
     * @return its full name, for {@link NetworkNamespace#run}.
     */
    public String add(final String name) {
        final String namespace = prefix + name;
        ip("netns add " + namespace);
        namespaces.add(namespace);
        ipIn(namespace, "link set lo up");
        return namespace;
    }

    /** Makes a veth pair, one end in each namespace, sets it up and waits for the carrier. */
    public void veth(
            final String namespaceA,
            final String nicA,
            final String namespaceB,
            final String nicB,
            final int mtuBytes) {
        vethDown(namespaceA, nicA, namespaceB, nicB, mtuBytes);
        ipIn(namespaceA, "link set " + nicA + " up");
        ipIn(namespaceB, "link set " + nicB + " up");
        awaitCarrier(namespaceA, nicA);
        awaitCarrier(namespaceB, nicB);
    }

    /** Makes a veth pair that nobody has set up. */
    public void vethDown(
            final String namespaceA,
            final String nicA,
            final String namespaceB,
            final String nicB,
            final int mtuBytes) {
        // The kernel reports at once a carrier whose two ends have different numbers, else only
        // once a second. Source: Linux, net/core/link_watch.c, linkwatch_urgent_event.
        final int index = NIC_INDEX.getAndAdd(2);
        ip(
                "link add %s index %d mtu %d netns %s type veth peer name %s index %d mtu %d netns %s"
                        .formatted(
                                nicA,
                                index,
                                mtuBytes,
                                namespaceA,
                                nicB,
                                index + 1,
                                mtuBytes,
                                namespaceB));
    }

    /** Waits until a NIC is up and its cable works; a veth takes up to a second. */
    public static void awaitCarrier(final String namespace, final String nic) {
        await(nic + " has a carrier", () -> info(namespace, nic).hasCarrier());
    }

    /** What the kernel reports of a NIC. */
    public static NicInfo info(final String namespace, final String nic) {
        try {
            return NetworkNamespace.run(namespace, () -> NicInfo.read(nic));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for a condition, at most a minute. */
    public static void await(final String condition, final BooleanSupplier holds) {
        await(() -> condition, holds);
    }

    /** As above; the condition is put into words only if it is waited for in vain. */
    public static void await(final Supplier<String> condition, final BooleanSupplier holds) {
        if (!holdsWithin(WAIT_LIMIT_NS, holds)) {
            throw new AssertionError("waited in vain until " + condition.get());
        }
    }

    /**
     * Repeats an action until a count stays as it is meanwhile: one of faults that nodes see where
     * there are none when their loops get no CPU for a while, which may happen to some repetitions,
     * but not to all.
     */
    public static void awaitNone(
            final String faults, final LongSupplier count, final Runnable action) {
        await(
                () -> "there are no " + faults + " (" + count.getAsLong() + " in all)",
                () -> {
                    final long before = count.getAsLong();
                    action.run();
                    return count.getAsLong() == before;
                });
    }

    /**
     * Waits for a condition.
     *
     * @param limitNs how long at most.
     * @return whether it came to hold.
     */
    public static boolean holdsWithin(final long limitNs, final BooleanSupplier holds) {
        final long start = System.nanoTime();
        while (!holds.getAsBoolean()) {
            if (System.nanoTime() - start > limitNs) {
                return false;
            }
            LockSupport.parkNanos(WAIT_STEP_NS);
        }
        return true;
    }

    /** Runs lines of {@code ip -batch} in the namespace of the test. */
    public static void ip(final String... lines) {
        run(List.of("ip", "-batch", "-"), String.join("\n", lines) + "\n");
    }

    /** Runs lines of {@code ip -batch} in a namespace. */
    public static void ipIn(final String namespace, final String... lines) {
        run(List.of("ip", "-n", namespace, "-batch", "-"), String.join("\n", lines) + "\n");
    }

    /** Runs a command in a namespace. */
    public static void exec(final String namespace, final String... command) {
        final List<String> all = new ArrayList<>(List.of("ip", "netns", "exec", namespace));
        all.addAll(List.of(command));
        run(all, "");
    }

    private static void run(final List<String> command, final String input) {
        try {
            final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            try (var stdin = process.getOutputStream()) {
                stdin.write(input.getBytes(StandardCharsets.UTF_8));
            }
            final String output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new AssertionError(command + " < " + input + ": " + output);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    @Override
    public void close() {
        for (final String namespace : namespaces) {
            ip("netns del " + namespace);
        }
        namespaces.clear();
    }
}
