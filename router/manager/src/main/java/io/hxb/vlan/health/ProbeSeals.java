package io.hxb.vlan.health;

import io.hxb.crypto.Cmac;
import io.hxb.crypto.MacInput;
import io.hxb.linux.Memory;
import io.hxb.session.ClusterKey;
import io.hxb.session.KeyRing;

import java.util.ArrayList;
import java.util.List;

/**
 * Seals probes under the cluster's key: an AES-CMAC over all bytes before it. Without a key, frames
 * are believed by the two incarnations that they show, which nobody guesses who does not see them.
 * Owned by one thread.
 */
public final class ProbeSeals {
    private final List<Cmac> macs = new ArrayList<>();
    private final KeyRing keys;
    private final MacInput input = new MacInput();

    /**
     * Seals of one network.
     *
     * @param keys of the cluster; the first seals, all are accepted.
     * @param table fingerprint of the network's table.
     */
    public ProbeSeals(final KeyRing keys, final long table) {
        this.keys = keys;
        for (final ClusterKey key : keys.keys()) {
            macs.add(key.probeMac(table));
        }
    }

    /** Seals a frame whose rest is written. */
    void seal(final Probe probe) {
        if (!macs.isEmpty()) {
            probe.key(keys.id(0));
            compute(macs.getFirst(), probe);
            input.writeTag(probe.address() + probe.sealOffset());
        }
    }

    private void compute(final Cmac mac, final Probe probe) {
        input.begin(mac).putBytes(probe.address(), probe.sealOffset()).finish();
    }

    /** True if a well-formed frame is from a host with the same key, or no key. */
    boolean isValid(final Probe probe) {
        if (macs.isEmpty() || probe.key() == 0) {
            return macs.isEmpty() && probe.key() == 0;
        }
        for (int i = 0; i < macs.size(); i++) {
            if (keys.id(i) == probe.key()) {
                compute(macs.get(i), probe);
                final long seal = probe.address() + probe.sealOffset();
                return ((Memory.getLong(seal) ^ input.tagLow())
                                | (Memory.getLong(seal + Long.BYTES) ^ input.tagHigh()))
                        == 0;
            }
        }
        return false;
    }
}
