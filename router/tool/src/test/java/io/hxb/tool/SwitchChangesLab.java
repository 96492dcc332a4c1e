package io.hxb.tool;

import io.hxb.testing.FrameTap;
import io.hxb.testing.TestNamespaces;
import io.hxb.tool.lab.OpenVswitch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Bridges of Open vSwitch whose cables come and go: a veth pair for each cable, also to the hosts,
 * whose NICs are in one namespace. Closed, it leaves nothing behind. Owned by the test's thread.
 */
final class SwitchChangesLab implements AutoCloseable {
    private static final int MTU_BYTES = 1500;
    private static final String NO_IP6 =
            "f=/proc/sys/net/ipv6/conf/default/disable_ipv6; [ ! -e $f ] || echo 1 >$f";

    private final TestNamespaces namespaces = new TestNamespaces();
    private final String fabric = namespaces.add("f");
    private final String outside = namespaces.add("h");
    private final Path folder;
    private final OpenVswitch switches;
    private final Map<String, String> pairs = new LinkedHashMap<>();
    private final Map<Integer, FrameTap> taps = new TreeMap<>();
    private final Map<Integer, String> nics = new TreeMap<>();

    /**
     * Starts the switches without any bridge.
     *
     * @param folder an empty one, for their database and sockets.
     */
    SwitchChangesLab(final Path folder) {
        this.folder = folder;
        switches = new OpenVswitch(fabric, folder);
        for (final String namespace : List.of(fabric, outside)) {
            TestNamespaces.exec(namespace, "sh", "-c", NO_IP6);
        }
        switches.start();
    }

    /** Plugs in what is new of a cabling; what it no longer has stays for now. */
    void plugIn(final Cabling cabling) throws IOException {
        for (final Map.Entry<String, String> pair : wanted(cabling).entrySet()) {
            if (!pairs.containsKey(pair.getKey())) {
                final boolean isHost = pair.getValue().startsWith("h");
                namespaces.veth(
                        fabric,
                        pair.getKey(),
                        isHost ? outside : fabric,
                        pair.getValue(),
                        MTU_BYTES);
                pairs.put(pair.getKey(), pair.getValue());
            }
        }
        for (final int host : cabling.hosts().keySet()) {
            final String nic = "h" + cabling.hostPort(host);
            if (!nic.equals(nics.put(host, nic))) {
                close(taps.put(host, FrameTap.open(outside, List.of(nic)).getFirst()));
            }
        }
    }

    /** Pulls out what a cabling no longer has, NICs and all. */
    void pullOut(final Cabling cabling) {
        taps.entrySet()
                .removeIf(
                        entry -> {
                            final boolean isGone = !cabling.hosts().containsKey(entry.getKey());
                            if (isGone) {
                                close(entry.getValue());
                                nics.remove(entry.getKey());
                            }
                            return isGone;
                        });
        final Map<String, String> wanted = wanted(cabling);
        pairs.keySet()
                .removeIf(
                        port -> {
                            if (!wanted.containsKey(port)) {
                                TestNamespaces.exec(fabric, "ip", "link", "del", port);
                            }
                            return !wanted.containsKey(port);
                        });
    }

    private static void close(final FrameTap tap) {
        if (tap != null) {
            tap.close();
        }
    }

    /** The two ends of each cable. */
    private static Map<String, String> wanted(final Cabling cabling) {
        final Map<String, String> wanted = new LinkedHashMap<>();
        cabling.cables().forEach(cable -> wanted.put(cable.portA(), cable.portB()));
        cabling.hosts()
                .keySet()
                .forEach(
                        host -> wanted.put(cabling.hostPort(host), "h" + cabling.hostPort(host)));
        return wanted;
    }

    FrameTap tap(final int host) {
        return taps.get(host);
    }

    /** Runs a shell script where the switches are; fails unless it ends with status 0. */
    void run(final String script) {
        switches.run(script);
    }

    /** What a shell script prints where the switches are. */
    String read(final String script) throws IOException {
        final Path file = folder.resolve("read.txt");
        switches.run("{\n" + script + "\n} >'" + file + "'\n");
        return Files.readString(file);
    }

    /** Ends the switch process as a fault would, and starts it again. */
    void restart() {
        run(
                """
                pid=$(cat "$OVS_RUNDIR/ovs-vswitchd.pid")
                kill -9 $pid
                while kill -0 $pid 2>/dev/null; do sleep 0.1; done
                ovs-vswitchd unix:"$OVS_RUNDIR/db.sock" --detach --no-chdir --pidfile \
                  --log-file="$OVS_RUNDIR/vs.log" -vconsole:off
                """);
    }

    /** Everything that the texts set on one bridge, in a fixed order. */
    String state(final String bridge) throws IOException {
        return sorted(read(STATE.replace("BRIDGE", bridge)));
    }

    private static String sorted(final String text) {
        final List<String> lines = new ArrayList<>(text.lines().toList());
        lines.sort(null);
        return String.join("\n", lines) + "\n";
    }

    private static final String STATE =
            """
            set -e
            ovs-vsctl --columns=fail_mode,stp_enable,rstp_enable,mcast_snooping_enable,flood_vlans \
              list bridge BRIDGE
            ovs-vsctl --columns=protocols,other_config,controller list bridge BRIDGE
            ovs-vsctl --format=csv --no-headings --columns=name,ofport list interface >"$OVS_RUNDIR/names"
            for port in $(ovs-vsctl list-ports BRIDGE); do
              ovs-vsctl --format=csv --no-headings --columns=name,tag,trunks,vlan_mode list port $port
            done
            ovs-ofctl --names --no-stats dump-flows BRIDGE
            { for port in $(ovs-vsctl list-ports BRIDGE); do grep "^$port," "$OVS_RUNDIR/names"; done; \
              ovs-appctl fdb/show BRIDGE; } |
              tr ',' ' ' | awk 'NF == 2 { name[$2] = $1 } /static/ { print "static", name[$1], $2, $3 }'
            """;

    @Override
    public void close() {
        taps.values().forEach(FrameTap::close);
        OpenVswitch.stop(fabric);
        namespaces.close();
    }
}
