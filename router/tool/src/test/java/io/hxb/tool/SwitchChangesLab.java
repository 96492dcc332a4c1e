package io.hxb.tool;

import io.hxb.testing.FrameTap;
import io.hxb.testing.TestNamespaces;
import io.hxb.tool.lab.OpenVswitch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Bridges of Open vSwitch whose cables come and go: a veth pair for each cable, also to the hosts,
 * whose NICs are in one namespace. Each bridge has a namespace and processes of its own, as
 * machines have: bridges of one process remove one another's static addresses. Closed, it leaves
 * nothing behind. Owned by the test's thread.
 */
final class SwitchChangesLab implements AutoCloseable {
    private static final int MTU_BYTES = 1500;
    private static final String NO_IP6 =
            "f=/proc/sys/net/ipv6/conf/default/disable_ipv6; [ ! -e $f ] || echo 1 >$f";

    private static final String STATE =
            """
            set -e
            ovs-vsctl --columns=fail_mode,stp_enable,rstp_enable,mcast_snooping_enable \
              list bridge BRIDGE \
              -- --columns=flood_vlans,protocols,other_config,controller list bridge BRIDGE
            ovs-vsctl --format=csv --no-headings --columns=name,tag,trunks,vlan_mode list port
            ovs-ofctl --names --no-stats dump-flows BRIDGE
            { ovs-vsctl --format=csv --no-headings --columns=name,ofport list interface
              ovs-appctl fdb/show BRIDGE; } |
              tr ',' ' ' | awk 'NF == 2 { name[$2] = $1 } /static/ { print "static", name[$1], $2, $3 }'
            """;

    private final TestNamespaces namespaces = new TestNamespaces();
    private final String outside = add("h");
    private final Path folder;
    private final Map<String, Machine> machines = new HashMap<>();
    private final Map<String, Cable> cables = new LinkedHashMap<>();
    private final Map<Integer, FrameTap> taps = new TreeMap<>();
    private final Map<Integer, String> nics = new TreeMap<>();

    /** What a switch runs on. */
    private record Machine(String namespace, Path folder, OpenVswitch programs) {}

    /** Both ends of a veth pair. */
    private record Cable(String namespaceA, String a, String namespaceB, String b) {}

    /**
     * Starts nothing yet.
     *
     * @param folder an empty one, for databases and sockets.
     */
    SwitchChangesLab(final Path folder) {
        this.folder = folder;
    }

    private String add(final String name) {
        final String namespace = namespaces.add(name);
        TestNamespaces.exec(namespace, "sh", "-c", NO_IP6);
        return namespace;
    }

    private Machine machine(final String name) {
        return machines.computeIfAbsent(name, this::start);
    }

    private Machine start(final String name) {
        try {
            final Path place = Files.createDirectory(folder.resolve(name));
            final String namespace = add(name);
            final Machine machine =
                    new Machine(namespace, place, new OpenVswitch(namespace, place));
            machine.programs.start();
            return machine;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Plugs in what is new of a cabling; what it no longer has stays for now. */
    void plugIn(final Cabling cabling) throws IOException {
        for (final Map.Entry<String, Cable> entry : wanted(cabling).entrySet()) {
            if (!cables.containsKey(entry.getKey())) {
                final Cable cable = entry.getValue();
                namespaces.veth(cable.namespaceA, cable.a, cable.namespaceB, cable.b, MTU_BYTES);
                cables.put(entry.getKey(), cable);
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
        for (final int host : List.copyOf(taps.keySet())) {
            if (!cabling.hosts().containsKey(host)) {
                close(taps.remove(host));
                nics.remove(host);
            }
        }
        final Map<String, Cable> wanted = wanted(cabling);
        for (final Cable cable : List.copyOf(cables.values())) {
            if (!wanted.containsKey(cable.a)) {
                TestNamespaces.exec(cable.namespaceA, "ip", "link", "del", cable.a);
                cables.remove(cable.a);
            }
        }
    }

    private static void close(final FrameTap tap) {
        if (tap != null) {
            tap.close();
        }
    }

    private Map<String, Cable> wanted(final Cabling cabling) {
        final Map<String, Cable> wanted = new LinkedHashMap<>();
        for (final Cabling.Cable cable : cabling.cables()) {
            wanted.put(
                    cable.portA(),
                    new Cable(
                            machine(cable.a()).namespace,
                            cable.portA(),
                            machine(cable.b()).namespace,
                            cable.portB()));
        }
        cabling.hosts()
                .forEach(
                        (host, at) -> {
                            final String port = cabling.hostPort(host);
                            wanted.put(
                                    port,
                                    new Cable(machine(at).namespace, port, outside, "h" + port));
                        });
        return wanted;
    }

    /** Ends the switches that a cabling no longer has. */
    void remove(final Cabling cabling) {
        for (final String name : List.copyOf(machines.keySet())) {
            if (!cabling.switches().contains(name)) {
                OpenVswitch.stop(machines.remove(name).namespace);
            }
        }
    }

    FrameTap tap(final int host) {
        return taps.get(host);
    }

    /** Runs a shell script on a switch; fails unless it ends with status 0. */
    void run(final String name, final String script) {
        machine(name).programs.run(script);
    }

    /** What a shell script prints on a switch. */
    String read(final String name, final String script) throws IOException {
        final Path file = machine(name).folder.resolve("read.txt");
        run(name, "{\n" + script + "\n} >'" + file + "'\n");
        return Files.readString(file);
    }

    /** Ends the switch process as a fault would, and starts it again. */
    void restart(final String name) {
        run(
                name,
                """
                cd "$OVS_RUNDIR"
                pid=$(cat ovs-vswitchd.pid)
                kill -9 $pid
                while [ -n "$(tr -d '\\0' </proc/$pid/cmdline 2>/dev/null)" ]; do sleep 0.1; done
                ovs-vswitchd unix:db.sock --detach --no-chdir --pidfile --log-file=vs.log -vconsole:off
                """);
    }

    /** Everything that the texts set on a switch, in a fixed order. */
    String state(final String name) throws IOException {
        final List<String> lines =
                new ArrayList<>(read(name, STATE.replace("BRIDGE", name)).lines().toList());
        lines.sort(null);
        return String.join("\n", lines) + "\n";
    }

    @Override
    public void close() {
        taps.values().forEach(FrameTap::close);
        machines.values().forEach(machine -> OpenVswitch.stop(machine.namespace));
        namespaces.close();
    }
}
