package io.hxb.tap;

import io.hxb.linux.Descriptors;
import io.hxb.linux.EventFd;
import io.hxb.linux.LinuxException;
import io.hxb.linux.PollSet;
import io.hxb.os.Capabilities;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.nic.NicChanges;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Looks at a virtual NIC whenever the kernel reports that a NIC or an address has changed, on a
 * thread of its own, which sleeps otherwise. Of the rights of the process it keeps CAP_NET_ADMIN
 * alone.
 */
final class IpDeviceWatch implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(IpDeviceWatch.class);

    /** Changes come in bursts, such as those of a program that configures all NICs. */
    private static final long BURST_NS = 100_000_000;

    private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

    private final IpDeviceGuard guard;
    private final int stopEvent;
    private final Thread thread;
    private volatile boolean isStopped;

    private IpDeviceWatch(final String name, final String namespace, final IpDeviceGuard guard)
            throws LinuxException {
        this.guard = guard;
        stopEvent = EventFd.create();
        thread =
                Thread.ofPlatform()
                        .daemon()
                        .name("hxb-watch " + name)
                        .unstarted(() -> run(name, namespace));
    }

    /**
     * Starts watching.
     *
     * @param namespace network namespace of the device; null for that of the process.
     */
    static IpDeviceWatch start(final String name, final String namespace, final IpDeviceGuard guard)
            throws LinuxException {
        final IpDeviceWatch watch = new IpDeviceWatch(name, namespace, guard);
        watch.thread.start();
        return watch;
    }

    private void run(final String name, final String namespace) {
        try {
            NetworkNamespace.run(
                    namespace,
                    () -> {
                        Capabilities.keepOnlyIfPossible(Capabilities.NET_ADMIN);
                        watch();
                        return null;
                    });
        } catch (final IOException | RuntimeException e) {
            LOGGER.warn("{} is not watched any more: {}", name, e.getMessage());
        }
    }

    private void watch() throws LinuxException {
        try (NicChanges changes = NicChanges.open();
                PollSet ready = new PollSet(2)) {
            ready.add(changes.descriptor());
            ready.add(stopEvent);
            long waitNs = 0;
            while (!isStopped) {
                ready.await(waitNs);
                LockSupport.parkNanos(waitNs == 0 || isStopped ? 0 : BURST_NS);
                changes.hasHeard();
                waitNs = isStopped ? 0 : look();
            }
        }
    }

    /** A look that failed because something changed meanwhile is repeated soon. */
    private long look() {
        try {
            return guard.look(System.nanoTime());
        } catch (final LinuxException e) {
            LOGGER.debug("looking at a virtual NIC", e);
            return 1_000_000_000L;
        }
    }

    @Override
    public void close() {
        isStopped = true;
        EventFd.signal(stopEvent);
        try {
            if (thread.join(STOP_LIMIT)) {
                Descriptors.close(stopEvent);
            }
        } catch (final InterruptedException e) {
            // The descriptor stays open, since the thread may still use it.
            Thread.currentThread().interrupt();
        }
    }
}
