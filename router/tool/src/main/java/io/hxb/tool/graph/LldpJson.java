package io.hxb.tool.graph;

import io.hxb.fabric.GraphException;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the reports of {@code lldpcli -f json} and {@code lldpcli -f json0 show neighbors}, joined
 * as one object by the names of the systems. {@code json} has names as keys, and lists only where
 * there are several; in {@code json0} everything is a list of objects with {@code name} or {@code
 * value}. Stateless. Source: lldpd 1.0, lldpcli(8), option -f.
 */
final class LldpJson {
    private static final long DEFAULT_TTL_S = 120;
    private static final Pattern AGE =
            Pattern.compile("(\\d{1,7}) days?, (\\d{1,2}):(\\d{2}):(\\d{2})");
    private static final Pattern MAC = Pattern.compile("[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5}");

    private final String file;
    private final List<LldpReport> reports = new ArrayList<>();

    private LldpJson(final String file) {
        this.file = file;
    }

    static List<LldpReport> read(final String file, final String text) {
        final LldpJson json = new LldpJson(file);
        try {
            json.read(JsonMapper.builder().build().readTree(text));
        } catch (final JacksonException e) {
            throw new GraphException(
                    file
                            + ":"
                            + (e.getLocation() == null ? 1 : e.getLocation().getLineNr())
                            + ": is not JSON: "
                            + e.getOriginalMessage());
        }
        return json.reports;
    }

    private void read(final JsonNode root) {
        if (!root.isObject() || root.has("lldp")) {
            throw new GraphException(
                    file
                            + ": must be one object with the output of lldpcli of each system by"
                            + " its name: {\"leaf1\": {\"lldp\": ...}, ...}");
        }
        for (final Map.Entry<String, JsonNode> system : root.properties()) {
            if (!system.getValue().has("lldp")) {
                throw new GraphException(
                        file
                                + ": "
                                + system.getKey()
                                + " has no member lldp; give lldpcli's JSON there");
            }
            for (final JsonNode lldp : all(system.getValue().path("lldp"))) {
                for (final JsonNode port : all(lldp.path("interface"))) {
                    readPort(system.getKey(), port);
                }
            }
        }
    }

    private void readPort(final String system, final JsonNode port) {
        if (port.path("name").isString()) {
            addReports(system, port.path("name").asString(), port);
            return;
        }
        port.properties()
                .forEach(
                        entry ->
                                all(entry.getValue())
                                        .forEach(one -> addReports(system, entry.getKey(), one)));
    }

    private void addReports(final String system, final String port, final JsonNode report) {
        final JsonNode chassis = first(report.path("chassis"));
        if (isDescription(chassis)) {
            addReport(system, port, report, text(chassis, "name"), chassis);
            return;
        }
        for (final Map.Entry<String, JsonNode> remote : chassis.properties()) {
            if (!remote.getValue().isObject()) {
                throw new GraphException(
                        file + ": the neighbour at " + system + "." + port + " has no name");
            }
            addReport(system, port, report, remote.getKey(), remote.getValue());
        }
    }

    /** Whether it describes a system itself, instead of having it by its name. */
    private static boolean isDescription(final JsonNode chassis) {
        return first(chassis.path("id")).has("value")
                || chassis.path("name").isArray()
                || first(chassis.path("capability")).has("type");
    }

    private void addReport(
            final String system,
            final String local,
            final JsonNode report,
            final String name,
            final JsonNode chassis) {
        final JsonNode port = first(report.path("port"));
        final JsonNode id = first(port.path("id"));
        final String portId = id.path("value").asString("");
        final boolean isMac = id.path("type").asString("").equals("mac");
        if (isMac && !MAC.matcher(portId).matches()) {
            throw new GraphException(
                    file
                            + ": the neighbour at "
                            + system
                            + "."
                            + local
                            + " has a port with the MAC address '"
                            + portId
                            + "', which is none");
        }
        final String chassisId = first(chassis.path("id")).path("value").asString("");
        if (name.isEmpty() && chassisId.isEmpty()) {
            throw new GraphException(
                    file + ": the neighbour at " + system + "." + local + " has no name and no id");
        }
        final String aggregate = text(port, "aggregation");
        final String ttl = text(port, "ttl");
        final String rid = report.path("rid").asString("");
        reports.add(
                new LldpReport(
                        system,
                        local,
                        new LldpReport.Neighbour(
                                name,
                                chassisId,
                                kind(chassis.path("capability")),
                                portId,
                                text(port, "descr"),
                                isMac ? CablingYaml.parseMac(portId) : 0,
                                aggregate.equals("0") ? "" : aggregate),
                        report.path("via").asString("LLDP").equals("LLDP"),
                        age(report.path("age").asString("")),
                        ttl.matches("\\d{1,9}") ? Long.parseLong(ttl) : DEFAULT_TTL_S,
                        rid.matches("\\d{1,9}") ? Integer.parseInt(rid) : -1));
    }

    private static LldpReport.Kind kind(final JsonNode capabilities) {
        LldpReport.Kind kind =
                all(capabilities).isEmpty() ? LldpReport.Kind.UNKNOWN : LldpReport.Kind.OTHER;
        for (final JsonNode one : all(capabilities)) {
            final String type = one.path("type").asString("");
            if (!one.path("enabled").asBoolean(false)) {
                continue;
            }
            if (type.equals("Bridge")) {
                kind = LldpReport.Kind.BRIDGE;
            } else if (type.equals("Router") && kind == LldpReport.Kind.OTHER) {
                kind = LldpReport.Kind.ROUTER;
            }
        }
        return kind;
    }

    private static long age(final String text) {
        final Matcher age = AGE.matcher(text);
        return age.matches()
                ? Long.parseLong(age.group(1)) * 86_400
                        + Long.parseLong(age.group(2)) * 3_600
                        + Long.parseLong(age.group(3)) * 60
                        + Long.parseLong(age.group(4))
                : -1;
    }

    private static List<JsonNode> all(final JsonNode node) {
        final List<JsonNode> all = new ArrayList<>();
        if (node.isArray()) {
            node.forEach(all::add);
        } else if (node.isObject()) {
            all.add(node);
        }
        return all;
    }

    private static JsonNode first(final JsonNode node) {
        return node.isArray() ? node.path(0) : node;
    }

    /** A text, which json0 has as {@code [{"value": text}]}. */
    private static String text(final JsonNode node, final String key) {
        final JsonNode found = first(node.path(key));
        return found.isObject() ? found.path("value").asString("") : found.asString("");
    }
}
