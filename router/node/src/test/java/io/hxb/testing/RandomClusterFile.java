package io.hxb.testing;

import io.hxb.config.ClusterKeys;
import io.hxb.config.ConfigKey;
import io.hxb.config.ConfigSection;
import io.hxb.config.ContextConfig;
import io.hxb.config.PoolConfig;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A valid cluster file of UDP links: every key is left out, or at one of its limits, or between
 * them.
 */
public final class RandomClusterFile {
    private static final long MAX_POOL_BYTES = 1L << 30;
    private static final long FLOWS_PER_NODE = 64;
    private static final Pattern CHOICE = Pattern.compile("`([^`]+)`");

    private final SplittableRandom random;
    private final Map<String, String> values = new LinkedHashMap<>();

    /**
     * Draws a file.
     *
     * @param seed decides everything.
     * @param fixed text of keys that are not drawn; an empty text leaves the key out.
     */
    public RandomClusterFile(final long seed, final Map<String, String> fixed) {
        random = new SplittableRandom(seed);
        topology();
        values.putAll(fixed);
        ClusterKeys.PARTS.forEach(part -> draw(part.section()));
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
        values.put("observe.listen", pick("", "none", "127.0.0.1:9110", "\"[::1]:9109\""));
        values.put("observe.token", "");
        values.put("pool.hugePages", pick("", "off", "auto"));
        values.put("socket.kernelRelay", pick("", "off", "auto"));
        values.put("manager.tagger", pick("", "auto", "kernel", "tap"));
        values.put("ip.prefix", "");
        values.put("ip.device", pick("", "hxb0"));
        values.put("ip.tenant", "");
        values.put("ip.routes", "");
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
        // The smallest buffers hold the longest of these.
        values.put("frame.maxBytes", pick("", "0", "256", "448"));
    }

    private String pick(final String... choices) {
        return choices[random.nextInt(choices.length)];
    }

    /** Draws the keys of a section, each within the limits that those before it leave. */
    private <S extends Record> void draw(final ConfigSection<S> section) {
        final Map<String, Object> given = new LinkedHashMap<>();
        for (final ConfigKey<S, ?> key : section.keys()) {
            final String path = section.name() + "." + key.name();
            if (!values.containsKey(path)) {
                values.put(path, draw(path, key, section.with(section.defaults(), given)));
            }
            final String text = values.get(path);
            if (!text.isEmpty() && !key.type().isList()) {
                given.put(key.name(), key.type().parse(text));
            }
        }
    }

    private <S, V> String draw(final String path, final ConfigKey<S, V> key, final S record) {
        if (!key.type().isNumber()) {
            return pick(choices(key));
        }
        final long min = Math.max(key.limits().min(record), min(path));
        final long max = Math.max(min, Math.min(key.limits().max(record), max(path)));
        final long usual = ((Number) key.of(record)).longValue();
        final long number = number(key.type().isPowerOfTwo(), min, max, usual);
        return number < 0 ? "" : key.type().format(key.type().ofNumber(valid(path, number)));
    }

    /** The choices of a key, and leaving it out. */
    private static String[] choices(final ConfigKey<?, ?> key) {
        final List<String> choices = new ArrayList<>(List.of(""));
        final Matcher matcher = CHOICE.matcher(key.type().label());
        while (matcher.find()) {
            choices.add(matcher.group(1));
        }
        if (choices.size() < 3) {
            throw new IllegalStateException("no values are known for " + key);
        }
        return choices.toArray(new String[0]);
    }

    private static long valid(final String path, final long number) {
        return switch (path) {
            case "pool.bufferBytes" -> number / 64 * 64;
            // One is the node's own, and tests open another.
            case "context.maxContexts" -> number == 1 ? 2 : number;
            default -> number;
        };
    }

    /** Number of this range; -1 to leave the key out, if {@code usual} is in it. */
    private long number(
            final boolean isPowerOfTwo, final long min, final long max, final long usual) {
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
            default -> usual >= min && usual <= max ? -1 : min;
        };
    }

    /** The number that a key has in this file, or its default. */
    private long valueOf(final String section, final String name) {
        final ConfigKey<?, ?> key =
                ClusterKeys.all().stream()
                        .filter(entry -> entry.path().equals(section + "." + name))
                        .findFirst()
                        .orElseThrow()
                        .key();
        final String text = values.getOrDefault(section + "." + name, "");
        final Object value = text.isEmpty() ? key.fallback() : key.type().parse(text);
        return ((Number) value).longValue();
    }

    // What a key may at least be because of the other sections, which are drawn before.
    private long min(final String path) {
        return switch (path) {
            case "flow.maxFlows" -> FLOWS_PER_NODE * nodes();
            case "pool.buffers" -> linkBuffers() + ContextConfig.DEFAULT.minContexts();
            case "frame.hopLimit" -> dimensions();
            default -> Long.MIN_VALUE;
        };
    }

    private long max(final String path) {
        return switch (path) {
            case "context.maxContexts" -> valueOf("pool", "buffers") - linkBuffers();
            case "pool.bufferBytes" -> MAX_POOL_BYTES / valueOf("pool", "buffers");
            case "socket.mtu" -> heldBytes();
            default -> Long.MAX_VALUE;
        };
    }

    // What a receive buffer of the configured size holds.
    private long heldBytes() {
        final long bufferBytes = valueOf("pool", "bufferBytes");
        return bufferBytes == 0 ? Integer.MAX_VALUE : bufferBytes - 64;
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
