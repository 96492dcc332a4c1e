package io.hxb.manager;

import io.netty.buffer.ByteBuf;

import java.nio.charset.StandardCharsets;

/**
 * A request to the manager or its reply, laid over a buffer. All have {@value #LENGTH} bytes; each
 * request is answered by one reply, in order. Owned by the thread that wrapped it.
 *
 * <pre>
 * offset length meaning (all little-endian)
 *      0      1 version, {@value #VERSION}
 *      1      1 operation, see {@link ManagerOperation}; 128 more in a reply
 *      2      2 request: flags, see {@link #FLAG_PERMANENT}; reply: status, see {@link Status}
 *      4      4 tag, which the reply repeats
 *      8      8 request: number of changes that it expects, 0: any; reply: number of changes now
 *     16      2 VID; 0: as in the table
 *     18      2 kind of peer: see {@link PeerKind}
 *     20      4 index, or how many
 *     24     16 peer: a number as 4 bytes; a MAC address as 6, first byte first; an IPv6 address, or
 *               an IPv4 address mapped to one; the name of a NIC
 *     40      8 first value
 *     48      8 second value
 *     56      8 third value
 * </pre>
 *
 * <table>
 * <caption>Fields that operations use besides the peer</caption>
 * <tr><th>operation</th><th>request</th><th>reply</th></tr>
 * <tr><td>HELLO</td><td></td><td>VID: own default that holds; index: own host; peer: 8 bytes that
 *     tell plans apart, and 2 bytes, the default VID that would hold if it was not dead; values:
 *     own MAC address, hosts, VIDs of the plan</td></tr>
 * <tr><td>GET</td><td></td><td>VID that holds; index: host; values: VID of the table, VID in which
 *     it sends by its own report, or was heard last, VID that this session set; peer: 2 bytes, the VID that
 *     would hold if it was not dead</td></tr>
 * <tr><td>SET, RESET, RESET_ALL</td><td>flags, number, VID of SET</td><td>VID that
 *     holds</td></tr>
 * <tr><td>TABLE_ROW</td><td>index: host; VID; first value: rank</td><td></td></tr>
 * <tr><td>TABLE_PAIR</td><td>index: host; peer: the other one; VID</td><td></td></tr>
 * <tr><td>TABLE_END</td><td>flags</td><td></td></tr>
 * <tr><td>BIND_RANK</td><td>index: rank</td><td></td></tr>
 * <tr><td>TRAFFIC</td><td>index: host from which to look</td><td>VID that holds; index: the first
 *     host to which anything was sent; values: bytes, frames, and a third one of the VID of the
 *     table (bits 0 to 15), the VID heard last (bits 16 to 31), and bit 32 if other sessions, or
 *     lasting settings, claim a path for it</td></tr>
 * <tr><td>VID_TRAFFIC</td><td>index: of the VID in the plan</td><td>VID; values: bytes sent, frames
 *     sent, bytes received</td></tr>
 * <tr><td>NIC</td><td>index</td><td>peer: name; values: MAC address, MTU in bytes, 1 if it is up
 *     and 2^32 for each foreign BPF program at it</td></tr>
 * <tr><td>HOST</td><td>index: host</td><td>VID: its default; first value: MAC address; peer and the
 *     other values: the first 32 bytes of its name</td></tr>
 * <tr><td>WATCH</td><td></td><td>one at once, and one whenever the number of changes has grown; of
 *     several changes in short order only the last may be notified</td></tr>
 * <tr><td>COUNT</td><td>index</td><td>first value; peer and the other values: its name</td></tr>
 * <tr><td>AUTHENTICATE</td><td>index: fingerprint of the key; peer: 16 random bytes</td><td>the
 *     same of the manager; see {@link MessageSeal} for what follows</td></tr>
 * <tr><td>LEASE</td><td>index: for how long, in ms, 0 to give it up; values: who asks, 0 only to
 *     look; generation, at least 1</td><td>index: ms left, 0 if nobody has it; values: who has or
 *     had it last; highest generation so far</td></tr>
 * <tr><td>DEMAND</td><td>index: host that sends; peer: number of the one that receives; first
 *     value: bytes</td><td></td></tr>
 * <tr><td>OPTIMISE</td><td></td><td>index: demands that it is about</td></tr>
 * <tr><td>CHOICE</td><td>index</td><td>VID of a pair; index and peer: its hosts; values: bytes on
 *     the busiest link by the plan, by these choices, and by any, also after the last
 *     one</td></tr>
 * </table>
 */
public final class ManagerMessage {
    /** Version of the layout. */
    public static final int VERSION = 1;

    /** Bytes of a request, and of a reply. */
    public static final int LENGTH = 64;

    /** What is set outlives the session, until a restart of the manager. */
    public static final int FLAG_PERMANENT = 1;

    /** In the third value of a reply to TRAFFIC: others claim a path for this host. */
    public static final long CLAIMED = 1L << 32;

    /** Bytes of the peer. */
    public static final int PEER_LENGTH = 16;

    /** Bytes that a name can have where {@link #hostName} is. */
    public static final int MAX_NAME_BYTES = 32;

    static final int REPLY = 0x80;

    private static final int OPERATION_OFFSET = 1;
    private static final int STATUS_OFFSET = 2;
    private static final int TAG_OFFSET = 4;
    private static final int NUMBER_OFFSET = 8;
    private static final int VID_OFFSET = 16;
    private static final int KIND_OFFSET = 18;
    private static final int INDEX_OFFSET = 20;
    private static final int PEER_OFFSET = 24;
    private static final int VALUES_OFFSET = 40;
    private static final int MAC_BYTES = 6;

    private ByteBuf buffer;
    private int start;

    /** How a request names a host. */
    public enum PeerKind {
        /** Not at all. */
        NONE,
        /** By its number in the table. */
        HOST,
        /** By its MAC address. */
        MAC,
        /** By its IP address, which the kernel must know as a neighbour. */
        IP,
        /** By the MPI rank that this session gave it. */
        RANK
    }

    /** Lays it over the bytes of a buffer from an index on; nothing is checked. */
    public ManagerMessage wrap(final ByteBuf bytes, final int index) {
        buffer = bytes;
        start = index;
        return this;
    }

    /** Sets all to 0, then version and operation. */
    public ManagerMessage clear(final int operation) {
        buffer.setZero(start, LENGTH);
        buffer.setByte(start, VERSION);
        buffer.setByte(start + OPERATION_OFFSET, operation);
        return this;
    }

    /** The version. */
    public int version() {
        return buffer.getUnsignedByte(start);
    }

    /** The code of the operation. */
    public int operation() {
        return buffer.getUnsignedByte(start + OPERATION_OFFSET);
    }

    /** Flags of a request. */
    public int flags() {
        return buffer.getUnsignedShortLE(start + STATUS_OFFSET);
    }

    /** Sets the flags of a request. */
    public ManagerMessage flags(final int value) {
        buffer.setShortLE(start + STATUS_OFFSET, value);
        return this;
    }

    /** The code of a reply's status. */
    public int status() {
        return flags();
    }

    /** The tag. */
    public int tag() {
        return buffer.getIntLE(start + TAG_OFFSET);
    }

    /** Sets the tag. */
    public ManagerMessage tag(final int value) {
        buffer.setIntLE(start + TAG_OFFSET, value);
        return this;
    }

    /** Number of changes, expected or done. */
    public long number() {
        return buffer.getLongLE(start + NUMBER_OFFSET);
    }

    /** Sets the number of changes. */
    public ManagerMessage number(final long value) {
        buffer.setLongLE(start + NUMBER_OFFSET, value);
        return this;
    }

    /** The VID. */
    public int vid() {
        return buffer.getUnsignedShortLE(start + VID_OFFSET);
    }

    /** Sets the VID. */
    public ManagerMessage vid(final int value) {
        buffer.setShortLE(start + VID_OFFSET, value);
        return this;
    }

    /** How the peer is named, null if that is not known. */
    public PeerKind kind() {
        return switch (buffer.getUnsignedShortLE(start + KIND_OFFSET)) {
            case 0 -> PeerKind.NONE;
            case 1 -> PeerKind.HOST;
            case 2 -> PeerKind.MAC;
            case 3 -> PeerKind.IP;
            case 4 -> PeerKind.RANK;
            default -> null;
        };
    }

    private ManagerMessage kind(final PeerKind kind) {
        final int code =
                switch (kind) {
                    case NONE -> 0;
                    case HOST -> 1;
                    case MAC -> 2;
                    case IP -> 3;
                    case RANK -> 4;
                };
        buffer.setShortLE(start + KIND_OFFSET, code);
        return this;
    }

    /** Index or count. */
    public int index() {
        return buffer.getIntLE(start + INDEX_OFFSET);
    }

    /** Sets index or count. */
    public ManagerMessage index(final int value) {
        buffer.setIntLE(start + INDEX_OFFSET, value);
        return this;
    }

    /** The peer as a number: a host or a rank. */
    public int peerNumber() {
        return buffer.getIntLE(start + PEER_OFFSET);
    }

    /** Names the peer by its number. */
    public ManagerMessage peerHost(final int host) {
        buffer.setIntLE(start + PEER_OFFSET, host);
        return kind(PeerKind.HOST);
    }

    /** Names the peer by its rank. */
    public ManagerMessage peerRank(final int rank) {
        buffer.setIntLE(start + PEER_OFFSET, rank);
        return kind(PeerKind.RANK);
    }

    /** The peer's MAC address, first byte highest. */
    public long peerMac() {
        long mac = 0;
        for (int i = 0; i < MAC_BYTES; i++) {
            mac = mac << Byte.SIZE | buffer.getUnsignedByte(start + PEER_OFFSET + i);
        }
        return mac;
    }

    /** Names the peer by its MAC address, first byte highest. */
    public ManagerMessage peerMac(final long mac) {
        for (int i = 0; i < MAC_BYTES; i++) {
            buffer.setByte(
                    start + PEER_OFFSET + i, (int) (mac >>> ((MAC_BYTES - 1 - i) * Byte.SIZE)));
        }
        return kind(PeerKind.MAC);
    }

    /** The bytes of the peer, {@code [16]}. */
    public byte[] peerBytes() {
        final byte[] bytes = new byte[PEER_LENGTH];
        buffer.getBytes(start + PEER_OFFSET, bytes);
        return bytes;
    }

    /** Names the peer by its IP address, {@code [16]}. */
    public ManagerMessage peerIp(final byte[] address) {
        buffer.setBytes(start + PEER_OFFSET, address);
        return kind(PeerKind.IP);
    }

    /** Which plan the manager has. */
    public long fingerprint() {
        return buffer.getLongLE(start + PEER_OFFSET);
    }

    /** Sets which plan the manager has. */
    ManagerMessage fingerprint(final long value) {
        buffer.setLongLE(start + PEER_OFFSET, value);
        return this;
    }

    /** The VID that would hold if it was not dead. */
    public int wantedVid() {
        return buffer.getUnsignedShortLE(start + PEER_OFFSET);
    }

    /** Sets which VID would hold if it was not dead. */
    ManagerMessage wantedVid(final int value) {
        buffer.setShortLE(start + PEER_OFFSET, value);
        return this;
    }

    /** The default VID that would hold if it was not dead. */
    public int wantedDefaultVid() {
        return buffer.getUnsignedShortLE(start + PEER_OFFSET + Long.BYTES);
    }

    /** Sets which default VID would hold if it was not dead. */
    ManagerMessage wantedDefaultVid(final int value) {
        buffer.setShortLE(start + PEER_OFFSET + Long.BYTES, value);
        return this;
    }

    /** Sets 16 random bytes where the peer stands. */
    ManagerMessage nonce(final byte[] nonce) {
        buffer.setBytes(start + PEER_OFFSET, nonce, 0, PEER_LENGTH);
        return this;
    }

    /** Sets a name where the peer and the last two values stand: at most 32 bytes of it. */
    ManagerMessage hostName(final String name) {
        final byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        final int first = Math.min(bytes.length, PEER_LENGTH);
        buffer.setBytes(start + PEER_OFFSET, bytes, 0, first);
        final int rest = Math.min(bytes.length, MAX_NAME_BYTES) - first;
        if (rest > 0) {
            buffer.setBytes(start + VALUES_OFFSET + Long.BYTES, bytes, first, rest);
        }
        return this;
    }

    /** The name where the peer and the last two values stand. */
    public String hostName() {
        final byte[] bytes = new byte[MAX_NAME_BYTES];
        buffer.getBytes(start + PEER_OFFSET, bytes, 0, PEER_LENGTH);
        buffer.getBytes(start + VALUES_OFFSET + Long.BYTES, bytes, PEER_LENGTH, PEER_LENGTH);
        return text(bytes);
    }

    /** The name where the peer stands. */
    public String name() {
        return text(peerBytes());
    }

    private static String text(final byte[] bytes) {
        int length = bytes.length;
        while (length > 0 && bytes[length - 1] == 0) {
            length--;
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    /** One of the 8 words of 8 bytes that it consists of. */
    long word(final int index) {
        return buffer.getLongLE(start + index * Long.BYTES);
    }

    /** Puts a name where the peer stands, at most 16 bytes of it. */
    ManagerMessage name(final byte[] name) {
        buffer.setBytes(start + PEER_OFFSET, name, 0, Math.min(name.length, PEER_LENGTH));
        return this;
    }

    /** One of the three values. */
    public long value(final int i) {
        return buffer.getLongLE(start + VALUES_OFFSET + i * Long.BYTES);
    }

    /** Sets one of the three values. */
    public ManagerMessage value(final int i, final long value) {
        buffer.setLongLE(start + VALUES_OFFSET + i * Long.BYTES, value);
        return this;
    }

    /** Makes it the reply to a request: without peer and values. */
    ManagerMessage reply(final ManagerMessage request) {
        clear(request.operation() | REPLY);
        return tag(request.tag());
    }

    /** Sets the status of a reply. */
    ManagerMessage status(final Status status) {
        return flags(status.code());
    }
}
