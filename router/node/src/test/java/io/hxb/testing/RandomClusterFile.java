package io.hxb.testing;

import io.hxb.config.ContextConfig;
import io.hxb.config.PoolConfig;
import io.hxb.config.Quantity;
import io.hxb.testing.ConfigurationPage.Row;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A valid cluster file of UDP links: every key is left out, or at one of its limits, or between
 * them. The limits are those of docs/reference/configuration.md, which a test holds against the
 * reader.
 */
public final class RandomClusterFile {
    private static final long MAX_POOL_BYTES = 1L << 30;
    private static final long FLOWS_PER_NODE = 64;
    private static final Pattern CHOICE = Pattern.compile("`([^`]+)`");

    private final SplittableRandom random;
    private final Map<String, Row> rows = new LinkedHashMap<>();
    private final Map<String, String> values = new LinkedHashMap<>();

    /**
     * Draws a file.
     *
     * @param seed decides everything.
     * @param fixed text of keys that are not drawn; an empty text leaves the key out.
     */
    public RandomClusterFile(final long seed, final Map<String, String> fixed) {
        random = new SplittableRandom(seed);
        ConfigurationPage.rows().forEach(row -> rows.put(row.key(), row));
        topology();
        values.putAll(fixed);
        for (final Row row : rows.values()) {
            if (!values.containsKey(row.key())) {
                values.put(row.key(), draw(row));
            }
        }
    }

    private void topology() {
        final int dimensions = 1 + random.nextInt(3);
        final List<String> extents = new ArrayList<>();
        for (int i = 0; i < dimensions; i++) {
            extents.add(Integer.toString(random.nextInt(4) == 0 ? 1 : 2));
        }
        values.put("shape", String.join("x", extents));
        values.put("backend", "udp");
        values.put("links", pick("1", "2", "8"));
        values.put("name", pick("", "a", "n".repeat(63)));
        values.put("id", pick("", "1", "0xffffffff", "0x80000000"));
        values.put("orders", pick("", "default", "all"));
        values.put("udp.host", pick("", "127.0.0.1", "localhost"));
        // Whatever is about raw links, or needs rights or hardware that not everybody has.
        for (final String key :
                List.of(
                        "netns",
                        "udp.basePort",
                        "nodes.COORDINATES.links",
                        "nodes.COORDINATES.host",
                        "nodes.COORDINATES.netns",
                        "hosts.NAME",
                        "tenants.NAME.uids",
                        "tenants.NAME.gids",
                        "tenants.NAME.contexts",
                        "tenants.NAME.talksTo",
                        "tenants.NAME.limits",
                        "tenants.NAME.userLimits",
                        "loop.cpus",
                        "loop.priority",
                        "security.keys",
                        "manager.plan",
                        "manager.nic",
                        "manager.listen",
                        "manager.state",
                        "manager.keep",
                        "attach.directory",
                        "attach.countersDirectory")) {
            values.put(key, "");
        }
        // A key is a file, which is not there.
        values.put("security.mode", pick("", "none"));
        values.put("pool.hugePages", pick("", "off", "auto"));
        values.put("socket.kernelRelay", pick("", "off", "auto"));
        values.put("manager.tagger", pick("", "auto", "kernel", "tap"));
        values.put(
                "tenants",
                pick(
                        "",
                        "",
                        "{a: {uids: [1, 2147483647], talksTo: [operator]}}",
                        "{a: {uids: nobody}, b: {gids: 0-2147483647, contexts: 1, talksTo: a,"
                                + " limits: {flows: 1}, userLimits: {memoryBytes: 1MiB}}}"));
        final boolean hasTenants = !values.get("tenants").isEmpty();
        values.put("attach.allowedUids", hasTenants ? "" : pick("", "[]", "[0, 2147483647]"));
        values.put("attach.allowedGids", hasTenants ? "" : pick("", "[]", "[0, 2147483647]"));
        etherTypes();
    }

    private void etherTypes() {
        values.put("frame.etherType", pick("", "0x0600", "0xffff", "0x88b6"));
        values.put("frame.relayEtherType", pick("", "0x0601", "0xfffe", "0x9000"));
        values.put("socket.segmentation", pick("", "off", "auto"));
        values.put("frame.encapsulation", pick("", "ethernet", "auto"));
    }

    private String pick(final String... choices) {
        return choices[random.nextInt(choices.length)];
    }

    private String draw(final Row row) {
        final String key = row.key();
        if (row.hasRange()) {
            final boolean isDuration = row.type().startsWith("duration");
            final boolean isSize = row.type().startsWith("size");
            final long min = Math.max(parse(row, row.min()), min(key));
            final long max = Math.max(min, Math.min(parse(row, row.max()), max(key)));
            final long number = number(row, min, max);
            final long value = valid(key, number);
            return value < 0
                    ? ""
                    : isDuration
                            ? Quantity.formatDuration(value)
                            : isSize ? Quantity.formatSize(value) : Long.toString(value);
        }
        final List<String> choices = new ArrayList<>(List.of(""));
        final Matcher matcher = CHOICE.matcher(row.type());
        while (matcher.find()) {
            choices.add(matcher.group(1));
        }
        if (choices.size() < 3) {
            throw new IllegalStateException("no values are known for " + key + ": " + row);
        }
        return pick(choices.toArray(new String[0]));
    }

    private static long valid(final String key, final long number) {
        return switch (key) {
            case "pool.bufferBytes" -> number > 0 ? number / 64 * 64 : number;
            // One is the node's own, and tests open another.
            case "context.maxContexts" -> number == 1 ? 2 : number;
            default -> number;
        };
    }

    /** Number of this range; -1 to leave the key out, if its default is in it. */
    private long number(final Row row, final long min, final long max) {
        final boolean isPowerOfTwo = row.type().contains("power of two");
        return switch (random.nextInt(4)) {
            case 0 -> min;
            case 1 -> isPowerOfTwo ? Long.highestOneBit(max) : max;
            case 2 -> {
                final double exponent = random.nextDouble();
                final double from = Math.log(min + 1.0);
                final long value =
                        Math.round(Math.exp(from + exponent * (Math.log(max + 1.0) - from)) - 1);
                final long inside = Math.clamp(value, min, max);
                yield isPowerOfTwo ? Math.max(min, Long.highestOneBit(inside)) : inside;
            }
            default -> {
                final long usual = defaultOf(row);
                yield usual >= min && usual <= max ? -1 : min;
            }
        };
    }

    private static long defaultOf(final Row row) {
        return parse(row, row.fallback().replace("`", ""));
    }

    private static long parse(final Row row, final String text) {
        return row.type().startsWith("duration")
                ? Quantity.parseDurationNs(text)
                : row.type().startsWith("size") ? Quantity.parseSizeBytes(text) : Long.decode(text);
    }

    /** The value that a key has in this file, or its default. */
    private long valueOf(final String key) {
        final String text = values.getOrDefault(key, "");
        return text.isEmpty() ? defaultOf(rows.get(key)) : parse(rows.get(key), text);
    }

    // What a key may at least be because of others, which stand before it on the page.
    private long min(final String key) {
        return switch (key) {
            case "flow.maxRetransmit" -> valueOf("flow.minRetransmit");
            case "flow.peerTimeout" -> 2 * valueOf("flow.minRetransmit");
            case "flow.idleTimeout" -> 2 * valueOf("flow.peerTimeout");
            case "flow.maxFlows" -> FLOWS_PER_NODE * nodes();
            case "trunk.maxHoldDown" -> valueOf("trunk.holdDown");
            case "pathHealth.spareHeartbeat", "pathHealth.silence" ->
                    valueOf("pathHealth.heartbeat");
            case "pathHealth.maxHoldDown" -> valueOf("pathHealth.holdDown");
            case "pool.buffers" -> linkBuffers() + ContextConfig.DEFAULT.minContexts();
            case "frame.hopLimit" -> dimensions();
            default -> Long.MIN_VALUE;
        };
    }

    private long max(final String key) {
        return switch (key) {
            case "flow.ackEveryFrames" -> Math.max(1, valueOf("flow.windowFrames") / 2);
            case "flow.reorderingThresholdFrames" -> Math.max(3, valueOf("flow.windowFrames") - 1);
            case "trunk.minFrames" -> valueOf("trunk.failFrames");
            case "context.maxContexts" -> valueOf("pool.buffers") - linkBuffers();
            case "pool.bufferBytes" -> MAX_POOL_BYTES / valueOf("pool.buffers");
            case "socket.mtu" -> valueOf("pool.bufferBytes") - 64;
            default -> Long.MAX_VALUE;
        };
    }

    private long nodes() {
        long nodes = 1;
        for (final String extent : values.get("shape").split("x", -1)) {
            nodes *= Long.parseLong(extent);
        }
        return nodes;
    }

    private int dimensions() {
        return values.get("shape").split("x", -1).length;
    }

    private long linkBuffers() {
        return (long) PoolConfig.BUFFERS_PER_LINK * linkCount();
    }

    private int linkCount() {
        return dimensions() * Integer.parseInt(values.get("links"));
    }

    /** The text of the file. */
    public String text() {
        final Map<String, StringBuilder> sections = new LinkedHashMap<>();
        for (final Map.Entry<String, String> entry : values.entrySet()) {
            if (!entry.getValue().isEmpty()) {
                final int dot = entry.getKey().indexOf('.');
                final String section = dot < 0 ? "" : entry.getKey().substring(0, dot);
                sections.computeIfAbsent(section, name -> new StringBuilder())
                        .append(dot < 0 ? "" : "  ")
                        .append(entry.getKey().substring(dot + 1))
                        .append(": ")
                        .append(entry.getValue())
                        .append('\n');
            }
        }
        final StringBuilder text = new StringBuilder();
        text.append(sections.remove(""));
        sections.forEach((name, lines) -> text.append(name).append(":\n").append(lines));
        return text.toString();
    }
}
