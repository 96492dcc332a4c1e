package io.hxb.fabric.vlan.config;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.config.Changes.PortChange;
import io.hxb.fabric.vlan.config.SwitchSetup.Port;
import io.hxb.fabric.vlan.config.SwitchSetup.StaticMac;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.Function;

/**
 * A shell script for SONiC: VLANs by its config command, static addresses by swssconfig, since they
 * are not kept in config_db.json. A port of SONiC can be an untagged member of one VLAN only.
 * Source: sonic-utilities, config/vlan.py and stp.py, Command-Reference.md; sonic-swss,
 * doc/swss-schema.md, FDB_TABLE.
 */
final class SonicDialect extends CommandDialect {
    private static final int LANES = 4;

    /** All of them leave alone what is as it has to be, since 'config' takes that for an error. */
    private static final String HELPERS =
            """
            set -e
            trap '[ $? = 0 ] || echo "SWITCH: stopped, nothing is saved: config reload -y undoes it" >&2' EXIT
            db() { sonic-db-cli CONFIG_DB "$@" </dev/null; }
            has() { [ -n "$(db keys "$1")" ]; }
            vlan() { has "VLAN|Vlan$1" || config vlan add "$1"; }
            no_vlan() { ! has "VLAN|Vlan$1" || config vlan del "$1"; }
            leave() { ! has "VLAN_MEMBER|Vlan$1|$2" || config vlan member del "$1" "$2" </dev/null; }
            join() {
              case "$(db hget "VLAN_MEMBER|Vlan$1|$2" tagging_mode)" in
                tagged) return ;;
                untagged) config vlan member del "$1" "$2" ;;
              esac
              config vlan member add "$1" "$2"
            }
            switched() {
              db keys "INTERFACE|$1|*" | while IFS='|' read -r table port address; do
                config interface ip remove "$port" "$address" </dev/null
              done
              ! has "INTERFACE|$1" || db del "INTERFACE|$1" >/dev/null
              case "$(db hget "PORT|$1" mode)" in
                routed | access) config switchport mode trunk "$1" ;;
              esac
            }
            addresses() { docker exec -i swss sh -c 'cat >/tmp/fdb.json; swssconfig /tmp/fdb.json'; }
            all_addresses() {
              planned=$(cat)
              sonic-db-cli APPL_DB keys 'FDB_TABLE:Vlan*' | while read -r key; do
                case "$planned" in
                  *"\\"$key\\""*) ;;
                  *) printf '[{"%s": {}, "OP": "DEL"}]\\n' "$key" | addresses ;;
                esac
              done
              echo "$planned" | addresses
            }
            """;

    private static final String OTHERS =
            """
            db keys 'VLAN_MEMBER|*' | while IFS='|' read -r table vlan port; do
              case 'MEMBERS' in *" ${vlan#Vlan}:$port "*) continue ;; esac
              case 'NAMES' in *" ${vlan#Vlan} "* | *" $port "*) leave "${vlan#Vlan}" "$port" ;; esac
            done
            """;

    private static final String NO_SPANNING_TREE =
            """
            mode=$(db hget 'STP|GLOBAL' mode)
            case "$mode" in pvst | mst) config spanning_tree disable "$mode" ;; esac
            """;

    @Override
    public String word() {
        return "sonic";
    }

    @Override
    public String switches() {
        return "SONiC";
    }

    @Override
    public String fileEnding() {
        return ".sh";
    }

    @Override
    public void check(final PlanKind kind) {
        if (kind == PlanKind.SWITCH_TAGGED) {
            throw new GraphException(
                    "a port of SONiC can be an untagged member of one VLAN only, and a"
                        + " switch-tagged plan needs all of them on host ports; let the hosts tag"
                        + " (--kind host-tagged), or use linux, cumulus, ovs, ios or dell");
        }
    }

    @Override
    String numberedPort(final String switchName, final int number) {
        return "Ethernet" + (number - 1) * LANES;
    }

    @Override
    public BitSet reservedVids() {
        final BitSet reserved = new BitSet();
        reserved.set(1); // 'config vlan add' refuses it as the default VLAN.
        return reserved;
    }

    @Override
    String write(final SwitchSetup setup, final Changes changes, final boolean isFull) {
        final StringBuilder text = new StringBuilder("#!/bin/sh\n");
        text.append(heading("#", setup, isFull));
        if (isFull) {
            text.append("# It is the whole setup of its VLANs and ports, which are switched, not");
            text.append(" routed, and lose\n# their IP addresses. It may be run again; after a");
            text.append(" restart it has to be, since static MAC\n# addresses are not saved.\n");
        }
        text.append(HELPERS.replace("SWITCH", setup.name()));
        text.append(isFull ? removalOfOthers(setup) : "");
        appendRemovedAddresses(text, changes.removedMacs());
        for (final Port port : changes.removedPorts()) {
            appendMembers(text, "leave", port.vids(), port(setup, port.name()));
        }
        for (final PortChange change : changes.ports()) {
            appendMembers(text, "leave", change.removed(), port(setup, change.after().name()));
        }
        changes.addedVids().stream().forEach(vid -> text.append("vlan %d%n".formatted(vid)));
        for (final PortChange change : changes.ports()) {
            final String port = port(setup, change.after().name());
            text.append(change.isNew() ? "switched %s%n".formatted(port) : "");
            appendMembers(text, "join", change.changed(true), port);
        }
        text.append(isFull ? NO_SPANNING_TREE : "");
        appendAddresses(text, setup, changes.addedMacs(), isFull);
        changes.removedVids().stream().forEach(vid -> text.append("no_vlan %d%n".formatted(vid)));
        return text.append("config save -y\n").toString();
    }

    /** Members of VLANs of the plan, and ports of the plan in VLANs, that it does not name. */
    private String removalOfOthers(final SwitchSetup setup) {
        final StringBuilder names = new StringBuilder(" ");
        final StringBuilder members = new StringBuilder(" ");
        setup.vids().stream().forEach(vid -> names.append(vid).append(' '));
        for (final Port port : setup.ports()) {
            final String name = port(setup, port.name());
            names.append(name).append(' ');
            port.tagged().stream().forEach(vid -> members.append(vid + ":" + name + " "));
        }
        return OTHERS.replace("MEMBERS", members).replace("NAMES", names);
    }

    private static void appendMembers(
            final StringBuilder text, final String verb, final BitSet vids, final String port) {
        vids.stream().forEach(vid -> text.append("%s %d %s%n".formatted(verb, vid, port)));
    }

    private static void appendRemovedAddresses(
            final StringBuilder text, final List<StaticMac> entries) {
        if (!entries.isEmpty()) {
            text.append("addresses <<'EOF'\n");
            text.append(json(entries, entry -> "{}", "DEL")).append("EOF\n");
        }
    }

    private void appendAddresses(
            final StringBuilder text,
            final SwitchSetup setup,
            final List<StaticMac> entries,
            final boolean isFull) {
        if (!entries.isEmpty()) {
            text.append(isFull ? "all_addresses" : "addresses").append(" <<'EOF'\n");
            text.append(
                    json(
                            entries,
                            entry ->
                                    "{\"port\": \"%s\", \"type\": \"static\"}"
                                            .formatted(port(setup, entry.port())),
                            "SET"));
            text.append("EOF\n");
        }
    }

    private static String json(
            final List<StaticMac> entries,
            final Function<StaticMac, String> fields,
            final String operation) {
        final List<String> lines = new ArrayList<>();
        for (final StaticMac entry : entries) {
            lines.add(
                    "  {\"FDB_TABLE:Vlan%d:%s\": %s, \"OP\": \"%s\"}"
                            .formatted(
                                    entry.vid(),
                                    mac(entry.mac(), "-"),
                                    fields.apply(entry),
                                    operation));
        }
        return "[\n" + String.join(",\n", lines) + "\n]\n";
    }
}
