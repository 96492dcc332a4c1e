package io.hxb.link.raw;

import io.hxb.linux.LinuxException;
import io.hxb.os.nic.NicFeature;
import io.hxb.os.nic.NicInfo;
import io.hxb.os.nic.NicMark;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;

/**
 * Has the kernel join frames that arrive by IP at the NIC of one link: it joins datagrams of
 * sockets only, unless it is set to join forwarded ones, too. What was changed is put back, also
 * that which a node changed that was killed: a mark at the NIC tells. What somebody else has set
 * stays. Owned by the loop that owns the link.
 */
final class JoiningNic {
    private static final Logger LOGGER = LoggerFactory.getLogger(JoiningNic.class);
    private static final NicFeature FEATURE = NicFeature.UDP_GRO_FORWARDING;

    private final RawLinkConfig config;
    private final int descriptor;
    private final long pid;
    private NicInfo changed;

    /**
     * Nothing is changed yet.
     *
     * @param descriptor a socket of the network namespace of the NIC.
     */
    JoiningNic(final RawLinkConfig config, final int descriptor) {
        this(config, descriptor, ProcessHandle.current().pid());
    }

    /** The same for a process. */
    JoiningNic(final RawLinkConfig config, final int descriptor, final long pid) {
        this.config = config;
        this.descriptor = descriptor;
        this.pid = pid;
    }

    /** The link receives from this NIC from now on. */
    void join(final NicInfo nic) {
        try {
            final boolean isOn = FEATURE.isOn(descriptor, nic.name());
            if (!isOn || isLeft(nic)) {
                mark(nic);
                if (isOn || FEATURE.set(descriptor, nic.name(), true)) {
                    changed = nic;
                } else {
                    unmark(nic);
                }
            }
        } catch (final LinuxException e) {
            LOGGER.info(
                    "link {} ({}): the kernel may not join frames that arrive by IP: run `ethtool"
                            + " -K {} rx-udp-gro-forwarding on` ({})",
                    config.index(),
                    config.nic(),
                    config.nic(),
                    e.getMessage());
        }
    }

    /** Puts the settings of the NIC back. */
    void leave() {
        final NicInfo nic = changed;
        if (nic == null) {
            return;
        }
        changed = null;
        try {
            FEATURE.set(descriptor, nic.name(), false);
            unmark(nic);
        } catch (final LinuxException e) {
            LOGGER.info(
                    "link {} ({}): rx-udp-gro-forwarding stays on: {}",
                    config.index(),
                    config.nic(),
                    e.getMessage());
        }
    }

    // True if a node that has ended has left it on. Its mark goes.
    private boolean isLeft(final NicInfo nic) {
        boolean isLeft = false;
        try {
            for (final long owner : NicMark.owners(config.namespace(), nic.ifindex())) {
                // In a container, nodes have the same number one after the other.
                if (owner == pid ? changed == null : ProcessHandle.of(owner).isEmpty()) {
                    NicMark.remove(config.namespace(), nic.ifindex(), owner);
                    isLeft = true;
                }
            }
        } catch (final IOException e) {
            LOGGER.debug("link {} ({}): no marks", config.index(), config.nic(), e);
        }
        if (isLeft) {
            LOGGER.info(
                    "link {} ({}): a node that was killed has left rx-udp-gro-forwarding on; this"
                            + " one switches it off when it ends",
                    config.index(),
                    config.nic());
        }
        return isLeft;
    }

    // Before the change, so that none is without a mark. Linux before 5.5 has no such names.
    private void mark(final NicInfo nic) {
        try {
            NicMark.put(config.namespace(), nic.ifindex(), pid);
        } catch (final IOException e) {
            LOGGER.debug("link {} ({}): no mark", config.index(), config.nic(), e);
        }
    }

    private void unmark(final NicInfo nic) {
        try {
            NicMark.remove(config.namespace(), nic.ifindex(), pid);
        } catch (final IOException e) {
            LOGGER.debug("link {} ({}): the mark stays", config.index(), config.nic(), e);
        }
    }
}
