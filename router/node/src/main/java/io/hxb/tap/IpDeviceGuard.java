package io.hxb.tap;

import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.time.TokenBucket;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Puts back what other programs take from a virtual NIC, such as a service that manages all NICs of
 * a machine and drops the addresses that it does not know. It never sets the NIC up: whoever has
 * set it down may have meant it. Owned by one thread.
 */
final class IpDeviceGuard {
    private static final Logger LOGGER = LoggerFactory.getLogger(IpDeviceGuard.class);

    /** Repairs at first, and after a long time without any. */
    static final int REPAIRS = 3;

    /** Time after which another one is allowed. */
    static final long REPAIR_INTERVAL_NS = 60_000_000_000L;

    private final String name;
    private final String commands;
    private final VirtualNic nic;
    private final TokenBucket repairs = new TokenBucket(REPAIRS, REPAIR_INTERVAL_NS);
    private String reported = "";

    /**
     * Guards one.
     *
     * @param name of the NIC.
     * @param commands by which an administrator makes it as it should be.
     */
    IpDeviceGuard(final String name, final String commands, final VirtualNic nic) {
        this.name = name;
        this.commands = commands;
        this.nic = nic;
    }

    /**
     * Looks at the NIC, and repairs it.
     *
     * @return time after which to look again in any case, in ns; {@link Long#MAX_VALUE} if a change
     *     will be heard of.
     */
    long look(final long nowNs) throws LinuxException {
        final String obstacle = nic.obstacle();
        if (!obstacle.isEmpty()) {
            report(obstacle);
            return Long.MAX_VALUE;
        }
        final List<VirtualNic.Loss> losses = nic.losses();
        if (losses.isEmpty()) {
            if (!reported.isEmpty()) {
                LOGGER.info("{} is as it should be again", name);
            }
            reported = "";
            return Long.MAX_VALUE;
        }
        final String lost =
                losses.stream().map(VirtualNic.Loss::what).collect(Collectors.joining(", "));
        if (!repairs.take(nowNs)) {
            report(
                    lost
                            + " was taken from "
                            + name
                            + " again and again: find the program that manages this NIC, and"
                            + " exclude "
                            + name
                            + " there (docs/howto/ip.md); next repair within a minute");
            return REPAIR_INTERVAL_NS;
        }
        repair(lost, losses);
        return Long.MAX_VALUE;
    }

    private void repair(final String lost, final List<VirtualNic.Loss> losses)
            throws LinuxException {
        try {
            for (final VirtualNic.Loss loss : losses) {
                loss.remedy().apply();
            }
        } catch (final LinuxException e) {
            if (e.errno() != Errno.EPERM) {
                throw e;
            }
            report(
                    lost
                            + " was taken from "
                            + name
                            + ", and this process may not put it back without CAP_NET_ADMIN: "
                            + commands);
            return;
        }
        reported = "";
        LOGGER.warn("another program has taken {} from {}: put back", lost, name);
    }

    private void report(final String text) {
        if (!reported.equals(text)) {
            reported = text;
            LOGGER.warn("{}", text);
        }
    }
}
