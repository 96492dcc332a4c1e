package io.hxb.bench.route;

import io.hxb.bench.harness.TemporaryFolder;
import io.hxb.manager.HostManager;
import io.hxb.manager.KernelState;
import io.hxb.manager.ManagerClient;
import io.hxb.manager.ManagerMessage;
import io.hxb.manager.ManagerOperation;
import io.hxb.manager.ManagerSession;
import io.hxb.manager.PathStore;
import io.hxb.manager.Status;
import io.hxb.os.NetworkNamespace;
import io.hxb.session.ClusterKey;
import io.hxb.session.KeyFile;
import io.hxb.vlan.HostPaths;
import io.hxb.vlan.HostRow;
import io.hxb.vlan.HostTable;
import io.hxb.vlan.KernelTagger;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Measures changes of paths: {@code inside} a manager with tables in the kernel, over the Unix
 * socket ({@code unix}) or a TCP connection ({@code tcp}) of one that it starts for that in a
 * network namespace, or by a running one at a Unix socket or {@code ADDRESS:PORT} (and the file of
 * its key). Needs root.
 */
public final class RouteChange {
    private static final int WARM_UP = 20_000;
    private static final int CHANGES = 20_000;
    private static final int BATCHES = 50;
    private static final int BATCH = 1_000;
    private static final int HOSTS = 1_024;
    private static final int MTU = 1500;
    private static final String PLACE = "127.0.0.1:7070";
    private static final long SPIN_NS = 1_000_000;

    private RouteChange() {}

    /** Takes {@code inside}, {@code unix}, {@code tcp}, or a place and perhaps a key. */
    public static void main(final String[] arguments) throws IOException, InterruptedException {
        switch (arguments.length == 0 ? "" : arguments[0]) {
            case "" -> {
                System.err.println("usage: route inside|unix|tcp|SOCKET|ADDRESS:PORT [KEY]");
                System.exit(2);
            }
            case "inside" -> inside();
            case "unix" -> overUnixSocket();
            case "tcp" -> overTcp();
            default -> measure(arguments);
        }
    }

    private static void overUnixSocket() throws IOException, InterruptedException {
        try (ManagedPair pair = ManagedPair.managed("route", MTU, "auto")) {
            measure(pair.socket().toString());
        }
    }

    private static void overTcp() throws IOException, InterruptedException {
        try (TemporaryFolder folder = new TemporaryFolder()) {
            final String key = folder.file("key").toString();
            KeyFile.generate(Path.of(key));
            try (ManagedPair pair =
                    ManagedPair.managed("route", MTU, "auto", "--listen", PLACE, "--key", key)) {
                NetworkNamespace.run(
                        pair.first(),
                        () -> {
                            measure(PLACE, key);
                            return null;
                        });
            }
        }
    }

    private static void measure(final String... arguments) throws IOException {
        measure("blocking, processes just started", 0, arguments);
        measure("spinning", SPIN_NS, arguments);
        measure("blocking", 0, arguments);
    }

    private static void measure(final String how, final long spinForNs, final String... arguments)
            throws IOException {
        try (ManagerClient client = connect(arguments)) {
            client.spinFor(spinForNs);
            final int[] vids = vids(client);
            print(how + ", one change", single(client, vids));
            print(how + ", empty round trip", empty(client));
            print(how + ", batch of " + BATCH, batches(client, vids));
        }
    }

    private static ManagerClient connect(final String[] arguments) throws IOException {
        if (arguments[0].contains("/")) {
            return ManagerClient.connect(Path.of(arguments[0]));
        }
        final int colon = arguments[0].lastIndexOf(':');
        final ClusterKey key = arguments.length > 1 ? KeyFile.read(Path.of(arguments[1])) : null;
        return ManagerClient.connect(
                new InetSocketAddress(
                        arguments[0].substring(0, colon),
                        Integer.parseInt(arguments[0].substring(colon + 1))),
                key);
    }

    private static int[] vids(final ManagerClient client) throws IOException {
        final int[] vids = new int[2];
        for (int i = 0; i < vids.length; i++) {
            client.request(ManagerOperation.VID_TRAFFIC).index(i);
            vids[i] = checked(client.exchange()).vid();
        }
        return vids;
    }

    private static ManagerMessage checked(final ManagerMessage reply) {
        if (reply.status() != Status.OK.code()) {
            throw new IllegalStateException(Status.of(reply.status()).text());
        }
        return reply;
    }

    private static int peer(final ManagerClient client) throws IOException {
        client.request(ManagerOperation.HELLO);
        return checked(client.exchange()).index() == 0 ? 1 : 0;
    }

    private static long[] single(final ManagerClient client, final int[] vids) throws IOException {
        final int peer = peer(client);
        final long[] times = new long[CHANGES];
        for (int i = -WARM_UP; i < CHANGES; i++) {
            final long start = System.nanoTime();
            client.request(ManagerOperation.SET).peerHost(peer).vid(vids[i & 1]);
            checked(client.exchange());
            times[Math.max(i, 0)] = System.nanoTime() - start;
        }
        return times;
    }

    private static long[] empty(final ManagerClient client) throws IOException {
        final long[] times = new long[CHANGES];
        for (int i = 0; i < CHANGES; i++) {
            final long start = System.nanoTime();
            client.request(ManagerOperation.HELLO);
            checked(client.exchange());
            times[i] = System.nanoTime() - start;
        }
        return times;
    }

    private static long[] batches(final ManagerClient client, final int[] vids) throws IOException {
        final int peer = peer(client);
        final long[] times = new long[BATCHES];
        for (int batch = -BATCHES; batch < BATCHES; batch++) {
            final long start = System.nanoTime();
            client.request(ManagerOperation.BEGIN);
            client.post();
            for (int i = 0; i < BATCH; i++) {
                if (client.unanswered() == ManagerClient.MAX_UNANSWERED) {
                    while (client.unanswered() > ManagerClient.MAX_UNANSWERED / 2) {
                        checked(client.receive());
                    }
                }
                client.request(ManagerOperation.SET).peerHost(peer).vid(vids[i & 1]);
                client.post();
            }
            while (client.unanswered() > 1) {
                checked(client.receive());
            }
            client.request(ManagerOperation.END);
            client.post();
            while (client.unanswered() > 0) {
                checked(client.receive());
            }
            times[Math.max(batch, 0)] = System.nanoTime() - start;
        }
        return times;
    }

    private static void inside() throws IOException {
        final List<Integer> vids = List.of(11, 12);
        final List<HostRow> rows = new ArrayList<>();
        for (int host = 0; host < HOSTS; host++) {
            rows.add(new HostRow("h" + host, 0x0200_0000_0001L + host, 11, host));
        }
        final HostTable table = new HostTable(rows, vids, Map.of());
        try (KernelTagger tagger = KernelTagger.load(new int[] {11, 12}, HOSTS)) {
            final HostPaths paths = HostPaths.of(table, 0, tagger);
            final HostManager manager =
                    new HostManager(table, paths, tagger, new NoStore(), new Nowhere());
            final ManagerSession session = manager.open(true);
            final ByteBuf buffer = Unpooled.directBuffer(2 * ManagerMessage.LENGTH);
            buffer.writeZero(2 * ManagerMessage.LENGTH);
            final ManagerMessage request = new ManagerMessage().wrap(buffer, 0);
            final ManagerMessage reply = new ManagerMessage().wrap(buffer, ManagerMessage.LENGTH);
            for (int round = 0; round < 5; round++) {
                final long start = System.nanoTime();
                final int count = 1_000_000;
                for (int i = 0; i < count; i++) {
                    request.clear(ManagerOperation.SET.code())
                            .peerHost(1 + i % (HOSTS - 1))
                            .vid(vids.get(i & 1));
                    manager.handle(session, request, reply);
                    checked(reply);
                }
                System.out.printf(
                        "inside the manager, one change: %.0f ns%n",
                        (System.nanoTime() - start) / (double) count);
            }
        }
    }

    private static final class NoStore implements PathStore {
        @Override
        public Map<Long, Integer> load() {
            return Map.of();
        }

        @Override
        public void save(final Map<Long, Integer> vidOfMac) {}
    }

    private static final class Nowhere implements KernelState {
        @Override
        public long macOf(final byte[] address) {
            return 0;
        }

        @Override
        public List<NicState> nics() {
            return List.of();
        }
    }

    private static void print(final String what, final long[] times) {
        Arrays.sort(times);
        System.out.printf(
                "%s: median %.1f us, min %.1f, 99 %% %.1f%n",
                what,
                times[times.length / 2] / 1e3,
                times[0] / 1e3,
                times[times.length * 99 / 100] / 1e3);
    }
}
