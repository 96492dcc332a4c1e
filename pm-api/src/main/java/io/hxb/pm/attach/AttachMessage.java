package io.hxb.pm.attach;

import io.hxb.linux.Memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * A message between an application and its node over the node's Unix socket: a request, or a reply
 * to one. It has memory of its own; owned by one thread at a time.
 *
 * <p>An application lends its node all the memory that the two share, except what the node alone
 * writes: it makes files in memory (see MemoryFile) of {@link #PIECE_BYTES} each, the last as long
 * as the rest needs in whole pages, and passes them in order. So the memory is charged to the
 * application, and the node can give it back in small steps.
 *
 * <p>Header, HELLO and refusals stay as they are in all versions. A HELLO has the oldest version
 * that the application supports in its header and the newest as its argument; the node chooses the
 * newest that both support for all that follows, or refuses with the application's oldest version
 * in the header and the versions of both in the text.
 *
 * <pre>
 * offset length meaning (little-endian); always 512 bytes
 *      0      4 magic
 *      4      2 version
 *      6      2 type; a reply has REPLY added
 *      8      4 status of a reply: 0 done, 1 refused, 2 refused for the moment
 *     12      4 number of the request; its reply has the same
 *     16     8*8 arguments, see below
 *     80      4 length of the text
 *     84    428 why it was refused, UTF-8
 *
 * type            arguments of the request               of the reply              descriptors
 * HELLO           newest version supported, or 0         receive pool bytes or 0,  reply: page, and
 *                                                        min delivery entries,     pool if not 0
 *                                                        own receive buffers of a
 *                                                        context or 0, bytes of a
 *                                                        direct ring or 0, 1 if it
 *                                                        answers LIST_FLOWS
 * LEND            id of the memory, bytes, 1 if the node -
 *                 writes to it too (control memory, send
 *                 pool, own receive buffers, remote
 *                 memory), 0 (region), 2 (region that
 *                 the node writes to too)
 * ADD_PIECES      id of the memory, number of pieces     -                         request: 1 to 8
 *                                                                                  pieces
 * OPEN_CONTEXT    id, send buffers, bytes of each,       loop                      reply: wake
 *                 delivery entries, ns to wait for                                 application, wake
 *                 peers' contexts, ids of control                                  node
 *                 memory, send pool and own
 *                 receive buffers or 0
 * CLOSE_CONTEXT   id; its memory comes back too          no reply
 * TAKE_BACK       id of the memory                       no reply
 * OPEN_REMOTE     context, operations, notifications,    -
 *                 fragments, id of the memory
 * SHARE           id of a region, rights                 key
 * REVOKE          key                                    -
 * OFFER_DIRECT    id of the own context, of its peer     number of the ring        request: records,
 *                                                                                  page; reply: wake
 *                                                                                  peer
 * DIRECT_CHANGE   id of the own context                  kind, see DirectChange,   reply, if a ring
 *                                                        id of the peer, bytes of  is offered:
 *                                                        a ring that is offered,   records, page,
 *                                                        number of the ring        wake peer
 * LIST_FLOWS      whose view, see FlowListing            flows in the memory,      request: memory
 *                                                        flows in all, ns of the
 *                                                        node's clock
 * </pre>
 *
 * <p>The five before LIST_FLOWS, and regions that the node writes to, are of version 3.
 */
public final class AttachMessage {
    /** Bytes of every message. */
    public static final int LENGTH_BYTES = 512;

    /** Bytes of a piece of memory that is lent. */
    public static final int PIECE_BYTES = 4 << 20;

    /** Ids of memory are 1 to this - 1. */
    public static final int MEMORY_IDS = 1024;

    /** First request on a connection. */
    public static final int HELLO = 1;

    /** Opens a context. */
    public static final int OPEN_CONTEXT = 2;

    /** Closes a context. */
    public static final int CLOSE_CONTEXT = 3;

    /** Announces memory. */
    public static final int LEND = 4;

    /** Passes pieces of memory that was announced. */
    public static final int ADD_PIECES = 5;

    /** Takes memory back. */
    public static final int TAKE_BACK = 6;

    /** Lets a context use remote memory. */
    public static final int OPEN_REMOTE = 8;

    /** Shares a region with all that know the key. */
    public static final int SHARE = 9;

    /** Ends the sharing by a key. */
    public static final int REVOKE = 10;

    /** Offers another context a ring. */
    public static final int OFFER_DIRECT = 16;

    /** Asks for a change of the rings of a context. */
    public static final int DIRECT_CHANGE = 17;

    /** Asks who talks to whom, see {@link FlowListing}. */
    public static final int LIST_FLOWS = 18;

    /** Argument of LEND: a region that the node only reads. */
    public static final int READ_REGION = 0;

    /** Argument of LEND: memory of a context. */
    public static final int CONTEXT_MEMORY = 1;

    /** Argument of LEND: a region that the node writes to, too. */
    public static final int WRITTEN_REGION = 2;

    private static final int REPLY = 0x80;
    private static final int MAGIC = 0x5042_5848;
    private static final int VERSION = 4;
    private static final int OLDEST_VERSION = 2;
    private static final int DIRECT_VERSION = 3;
    private static final int REMOTE_MEMORY_VERSION = 3;
    private static final int WORDS_VERSION = 4;
    private static final int DONE = 0;
    private static final int REFUSED = 1;
    private static final int REFUSED_FOR_NOW = 2;
    private static final int VERSION_OFFSET = 4;
    private static final int TYPE = 6;
    private static final int STATUS = 8;
    private static final int NUMBER = 12;
    private static final int ARGUMENTS = 16;
    private static final int TEXT_LENGTH = 80;
    private static final int TEXT = 84;

    private final MemorySegment segment = Arena.ofAuto().allocate(LENGTH_BYTES, 8);
    private final long address = segment.address();
    private int spokenVersion = VERSION;

    /** Makes an empty message. */
    public AttachMessage() {
        // Filled by request, reply or a receive call.
    }

    /** Address of the {@link #LENGTH_BYTES} bytes. */
    public long address() {
        return address;
    }

    /** Makes it a request of {@code type} without arguments. */
    public AttachMessage request(final int type) {
        Memory.fill(address, LENGTH_BYTES, 0);
        Memory.putInt(address, MAGIC);
        Memory.putShort(address + VERSION_OFFSET, spokenVersion);
        Memory.putShort(address + TYPE, type);
        return this;
    }

    /** Makes it the first request on a connection, which offers the supported versions. */
    public AttachMessage hello() {
        request(HELLO).argument(0, VERSION);
        Memory.putShort(address + VERSION_OFFSET, OLDEST_VERSION);
        return this;
    }

    /** Lets requests made from now on have the version of a reply. */
    public AttachMessage useVersionOf(final AttachMessage reply) {
        spokenVersion = reply.version();
        return this;
    }

    /**
     * True if both ends support a version with direct rings; of a reply to HELLO and later ones.
     */
    public boolean hasDirectRings() {
        return version() >= DIRECT_VERSION;
    }

    /** True if remote memory is known in the version of the reply that this is. */
    public boolean knowsRemoteMemory() {
        return version() >= REMOTE_MEMORY_VERSION;
    }

    /**
     * True if the node wakes threads on words of memory in the version of the reply that this is.
     */
    public boolean supportsFutexWords() {
        return version() >= WORDS_VERSION;
    }

    private int version() {
        return Memory.getUnsignedShort(address + VERSION_OFFSET);
    }

    /** Newest version that the sender of this supports: only a HELLO offers several. */
    private int newestVersion() {
        final boolean isOffer = type() == HELLO && !isReply();
        return isOffer ? Math.clamp(argument(0), version(), 0xFFFF) : version();
    }

    private int replyVersion() {
        if (Memory.getInt(address) != MAGIC) {
            return VERSION;
        }
        return isVersionKnown() ? Math.min(newestVersion(), VERSION) : version();
    }

    private boolean isVersionKnown() {
        return version() <= VERSION && newestVersion() >= OLDEST_VERSION;
    }

    /** Gives a request its number, by which its reply is known. */
    public AttachMessage number(final int number) {
        Memory.putInt(address + NUMBER, number);
        return this;
    }

    /** Number of the request that this is, or that this is the reply to. */
    public int number() {
        return Memory.getInt(address + NUMBER);
    }

    /**
     * Makes the request that it is the reply to it, done, without arguments, of its version; to a
     * HELLO of the newest that both support.
     */
    public AttachMessage reply(final int type) {
        final int number = number();
        final int version = replyVersion();
        request(type | REPLY).number(number);
        Memory.putShort(address + VERSION_OFFSET, version);
        return this;
    }

    /** Makes it a refusal of a request of {@code type}; the text is cut when it is too long. */
    public AttachMessage refusal(final int type, final String text) {
        reply(type);
        Memory.putInt(address + STATUS, REFUSED);
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        final int length = Math.min(bytes.length, LENGTH_BYTES - TEXT);
        MemorySegment.copy(bytes, 0, segment, ValueLayout.JAVA_BYTE, TEXT, length);
        Memory.putInt(address + TEXT_LENGTH, length);
        return this;
    }

    /** Marks a refusal: the same request may be granted soon. */
    public AttachMessage forNow() {
        Memory.putInt(address + STATUS, REFUSED_FOR_NOW);
        return this;
    }

    /**
     * Checks what was received.
     *
     * @param lengthBytes bytes received.
     * @return null if it is a message of a supported version, otherwise what is wrong with it.
     */
    public String problem(final int lengthBytes) {
        if (lengthBytes != LENGTH_BYTES) {
            return "a message of " + lengthBytes + " bytes instead of " + LENGTH_BYTES;
        }
        if (Memory.getInt(address) != MAGIC) {
            return "a message that is not HXB's";
        }
        if (isVersionKnown()) {
            return null;
        }
        final int newest = newestVersion();
        final String theirs =
                version() == newest
                        ? "version " + newest
                        : "versions " + version() + " to " + newest;
        return theirs
                + " of the attach protocol instead of "
                + VERSION
                + " (the application's hxb-pm-api or libhxb and its node have to be of one HXB"
                + " release)";
    }

    /** Type of a request; of a reply the type of its request. */
    public int type() {
        return Memory.getUnsignedShort(address + TYPE) & ~REPLY;
    }

    /** True for a reply. */
    public boolean isReply() {
        return (Memory.getUnsignedShort(address + TYPE) & REPLY) != 0;
    }

    /** True for a reply that refuses. */
    public boolean isRefusal() {
        return Memory.getInt(address + STATUS) != DONE;
    }

    /** True for a refusal of what may be granted soon. */
    public boolean isForNow() {
        return Memory.getInt(address + STATUS) == REFUSED_FOR_NOW;
    }

    /** Why a request was refused. */
    public String text() {
        final int length = Math.clamp(Memory.getInt(address + TEXT_LENGTH), 0, LENGTH_BYTES - TEXT);
        final byte[] bytes = new byte[length];
        MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, TEXT, bytes, 0, length);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Argument {@code index}, 0 to 7. */
    public long argument(final int index) {
        return Memory.getLong(address + ARGUMENTS + 8L * index);
    }

    /** Sets argument {@code index}, 0 to 7. */
    public AttachMessage argument(final int index, final long value) {
        Memory.putLong(address + ARGUMENTS + 8L * index, value);
        return this;
    }
}
