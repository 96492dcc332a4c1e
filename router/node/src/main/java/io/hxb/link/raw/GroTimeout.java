package io.hxb.link.raw;

import io.hxb.os.nic.GroTimer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;

/**
 * Has the kernel wait for frames by IP that it can join, at the NIC of one link, while bulk data
 * arrives. A wire delivers frames one by one, and a kernel that is fast enough to look at each
 * joins few. Owned by the loop that owns the link.
 *
 * <p>What is not bulk must not wait: with bulk, each receive finds several frames, with an exchange
 * of messages one. The time that the NIC had before is put back when the bulk ends. A time that
 * somebody else has set is left as it is.
 */
final class GroTimeout {
    private static final Logger LOGGER = LoggerFactory.getLogger(GroTimeout.class);

    /**
     * Time in which 4 frames of 9,000 bytes arrive at 1 Gbit/s, or 25 of 1,500. Nobody else sets
     * exactly this, so a link knows it for that of a node that was killed under bulk.
     */
    static final long WAIT_NS = 299_999;

    /** Frames that each receive finds under bulk, and frames between two looks. */
    private static final int BULK_FRAMES = 4;

    private static final long MIN_FRAMES = 2_000;

    private final RawLinkConfig config;
    private GroTimer timer;
    private boolean isSet;
    private long receives;
    private long frames;

    GroTimeout(final RawLinkConfig config) {
        this.config = config;
    }

    /** The link receives from this NIC from now on. */
    void open(final String nic) {
        close();
        try {
            final GroTimer opened = GroTimer.open(config.namespace(), nic, "rw");
            final long beforeNs = opened.readNs();
            if (beforeNs == 0 || beforeNs == WAIT_NS) {
                timer = opened;
                isSet = beforeNs != 0;
            } else {
                opened.close();
            }
        } catch (final IOException e) {
            LOGGER.info(
                    "link {} ({}): the kernel does not wait for frames by IP that it could join,"
                            + " since gro_flush_timeout cannot be set: {}",
                    config.index(),
                    config.nic(),
                    e.getMessage());
        }
    }

    /** A receive has found something. */
    void onReceive() {
        receives++;
    }

    /** A frame has arrived. */
    void onFrame() {
        frames++;
    }

    /** Looks what has arrived since the last look. Called about once a second. */
    void look() {
        final boolean isBulk = frames >= MIN_FRAMES && frames >= BULK_FRAMES * receives;
        frames = 0;
        receives = 0;
        if (timer != null && isBulk != isSet) {
            set(isBulk);
        }
    }

    private void set(final boolean value) {
        try {
            timer.writeNs(value ? WAIT_NS : 0);
            isSet = value;
        } catch (final IOException e) {
            LOGGER.info(
                    "link {} ({}): gro_flush_timeout stays as it is: {}",
                    config.index(),
                    config.nic(),
                    e.getMessage());
            forget();
        }
    }

    private void forget() {
        timer.close();
        timer = null;
        isSet = false;
    }

    /** Puts the time back. */
    void close() {
        if (timer == null) {
            return;
        }
        if (isSet) {
            set(false);
        }
        if (timer != null) {
            forget();
        }
    }
}
