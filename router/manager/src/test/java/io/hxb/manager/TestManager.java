package io.hxb.manager;

import io.hxb.vlan.HostPaths;
import io.hxb.vlan.HostRow;
import io.hxb.vlan.HostTable;
import io.hxb.vlan.RememberingTagger;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A manager of host 0 without a NIC: what it sets is remembered. */
final class TestManager {
    static final List<Integer> VIDS = List.of(11, 12);
    static final long FIRST_MAC = 0x0200_0000_0001L;

    private TestManager() {}

    /** Hosts {@code h0}, {@code h1}, ... whose default VIDs are 11, 12, 11, ... in turn. */
    static HostTable table(final int hosts) {
        final List<HostRow> rows = new ArrayList<>();
        for (int host = 0; host < hosts; host++) {
            rows.add(new HostRow("h" + host, FIRST_MAC + host, VIDS.get(host % 2), host));
        }
        return new HostTable(rows, VIDS, Map.of());
    }

    static HostManager of(final HostTable table, final RememberingTagger tagger)
            throws IOException {
        final PathStore store =
                new PathStore() {
                    @Override
                    public Map<Long, Integer> load() {
                        return Map.of();
                    }

                    @Override
                    public void save(final Map<Long, Integer> vidOfMac) {}
                };
        final KernelState kernelState =
                new KernelState() {
                    @Override
                    public long macOf(final byte[] address) {
                        return address[15] == 9 ? FIRST_MAC + 1 : 0;
                    }

                    @Override
                    public List<NicState> nics() {
                        return List.of(new NicState("eth0", FIRST_MAC, 1500, true, 0));
                    }
                };
        return new HostManager(table, HostPaths.of(table, 0, tagger), tagger, store, kernelState);
    }
}
