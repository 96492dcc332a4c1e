package io.hxb.bench.vlan;

import io.hxb.manager.ManagerClient;
import io.hxb.manager.ManagerMessage;
import io.hxb.manager.ManagerOperation;
import io.hxb.manager.Status;
import io.hxb.tool.lab.switches.SwitchLab;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Sessions with the managers of all hosts of a lab. Each host's by one thread at a time. */
final class Routes implements AutoCloseable {
    private final List<ManagerClient> managers = new ArrayList<>();

    private Routes() {}

    static Routes open(final SwitchLab lab) throws IOException {
        final Routes routes = new Routes();
        try {
            for (int host = 0; host < lab.plan().graph().hostCount(); host++) {
                routes.managers.add(ManagerClient.connect(lab.socket(host)));
                routes.managers.get(host).request(ManagerOperation.HELLO);
                routes.exchange(host);
            }
            return routes;
        } catch (final IOException | RuntimeException e) {
            routes.close();
            throw e;
        }
    }

    /** Reports to one host in which VID it sends to another. */
    void set(final int host, final int peer, final int vid) throws IOException {
        managers.get(host).request(ManagerOperation.SET).peerHost(peer).vid(vid);
        exchange(host);
    }

    /** The path of the plan again, from one host to another. */
    void reset(final int host, final int peer) throws IOException {
        managers.get(host).request(ManagerOperation.RESET).peerHost(peer);
        exchange(host);
    }

    /** Both ends of a pair. */
    void setBoth(final int a, final int b, final int vid) throws IOException {
        set(a, b, vid);
        set(b, a, vid);
    }

    private void exchange(final int host) throws IOException {
        final ManagerMessage reply = managers.get(host).exchange();
        if (reply.status() != Status.OK.code()) {
            throw new IOException(
                    "manager of host " + host + ": " + Status.of(reply.status()).text());
        }
    }

    @Override
    public void close() throws IOException {
        for (final ManagerClient manager : managers) {
            manager.close();
        }
    }
}
