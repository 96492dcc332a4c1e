package io.hxb.config;

import static io.hxb.config.ConfigKey.advanced;
import static io.hxb.config.ConfigKey.basic;
import static io.hxb.config.ConfigKey.special;
import static io.hxb.config.Limits.any;
import static io.hxb.config.Limits.described;
import static io.hxb.config.Limits.range;
import static io.hxb.config.ValueType.choice;
import static io.hxb.config.ValueType.count;
import static io.hxb.config.ValueType.text;
import static io.hxb.config.ValueType.word;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;

/** All keys of the cluster file. Stateless; any thread may call it. */
public final class ClusterKeys {
    /** The name of the cluster. */
    public static final ConfigKey<ClusterConfig, String> NAME =
            basic(
                    "name",
                    text("word"),
                    "hxb",
                    ClusterConfig::name,
                    described("1 to 63 letters, digits, `_`, `.`, `-`"),
                    "Name of the cluster, which is part of the names of sockets and counter"
                            + " files.");

    /** The number of the cluster. */
    public static final ConfigKey<ClusterConfig, Integer> ID =
            advanced(
                            "id",
                            word(
                                    "number of 32 bits",
                                    ClusterKeys::parseId,
                                    id -> "0x" + Integer.toHexString(id)),
                            (Integer) null,
                            ClusterConfig::clusterId,
                            Limits.<ClusterConfig>described("not 0"),
                            "Identifies the cluster in every frame; frames with another id are"
                                    + " dropped and counted.")
                    .withFallbackText("made from `name`");

    /** Kinds of links. */
    public static final ConfigKey<ClusterConfig, Backend> BACKEND =
            basic(
                    "backend",
                    choice(Backend.class),
                    Backend.UDP,
                    ClusterConfig::backend,
                    any(),
                    "Frames are sent over AF_PACKET on NICs, or over UDP.");

    /** The network namespace of all nodes. */
    public static final ConfigKey<LinkPlan, String> NETNS =
            basic(
                    "netns",
                    text("word"),
                    "",
                    LinkPlan::netns,
                    any(),
                    "Network namespace of the NICs; `{node}` stands for the node id.");

    /** The host of links in the section {@code udp}. */
    public static final ConfigKey<LinkPlan, String> UDP_HOST =
            basic(
                    "host",
                    text("name or address"),
                    LinkPlan.DEFAULT_UDP_HOST,
                    LinkPlan::udpHost,
                    any(),
                    "Host of the UDP links that have no address of their own; `{node}` stands for"
                            + " the node id.");

    /** The first port in the section {@code udp}. */
    public static final ConfigKey<LinkPlan, Integer> UDP_BASE_PORT =
            basic(
                    "basePort",
                    count("port"),
                    LinkPlan.DEFAULT_UDP_BASE_PORT,
                    LinkPlan::udpBasePort,
                    range(1, 65_535),
                    "Port of the first link of node 0; the other ports follow.");

    /** The sections whose keys are plain, in the order in which they are written. */
    public static final List<Part<?>> PARTS =
            List.of(
                    new Part<>(FlowConfig.KEYS, ClusterConfig::flow, ClusterConfig.Builder::flow),
                    new Part<>(
                            TrunkConfig.KEYS, ClusterConfig::trunk, ClusterConfig.Builder::trunk),
                    new Part<>(
                            FrameConfig.KEYS, ClusterConfig::frame, ClusterConfig.Builder::frame),
                    new Part<>(PoolConfig.KEYS, ClusterConfig::pool, ClusterConfig.Builder::pool),
                    new Part<>(LoopConfig.KEYS, ClusterConfig::loop, ClusterConfig.Builder::loop),
                    new Part<>(
                            SocketConfig.KEYS,
                            ClusterConfig::socket,
                            ClusterConfig.Builder::socket),
                    new Part<>(
                            ContextConfig.KEYS,
                            ClusterConfig::context,
                            ClusterConfig.Builder::context),
                    new Part<>(
                            LimitConfig.KEYS, ClusterConfig::limits, ClusterConfig.Builder::limits),
                    new Part<>(
                            AttachConfig.KEYS,
                            ClusterConfig::attach,
                            ClusterConfig.Builder::attach),
                    new Part<>(
                            SecurityConfig.KEYS,
                            ClusterConfig::security,
                            ClusterConfig.Builder::security),
                    new Part<>(
                            ManagerConfig.KEYS,
                            ClusterConfig::manager,
                            ClusterConfig.Builder::manager),
                    new Part<>(
                            PathHealthConfig.KEYS,
                            ClusterConfig::pathHealth,
                            ClusterConfig.Builder::pathHealth),
                    new Part<>(IpConfig.KEYS, ClusterConfig::ip, ClusterConfig.Builder::ip),
                    new Part<>(
                            ObserveConfig.KEYS,
                            ClusterConfig::observe,
                            ClusterConfig.Builder::observe));

    private static final List<ConfigKey<?, ?>> TOPOLOGY =
            List.of(
                    NAME,
                    ID,
                    special(
                            "cabling",
                            "`hyper-crossbar` or `any`",
                            "`hyper-crossbar`",
                            "",
                            "Whether all nodes that differ in one coordinate are joined, or nodes"
                                    + " are cabled in any way; see [Any cabling](#any-cabling)."),
                    special(
                            "shape",
                            "extents such as `4x4x2`",
                            "none, required",
                            "1 to 8 dimensions of 1 to 256, at most 2^20 nodes; not with `cabling:"
                                    + " any`",
                            "Extent of each dimension, X first."),
                    special(
                            "maxNodes",
                            "number",
                            "63",
                            "2..255; only with `cabling: any`",
                            "How many nodes there may be; their numbers are below it."),
                    BACKEND,
                    special(
                            "nics",
                            "list of NIC names",
                            "none, required with `cabling: any`",
                            "1 to 8; only with `cabling: any`",
                            "NICs of each node; a mapping such as `{mac: ...}` as in `links`."),
                    special(
                            "links",
                            "number, list or mapping by dimension",
                            "none, required",
                            "1 to 8 a dimension",
                            "NICs of raw links, number of UDP links, or their addresses such as"
                                    + " `10.0.0.1:20000`; see [Links](#links)."),
                    NETNS,
                    special(
                            "orders",
                            "`default`, `all` or a list such as `[x-y-z, z-y-x]`",
                            "`default`",
                            "each names each dimension once",
                            "Dimension orders over which sources spread their frames; `default`"
                                    + " begins with X."));

    private static final List<ConfigKey<?, ?>> NODE =
            List.of(
                    special(
                            "links",
                            "as `links`",
                            "`links`",
                            "as many as `links`",
                            "Other links of one node."),
                    special(
                            "nics",
                            "as `nics`",
                            "`nics`",
                            "1 to 8; only with `cabling: any`",
                            "Other NICs of one node."),
                    special("host", "name or address", "`udp.host`", "", "Other host of one node."),
                    special(
                            "netns",
                            "word",
                            "`netns`",
                            "",
                            "Other network namespace of one node."));

    private static final ConfigKey<?, ?> HOST =
            special(
                    "NAME",
                    "coordinates such as `1,0,2`",
                    "none",
                    "within the shape, each once",
                    "The node that runs on the host of this name.");

    private static final List<ConfigKey<?, ?>> TENANT =
            List.of(
                    special(
                            "uids",
                            "list of user ids, ranges such as `1000-1999`, and names",
                            "`[]`",
                            "each in one tenant",
                            "Users who belong to the tenant; see [Tenants](#tenants)."),
                    special(
                            "gids",
                            "list of group ids, ranges and names",
                            "`[]`",
                            "each in one tenant",
                            "Groups whose members belong to the tenant, supplementary groups"
                                    + " included."),
                    special(
                            "contexts",
                            "list of contexts and ranges such as `1-15`",
                            "`[]`",
                            "below `context.maxContexts`",
                            "Contexts that its users may open; an empty list allows any."),
                    special(
                            "talksTo",
                            "list of tenants",
                            "`[]`",
                            "tenants of the file, `operator`",
                            "Tenants, in addition to its own, to whose contexts its contexts may"
                                    + " send."),
                    special(
                            "limits",
                            "mapping with the keys of `limits`",
                            "none",
                            "as `limits`",
                            "Limits of all its users together at one node."),
                    special(
                            "userLimits",
                            "mapping with the keys of `limits`",
                            "`limits`",
                            "as `limits`",
                            "Limits of each of its users at one node."));

    private ClusterKeys() {}

    /**
     * A section whose keys are plain. Immutable.
     *
     * @param section its keys.
     * @param accessor gives its record.
     * @param setter takes another record.
     */
    public record Part<S extends Record>(
            ConfigSection<S> section,
            Function<ClusterConfig, S> accessor,
            BiConsumer<ClusterConfig.Builder, S> setter) {
        private Stream<Entry> entries() {
            final S defaults = section.defaults();
            return section.keys().stream().map(key -> entry(section.name() + ".", key, defaults));
        }
    }

    /**
     * A key as the documentation describes it. Immutable.
     *
     * @param path the key with its section, such as {@code flow.windowFrames}.
     * @param key the key.
     * @param limits what is allowed where all other keys have their defaults.
     */
    public record Entry(String path, ConfigKey<?, ?> key, String limits) {
        @Override
        public String toString() {
            return path;
        }
    }

    private static <R> Entry entry(
            final String prefix, final ConfigKey<R, ?> key, final R defaults) {
        return new Entry(prefix + key.name(), key, key.documentedLimits(defaults));
    }

    private static Stream<Entry> entries(
            final String prefix, final List<? extends ConfigKey<?, ?>> keys) {
        return keys.stream().map(key -> entry(prefix, key, null));
    }

    /** Every key of the file, in the order of the documentation. */
    public static List<Entry> all() {
        return Stream.of(
                        entries("", TOPOLOGY),
                        entries("udp.", List.of(UDP_HOST, UDP_BASE_PORT)),
                        entries("nodes.COORDINATES.", NODE),
                        entries("hosts.", List.of(HOST)),
                        PARTS.stream().flatMap(Part::entries),
                        entries("tenants.NAME.", TENANT))
                .flatMap(entries -> entries)
                .toList();
    }

    private static int parseId(final String text) {
        try {
            final long id = Long.decode(text);
            if (id >= Integer.MIN_VALUE && id < 1L << 32) {
                return (int) id;
            }
        } catch (final NumberFormatException e) {
            // Falls through to the message that also fits numbers out of range.
        }
        throw new IllegalArgumentException(
                "must be a number of 32 bits such as 7 or 0x1f, not '" + text + "'");
    }
}
