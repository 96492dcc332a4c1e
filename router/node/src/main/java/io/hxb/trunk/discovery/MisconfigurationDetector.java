package io.hxb.trunk.discovery;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.HelloFlyweight;
import io.hxb.frame.MisconfigurationFlyweight;
import io.hxb.log.Printable;
import io.hxb.session.ClusterKey;
import io.hxb.session.KeyRing;
import io.hxb.trunk.NodeIdentity;
import io.hxb.trunk.Port;

/**
 * Describes what is wrong between this node and those it hears. Guarded by the lock of {@link
 * Discovery}.
 */
final class MisconfigurationDetector {
    private static final String OTHER_FILES =
            " have different cluster files: give both the same file; at least name, shape, links,"
                    + " the numbers and crc of frame, security.mode, and frame.maxBytes and"
                    + " pool.bufferBytes, which bound the longest frame, have to be equal";

    private static final String REPLUG = " are on one switch: replug one of them";

    private final NodeIdentity self;
    private final MisconfigurationLog misconfigurationLog;
    private final InterchangedCables cables = new InterchangedCables();
    private final SharedSegments segments = new SharedSegments();
    // Nothing is remembered of ports while every one is heard where it belongs.
    private boolean hasOtherLinks;

    MisconfigurationDetector(
            final NodeIdentity self, final MisconfigurationLog misconfigurationLog) {
        this.self = self;
        this.misconfigurationLog = misconfigurationLog;
    }

    /** What is wrong with a neighbour that claims to be at {@code source}; 0 if nothing. */
    int misplacement(final Port port, final long source, final HelloFlyweight hello) {
        final long difference = source ^ self.here();
        final boolean isOfThisShape = self.shape().node(source) >= 0;
        if (hello.fingerprint() != self.fingerprint() || !isOfThisShape) {
            return MisconfigurationFlyweight.OTHER_FINGERPRINT;
        }
        if (difference == 0) {
            return duplicate(port, hello);
        }
        if (hello.dimension() != port.dimension()) {
            return MisconfigurationFlyweight.WRONG_DIMENSION;
        }
        if ((difference & ~(0xFFL << (8 * port.dimension()))) != 0) {
            return MisconfigurationFlyweight.WRONG_LINE;
        }
        if (!self.shape().isAnyCabling() && hello.linkNumber() != port.number()) {
            return MisconfigurationFlyweight.WRONG_LINK_NUMBER;
        }
        if (hasOtherLinks) {
            cables.onInPlace(port, source);
            segments.onInPlace(port, source);
        }
        return hello.mtuBytes() != port.link().mtuBytes()
                ? MisconfigurationFlyweight.MTU_DIFFERS
                : 0;
    }

    /** Another node with these coordinates, or two ports of this node on one switch. */
    private int duplicate(final Port port, final HelloFlyweight hello) {
        if (hello.incarnation() != self.incarnation()) {
            return MisconfigurationFlyweight.DUPLICATE_COORDINATE;
        }
        return hello.dimension() == port.dimension()
                ? MisconfigurationFlyweight.WRONG_LINK_NUMBER
                : MisconfigurationFlyweight.WRONG_DIMENSION;
    }

    /** Notes that a neighbour is in the wrong place. */
    void onMisplaced(
            final Port port,
            final int kind,
            final long source,
            final HelloFlyweight hello,
            final long nowNs) {
        if (!misconfigurationLog.count(kind, port.link().index(), nowNs)) {
            return;
        }
        final String other = "(" + self.shape().format(source) + ")";
        final String otherPort = Port.label(hello.dimension(), hello.linkNumber());
        final String ends =
                port.label() + " of " + hereText() + " and " + otherPort + " of " + other;
        final String host = host(hello);
        final String text =
                switch (kind) {
                    case MisconfigurationFlyweight.OTHER_FINGERPRINT ->
                            ends
                                    + host
                                    + (self.shape().node(source) < 0
                                            ? " have different cluster files, and the latter is"
                                                    + " beyond the shape "
                                                    + self.shape()
                                                    + " of this one: after a shape has grown, give"
                                                    + " all nodes the new file, and start all of"
                                                    + " them again"
                                            : OTHER_FILES);
                    case MisconfigurationFlyweight.DUPLICATE_COORDINATE ->
                            "two nodes have the coordinates "
                                    + hereText()
                                    + ": this one and one"
                                    + host
                                    + ", seen on "
                                    + port.label()
                                    + ": start one of them with its own --node";
                    case MisconfigurationFlyweight.MTU_DIFFERS ->
                            ends
                                    + " have different MTUs, "
                                    + port.link().mtuBytes()
                                    + " and "
                                    + hello.mtuBytes()
                                    + " bytes: set both NICs to the same";
                    case MisconfigurationFlyweight.WRONG_LINE ->
                            ends
                                    + host
                                    + " are on one switch but not on one line: replug one of them";
                    case MisconfigurationFlyweight.WRONG_LINK_NUMBER ->
                            onOtherLink(port, source, hello, ends + host);
                    default -> ends + host + REPLUG;
                };
        if (text != null) {
            misconfigurationLog.add(kind, port.link().index(), text, nowNs);
        }
    }

    /** What is wrong where two links of one trunk meet; null while that is not known. */
    private String onOtherLink(
            final Port port, final long source, final HelloFlyweight hello, final String ends) {
        final int number = hello.linkNumber();
        if (source == self.here()) {
            return shared(port, source, hello);
        }
        hasOtherLinks = true;
        final InterchangedCables.Pair pair =
                cables.onMisplaced(port, source, Port.label(port.dimension(), number));
        return switch (segments.onMisplaced(port, source, number)) {
            case UNKNOWN -> null;
            case SHARED -> shared(port, source, hello);
            case ALONE -> pair == null ? ends + REPLUG : interchanged(port, source, pair);
        };
    }

    private String shared(final Port port, final long source, final HelloFlyweight hello) {
        final int number = hello.linkNumber();
        return Port.label(port.dimension(), Math.min(port.number(), number))
                + " and "
                + Port.label(port.dimension(), Math.max(port.number(), number))
                + " of ("
                + self.shape().format(source)
                + ")"
                + host(hello)
                + " are on one switch or cable: give each link a switch, VLAN or cable of its own"
                + " on all nodes, or leave one of both NICs out under links in the cluster file";
    }

    private String interchanged(
            final Port port, final long source, final InterchangedCables.Pair pair) {
        final String there = "(" + self.shape().format(source) + ")";
        final boolean isPortFirst = port.link().index() < pair.other().link().index();
        return "the cables of "
                + (isPortFirst ? port : pair.other()).label()
                + " and "
                + (isPortFirst ? pair.other() : port).label()
                + " of "
                + switch (pair.place()) {
                    case HERE -> hereText();
                    case THERE -> there;
                    case EITHER -> hereText() + " or " + there;
                }
                + " are interchanged: plug them the other way round, or give that node its two NICs"
                + " in the other order under nodes in the cluster file";
    }

    private static String host(final HelloFlyweight hello) {
        final String name = Printable.of(hello.name(), HelloFlyweight.MAX_NAME_LENGTH);
        return name.isEmpty() ? "" : " on host " + name;
    }

    /**
     * Notes that somebody claims to be a neighbour that has another link address.
     *
     * @param known the address that the neighbour has.
     * @param claimed the address that the hello came from.
     */
    void onOtherAddress(
            final Port port,
            final long source,
            final HelloFlyweight hello,
            final long known,
            final long claimed,
            final long nowNs) {
        final int kind = MisconfigurationFlyweight.DUPLICATE_COORDINATE;
        final int link = port.link().index();
        if (misconfigurationLog.count(kind, link, nowNs)) {
            misconfigurationLog.add(
                    kind,
                    link,
                    port.link().format(claimed)
                            + host(hello)
                            + ", seen on "
                            + port.label()
                            + " of "
                            + hereText()
                            + ", claims to be ("
                            + self.shape().format(source)
                            + "), which is at "
                            + port.link().format(known)
                            + ": start each node with its own --node, or correct the cluster file",
                    nowNs);
        }
    }

    /** Notes that a neighbour reports, if it reports this node. */
    void onMisconfiguration(
            final Port port,
            final long source,
            final MisconfigurationFlyweight misconfiguration,
            final long nowNs) {
        if (misconfiguration.otherCoordinates() != self.here()
                || source == self.here()
                || !misconfigurationLog.count(
                        misconfiguration.kind(), port.link().index(), nowNs)) {
            return;
        }
        misconfigurationLog.addReported(
                misconfiguration.kind(),
                port.link().index(),
                "("
                        + self.shape().format(source)
                        + ") on "
                        + port.label()
                        + " reports "
                        + hereText()
                        + ": "
                        + describe(misconfiguration.kind()),
                nowNs);
    }

    private static String describe(final int kind) {
        return switch (kind) {
            case MisconfigurationFlyweight.DUPLICATE_COORDINATE ->
                    "two nodes have the same coordinates: start one of them with its own --node";
            case MisconfigurationFlyweight.WRONG_LINE ->
                    "these ports are not on one line: replug one of them";
            case MisconfigurationFlyweight.WRONG_DIMENSION ->
                    "these ports are of different dimensions: replug one of them";
            case MisconfigurationFlyweight.WRONG_LINK_NUMBER ->
                    "these ports have different numbers: the log there has what to replug";
            case MisconfigurationFlyweight.OTHER_CLUSTER ->
                    "these nodes are of different clusters: separate them, or give both the same"
                            + " cluster name";
            case MisconfigurationFlyweight.OTHER_FINGERPRINT -> "these nodes" + OTHER_FILES;
            case MisconfigurationFlyweight.OTHER_VERSION ->
                    "these nodes run different versions of HXB: install one release on all nodes";
            case MisconfigurationFlyweight.MTU_DIFFERS ->
                    "these ports have different MTUs: set both NICs to the same";
            case MisconfigurationFlyweight.OTHER_KEY ->
                    "these nodes have no key in common: give both the same file of security.keys";
            case MisconfigurationFlyweight.DUPLICATE_ADDRESS ->
                    "two NICs have the same MAC address: give one of them another";
            default -> "misconfiguration " + kind + ": install one release of HXB on all nodes";
        };
    }

    /** Notes that a NIC of another node has the MAC address of a port of this node. */
    void onSameAddress(
            final Port port, final long source, final HelloFlyweight hello, final long nowNs) {
        final int index = port.link().index();
        if (self.shape().node(source) < 0
                || !misconfigurationLog.count(
                        MisconfigurationFlyweight.DUPLICATE_ADDRESS, index, nowNs)) {
            return;
        }
        final String nic = port.link().name();
        misconfigurationLog.add(
                MisconfigurationFlyweight.DUPLICATE_ADDRESS,
                index,
                port.label()
                        + " of "
                        + hereText()
                        + " and "
                        + Port.label(hello.dimension(), hello.linkNumber())
                        + " of ("
                        + self.shape().format(source)
                        + ")"
                        + host(hello)
                        + " have the same MAC address: give one of the NICs another, here by ip"
                        + " link set "
                        + nic
                        + " address 02:00:00:00:00:01 with digits of its own",
                nowNs);
    }

    /** Notes that a neighbour uses another version of the frame layout. */
    void onOtherVersion(final Port port, final int version, final long nowNs) {
        if (!misconfigurationLog.count(
                MisconfigurationFlyweight.OTHER_VERSION, port.link().index(), nowNs)) {
            return;
        }
        misconfigurationLog.add(
                MisconfigurationFlyweight.OTHER_VERSION,
                port.link().index(),
                "a neighbour on "
                        + port.label()
                        + " of "
                        + hereText()
                        + " uses version "
                        + version
                        + " of the frame layout, this node "
                        + FrameHeaderFlyweight.VERSION
                        + ": install one release of HXB on all nodes",
                nowNs);
    }

    /**
     * Notes hellos of a node of this cluster that has another key. Nothing about it is certain.
     *
     * @param ring the keys of this node.
     */
    void onOtherKey(
            final Port port, final HelloFlyweight stranger, final KeyRing ring, final long nowNs) {
        misconfigurationLog.add(
                MisconfigurationFlyweight.OTHER_KEY,
                port.link().index(),
                "a node on "
                        + port.label()
                        + " of "
                        + hereText()
                        + " has "
                        + keys(stranger.keyId(), stranger.otherKeyId())
                        + ", this node has "
                        + keys(ring.id(0), ring.id(1))
                        + ": give both the same file of security.keys",
                nowNs);
    }

    private static String keys(final int first, final int second) {
        return first == 0
                ? "no key"
                : second == 0
                        ? "key " + ClusterKey.text(first)
                        : "keys " + ClusterKey.text(first) + " and " + ClusterKey.text(second);
    }

    /** Notes that another cluster is on the segment. */
    void onOtherCluster(final Port port, final int clusterId, final long nowNs) {
        if (!misconfigurationLog.count(
                MisconfigurationFlyweight.OTHER_CLUSTER, port.link().index(), nowNs)) {
            return;
        }
        misconfigurationLog.add(
                MisconfigurationFlyweight.OTHER_CLUSTER,
                port.link().index(),
                port.label()
                        + " of "
                        + hereText()
                        + " shares a switch with cluster "
                        + Integer.toHexString(clusterId)
                        + ", ours is "
                        + Integer.toHexString(self.clusterId())
                        + ": separate them, or give both the same cluster name",
                nowNs);
    }

    private String hereText() {
        return "(" + self.shape().format(self.here()) + ")";
    }
}
