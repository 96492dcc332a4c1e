package io.hxb.tool.route;

import io.hxb.manager.PeerName;
import io.hxb.tool.report.UsageException;

import java.util.LinkedHashMap;
import java.util.Map;

/** Paths as text and JSON. Stateless. */
final class RouteText {
    private RouteText() {}

    /** The beginning of a report about one manager. */
    static Map<String, Object> report(final ManagerLink link) {
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", true);
        report.put("manager", link.place());
        report.put("host", link.self().number());
        report.put("name", link.self().name());
        report.put("changes", link.changes());
        return report;
    }

    /** A path as JSON. */
    static Map<String, Object> json(final ManagerLink.Route route) {
        final Map<String, Object> row = new LinkedHashMap<>();
        row.put("host", route.peer().number());
        row.put("name", route.peer().name());
        row.put("mac", PeerName.text(route.peer().mac()));
        row.put("vid", route.vid());
        row.put("wanted_vid", route.wantedVid());
        row.put("table_vid", route.tableVid());
        row.put("heard_vid", route.heardVid());
        row.put("half", route.isHalf());
        return row;
    }

    /** A path in words. */
    static String words(final ManagerLink link, final ManagerLink.Route route) {
        return link.self().name()
                + " sends to "
                + route.peer().name()
                + " in VID "
                + route.vid()
                + (route.isDetour()
                        ? "; VID " + route.wantedVid() + ", which is set, is dead"
                        : route.vid() == route.tableVid() ? "" : ", not " + route.tableVid())
                + (route.isHalf() ? "; it answers in VID " + route.heardVid() : "");
    }

    /** Two hosts of {@code A,B}, or one. */
    static String[] pair(final String text) {
        final String[] ends = text.split(",", -1);
        if (ends.length > 2 || ends[0].isBlank() || ends[ends.length - 1].isBlank()) {
            throw new UsageException(
                    "'" + text + "' is no pair: give one host, or two such as h0,h8");
        }
        return ends;
    }

    /** A VID. */
    static int vid(final String text) {
        final int vid = text.matches("\\d{1,4}") ? Integer.parseInt(text) : -1;
        if (vid < 1 || vid > io.hxb.fabric.vlan.VlanIds.MAX_VID) {
            throw new UsageException("a VID is a number from 1 to 4094, not '" + text + "'");
        }
        return vid;
    }
}
