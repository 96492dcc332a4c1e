package io.hxb.manager;

import io.hxb.vlan.HostRow;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the manager does, as HTTP and JSON: each function is made of the requests that programs
 * send, so both have the same checks. Changes outlive the connection. Owned by the manager's
 * thread.
 */
final class HttpFunctions {
    /** Prefix of all addresses. */
    static final String VERSION = "v1";

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final HostManager manager;
    private final ManagerSession session;
    private final ByteBuf buffer = Unpooled.buffer(2 * ManagerMessage.LENGTH);
    private final ManagerMessage request = new ManagerMessage().wrap(buffer, 0);
    private final ManagerMessage reply = new ManagerMessage().wrap(buffer, ManagerMessage.LENGTH);

    HttpFunctions(final HostManager manager, final ManagerSession session) {
        buffer.writeZero(2 * ManagerMessage.LENGTH);
        this.manager = manager;
        this.session = session;
    }

    /** A content as text. */
    static String text(final HttpAnswer answer) {
        return JSON.writeValueAsString(answer.content()) + "\n";
    }

    HttpAnswer answer(final HttpRequest http) {
        final List<String> path = http.path();
        if (!path.getFirst().equals(VERSION)) {
            return HttpAnswer.error(
                    HttpAnswer.NOT_FOUND, "there is nothing here; begin with /" + VERSION);
        }
        final String what = path.size() < 2 ? "" : path.get(1);
        if (path.size() > (what.equals("routes") ? 3 : 2)) {
            return HttpAnswer.error(HttpAnswer.NOT_FOUND, "there is nothing at this address");
        }
        return switch (what) {
            case "" -> get(http, this::self);
            case "routes" -> routes(http);
            case "table" ->
                    http.method().equals("PUT") ? putTable(http.body()) : get(http, this::table);
            case "traffic" -> get(http, this::traffic);
            case "nics" -> get(http, this::nics);
            case "counts" -> get(http, this::counts);
            case "batch" -> post(http, () -> batch(http.body()));
            case "commit" -> post(http, () -> plain(ManagerOperation.COMMIT));
            case "rollback" -> post(http, () -> plain(ManagerOperation.ROLLBACK));
            default -> HttpAnswer.error(HttpAnswer.NOT_FOUND, "there is nothing at this address");
        };
    }

    private interface Function {
        HttpAnswer run();
    }

    private static HttpAnswer get(final HttpRequest http, final Function function) {
        return http.method().equals("GET") ? function.run() : notAllowed(http);
    }

    private static HttpAnswer post(final HttpRequest http, final Function function) {
        return http.method().equals("POST") ? function.run() : notAllowed(http);
    }

    private static HttpAnswer notAllowed(final HttpRequest http) {
        return HttpAnswer.error(
                HttpAnswer.NOT_ALLOWED, http.method() + " is not supported at this address");
    }

    private Status ask() {
        manager.handle(session, request, reply);
        return Status.of(reply.status());
    }

    private HttpAnswer done(final Status status) {
        final Map<String, Object> content = new LinkedHashMap<>();
        content.put("ok", status == Status.OK);
        if (status != Status.OK) {
            content.put("error", status.text());
        }
        content.put("changes", manager.changes());
        return new HttpAnswer(HttpAnswer.code(status), content);
    }

    private HttpAnswer list(final String key, final List<Map<String, Object>> rows) {
        final HttpAnswer answer = done(Status.OK);
        answer.content().put(key, rows);
        return answer;
    }

    private HttpAnswer plain(final ManagerOperation operation) {
        request.clear(operation.code()).flags(ManagerMessage.FLAG_PERMANENT);
        return done(ask());
    }

    private HttpAnswer self() {
        request.clear(ManagerOperation.HELLO.code());
        final HttpAnswer answer = done(ask());
        final Map<String, Object> content = answer.content();
        content.put("host", reply.index());
        content.put("name", manager.table().rows().get(reply.index()).name());
        content.put("mac", PeerName.text(reply.value(0)));
        content.put("default_vid", reply.vid());
        content.put("wanted_default_vid", reply.wantedDefaultVid());
        content.put("hosts", reply.value(1));
        content.put("vids", manager.table().vids());
        content.put("plan", String.format("%016x", reply.fingerprint()));
        content.put("may_change", session.mayChange());
        return answer;
    }

    private HttpAnswer routes(final HttpRequest http) {
        final boolean isOne = http.path().size() > 2;
        return switch (http.method()) {
            case "GET" -> isOne ? route(http.path().get(2)) : allRoutes();
            case "PUT" -> isOne ? put(http.path().get(2), http.body()) : notAllowed(http);
            case "DELETE" ->
                    isOne
                            ? change(ManagerOperation.RESET, http.path().get(2), 0)
                            : plain(ManagerOperation.RESET_ALL);
            default -> notAllowed(http);
        };
    }

    private HttpAnswer allRoutes() {
        final List<Map<String, Object>> rows = new ArrayList<>();
        for (int host = 0; host < manager.table().rows().size(); host++) {
            request.clear(ManagerOperation.GET.code()).peerHost(host);
            if (ask() == Status.OK) {
                rows.add(row());
            }
        }
        return list("routes", rows);
    }

    private Map<String, Object> row() {
        final Map<String, Object> row = new LinkedHashMap<>();
        final int host = reply.index();
        row.put("host", host);
        row.put("name", manager.table().rows().get(host).name());
        row.put("mac", PeerName.text(manager.table().mac(host)));
        row.put("vid", reply.vid());
        row.put("wanted_vid", reply.wantedVid());
        row.put("table_vid", reply.value(0));
        row.put("heard_vid", reply.value(1));
        row.put("half", HostManager.isHalf(reply.vid(), (int) reply.value(1)));
        return row;
    }

    private boolean name(final String peer) {
        return PeerName.put(peer, manager.table()::hostOf, request);
    }

    private HttpAnswer route(final String peer) {
        request.clear(ManagerOperation.GET.code());
        final Status status = name(peer) ? ask() : Status.NO_SUCH_HOST;
        final HttpAnswer answer = done(status);
        if (status == Status.OK) {
            answer.content().putAll(row());
        }
        return answer;
    }

    private HttpAnswer put(final String peer, final String body) {
        try {
            final JsonNode vid = JSON.readTree(body).path("vid");
            return vid.isIntegralNumber() && vid.canConvertToInt()
                    ? change(ManagerOperation.SET, peer, vid.intValue())
                    : HttpAnswer.error(HttpAnswer.BAD_REQUEST, "name the VID: {\"vid\": 12}");
        } catch (final JacksonException e) {
            return notJson(e);
        }
    }

    private static HttpAnswer notJson(final JacksonException e) {
        return HttpAnswer.error(
                HttpAnswer.BAD_REQUEST, "the body is no JSON: " + e.getOriginalMessage());
    }

    private HttpAnswer change(final ManagerOperation operation, final String peer, final int vid) {
        final Status status = send(operation, peer, vid);
        final HttpAnswer answer = done(status);
        if (status == Status.OK) {
            answer.content().put("host", reply.index());
            answer.content().put("vid", reply.vid());
        }
        return answer;
    }

    private Status send(final ManagerOperation operation, final String peer, final int vid) {
        request.clear(operation.code()).flags(ManagerMessage.FLAG_PERMANENT).vid(vid);
        if (vid < 0 || vid > Character.MAX_VALUE) {
            return Status.NO_SUCH_VID;
        }
        return name(peer) ? ask() : Status.NO_SUCH_HOST;
    }

    private HttpAnswer batch(final String body) {
        final JsonNode tree;
        try {
            tree = JSON.readTree(body);
        } catch (final JacksonException e) {
            return notJson(e);
        }
        final JsonNode changes = tree.path("changes");
        if (!changes.isArray()) {
            return HttpAnswer.error(
                    HttpAnswer.BAD_REQUEST,
                    "list the changes: {\"changes\": [{\"peer\": \"h1\", \"vid\": 12}]}");
        }
        request.clear(ManagerOperation.BEGIN.code()).number(tree.path("expect").asLong(0));
        final Status begun = ask();
        if (begun != Status.OK) {
            return done(begun);
        }
        Status failed = Status.OK;
        int index = 0;
        for (final JsonNode change : changes) {
            final String peer = change.path("peer").asString("");
            final JsonNode vid = change.path("vid");
            final Status status =
                    vid.isNull()
                            ? send(ManagerOperation.RESET, peer, 0)
                            : send(ManagerOperation.SET, peer, vid.asInt(-1));
            if (status != Status.OK) {
                failed = status;
                session.failBatch();
                break;
            }
            index++;
        }
        request.clear(ManagerOperation.END.code());
        final Status ended = ask();
        final HttpAnswer answer = done(failed == Status.OK ? ended : failed);
        if (failed != Status.OK) {
            answer.content().put("index", index);
        }
        return answer;
    }

    private HttpAnswer table() {
        final List<Map<String, Object>> rows = new ArrayList<>();
        for (final HostRow row : manager.table().rows()) {
            final Map<String, Object> content = new LinkedHashMap<>();
            content.put("name", row.name());
            content.put("mac", PeerName.text(row.mac()));
            content.put("vid", row.vid());
            content.put("rank", row.rank());
            rows.add(content);
        }
        final List<Map<String, Object>> pairs = new ArrayList<>();
        new TreeMap<>(manager.table().exceptions())
                .forEach(
                        (pair, vid) ->
                                pairs.add(Map.of("a", pair.low(), "b", pair.high(), "vid", vid)));
        final HttpAnswer answer = list("rows", rows);
        answer.content().put("pairs", pairs);
        return answer;
    }

    /** Rows that are not named stay; the pairs are all that there are. */
    private HttpAnswer putTable(final String body) {
        final JsonNode tree;
        try {
            tree = JSON.readTree(body);
        } catch (final JacksonException e) {
            return notJson(e);
        }
        request.clear(ManagerOperation.TABLE_BEGIN.code());
        Status status = ask();
        for (final JsonNode row : tree.path("rows")) {
            final int host = hostOf(row.path("host"));
            request.clear(ManagerOperation.TABLE_ROW.code())
                    .index(host)
                    .vid(vid(row))
                    .value(0, row.path("rank").asInt(-1));
            status = status == Status.OK ? ask() : status;
        }
        for (final JsonNode pair : tree.path("pairs")) {
            request.clear(ManagerOperation.TABLE_PAIR.code())
                    .index(hostOf(pair.path("a")))
                    .peerHost(hostOf(pair.path("b")))
                    .vid(vid(pair));
            status = status == Status.OK ? ask() : status;
        }
        if (status == Status.OK) {
            request.clear(ManagerOperation.TABLE_END.code()).flags(ManagerMessage.FLAG_PERMANENT);
            status = ask();
        }
        return done(status);
    }

    private int hostOf(final JsonNode host) {
        return host.isIntegralNumber() ? host.asInt(-1) : manager.table().hostOf(host.asString(""));
    }

    private static int vid(final JsonNode node) {
        final int vid = node.path("vid").asInt(0);
        return vid < 0 || vid > Character.MAX_VALUE ? 0 : vid;
    }

    private HttpAnswer traffic() {
        final List<Map<String, Object>> hosts = new ArrayList<>();
        request.clear(ManagerOperation.TRAFFIC.code());
        while (ask() == Status.OK) {
            final Map<String, Object> row = new LinkedHashMap<>();
            row.put("host", reply.index());
            row.put("name", manager.table().rows().get(reply.index()).name());
            row.put("vid", reply.vid());
            row.put("sent_bytes", reply.value(0));
            row.put("sent_frames", reply.value(1));
            hosts.add(row);
            request.clear(ManagerOperation.TRAFFIC.code()).index(reply.index() + 1);
        }
        final List<Map<String, Object>> vids = new ArrayList<>();
        request.clear(ManagerOperation.VID_TRAFFIC.code());
        while (ask() == Status.OK) {
            final Map<String, Object> row = new LinkedHashMap<>();
            row.put("vid", reply.vid());
            row.put("sent_bytes", reply.value(0));
            row.put("sent_frames", reply.value(1));
            row.put("received_bytes", reply.value(2));
            vids.add(row);
            request.clear(ManagerOperation.VID_TRAFFIC.code()).index(reply.index() + 1);
        }
        final HttpAnswer answer = list("hosts", hosts);
        answer.content().put("vids", vids);
        return answer;
    }

    private HttpAnswer nics() {
        final List<Map<String, Object>> nics = new ArrayList<>();
        request.clear(ManagerOperation.NIC.code());
        while (ask() == Status.OK) {
            final Map<String, Object> row = new LinkedHashMap<>();
            row.put("name", reply.name());
            row.put("mac", PeerName.text(reply.value(0)));
            row.put("mtu_bytes", reply.value(1));
            row.put("up", (reply.value(2) & 1) != 0);
            row.put("foreign_programs", reply.value(2) >>> Integer.SIZE);
            nics.add(row);
            request.clear(ManagerOperation.NIC.code()).index(reply.index() + 1);
        }
        return list("nics", nics);
    }

    private HttpAnswer counts() {
        final HttpAnswer answer = done(Status.OK);
        manager.refreshCounts();
        for (final ManagerCount count : ManagerCount.values()) {
            answer.content().put(count.key(), manager.counts().value(count));
        }
        return answer;
    }
}
