package io.hxb.tool.capture;

import io.hxb.linux.Memory;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Copies a pcapng file block by block and opens the frames in it; blocks of other kinds stay as
 * they are. Owned by one thread.
 *
 * <p>Source: draft-ietf-opsawg-pcapng, 4.
 */
final class PcapCopy implements AutoCloseable {
    private static final int SECTION_HEADER = 0x0A0D_0D0A;
    private static final int INTERFACE_DESCRIPTION = 1;
    private static final int ENHANCED_PACKET = 6;
    private static final int BYTE_ORDER_MAGIC = 0x1A2B_3C4D;
    private static final int LINKTYPE_ETHERNET = 1;
    private static final int OPT_COMMENT = 1;
    private static final int IF_DESCRIPTION = 3;
    private static final int BLOCK_HEAD = 8;
    private static final int BLOCK_FRAME = 12;
    private static final int PACKET_HEAD = 20;
    private static final int INTERFACE_HEAD = 8;
    private static final int OPTION_HEAD = 4;
    private static final int MAX_BLOCK_BYTES = 1 << 24;
    private static final int MAX_OPENED_BYTES = 1 << 18;

    private final InputStream from;
    private final OutputStream to;
    private final OpenedFrames opened;
    private final String note;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment frame = arena.allocate(MAX_OPENED_BYTES, 8);
    private final List<Integer> linkTypes = new ArrayList<>();
    private ByteOrder order;
    private long frames;

    /**
     * Makes one.
     *
     * @param note added to the description of each interface.
     */
    PcapCopy(
            final InputStream from,
            final OutputStream to,
            final OpenedFrames opened,
            final String note) {
        this.from = from;
        this.to = to;
        this.opened = opened;
        this.note = note;
    }

    /**
     * Copies everything.
     *
     * @throws IOException if the file is not pcapng or ends within a block; what came before is
     *     copied.
     */
    void run() throws IOException {
        byte[] head = from.readNBytes(BLOCK_HEAD);
        while (head.length > 0) {
            copyBlock(head);
            head = from.readNBytes(BLOCK_HEAD);
        }
        if (order == null) {
            throw new IOException("it is empty");
        }
    }

    /** Frames that were copied. */
    long frames() {
        return frames;
    }

    private void copyBlock(final byte[] head) throws IOException {
        if (head.length < BLOCK_HEAD) {
            throw cut();
        }
        // The same in both orders.
        final boolean isSection = ByteBuffer.wrap(head).getInt() == SECTION_HEADER;
        byte[] magic = {};
        if (isSection) {
            magic = from.readNBytes(Integer.BYTES);
            order = order(magic);
            linkTypes.clear();
        } else if (order == null) {
            throw new IOException(
                    "it is not a pcapng file (editcap -F pcapng IN OUT makes one of a pcap file)");
        }
        final ByteBuffer start = ByteBuffer.wrap(head).order(order);
        final int type = start.getInt();
        final int length = start.getInt();
        if (length < BLOCK_FRAME + magic.length || length > MAX_BLOCK_BYTES || length % 4 != 0) {
            throw new IOException("it is damaged: a block of " + length + " bytes");
        }
        final byte[] rest = from.readNBytes(length - BLOCK_HEAD - magic.length);
        if (rest.length < length - BLOCK_HEAD - magic.length) {
            throw cut();
        }
        final ByteBuffer body =
                ByteBuffer.wrap(rest, 0, rest.length - Integer.BYTES).slice().order(order);
        if (type == INTERFACE_DESCRIPTION && body.remaining() >= INTERFACE_HEAD) {
            copyInterface(body);
        } else if (type == ENHANCED_PACKET && body.remaining() >= PACKET_HEAD) {
            copyPacket(body);
        } else {
            to.write(head);
            to.write(magic);
            to.write(rest);
        }
    }

    private static IOException cut() {
        return new IOException("it ends within a block");
    }

    private static ByteOrder order(final byte[] magic) throws IOException {
        final int value = magic.length < Integer.BYTES ? 0 : ByteBuffer.wrap(magic).getInt();
        if (value == BYTE_ORDER_MAGIC) {
            return ByteOrder.BIG_ENDIAN;
        }
        if (value == Integer.reverseBytes(BYTE_ORDER_MAGIC)) {
            return ByteOrder.LITTLE_ENDIAN;
        }
        throw new IOException("it is damaged: its first block has no byte order");
    }

    private void copyInterface(final ByteBuffer body) throws IOException {
        linkTypes.add(Short.toUnsignedInt(body.getShort(0)));
        final ByteBuffer options = body.slice(INTERFACE_HEAD, body.limit() - INTERFACE_HEAD);
        final ByteBuffer out = block(INTERFACE_DESCRIPTION, body.limit() + note.length() + 64);
        out.put(body.slice(0, INTERFACE_HEAD));
        final String description = putOptions(options.order(order), out, IF_DESCRIPTION);
        putOption(out, IF_DESCRIPTION, description.isEmpty() ? note : description + ", " + note);
        end(out);
    }

    private void copyPacket(final ByteBuffer body) throws IOException {
        frames++;
        final int link = body.getInt(0);
        final int captured = body.getInt(12);
        final int padded = captured + 3 & -4;
        final boolean isWhole =
                captured >= 0
                        && captured <= MAX_OPENED_BYTES
                        && PACKET_HEAD + padded <= body.limit();
        String comment = "";
        if (isWhole
                && link >= 0
                && link < linkTypes.size()
                && linkTypes.get(link) == LINKTYPE_ETHERNET) {
            MemorySegment.copy(
                    body.array(),
                    body.arrayOffset() + PACKET_HEAD,
                    frame,
                    ValueLayout.JAVA_BYTE,
                    0,
                    captured);
            comment = opened.open(frame.address(), captured);
        }
        final ByteBuffer out =
                block(ENHANCED_PACKET, body.limit() + 4 * comment.length() + OPTION_HEAD + 64);
        if (comment.isEmpty()) {
            out.put(body);
            finish(out);
            return;
        }
        out.put(body.slice(0, PACKET_HEAD));
        putBytes(out, frame.address(), captured);
        final int at = PACKET_HEAD + padded;
        putOptions(body.slice(at, body.limit() - at).order(order), out, 0);
        putOption(out, OPT_COMMENT, comment);
        end(out);
        if (opened.joinedBytes() > 0) {
            writeJoined(body, comment);
        }
    }

    private void writeJoined(final ByteBuffer body, final String comment) throws IOException {
        final int bytes = opened.joinedBytes();
        final ByteBuffer out = block(ENHANCED_PACKET, bytes + 4 * comment.length() + 64);
        out.put(body.slice(0, 12)).putInt(bytes).putInt(bytes);
        putBytes(out, opened.joinedAddress(), bytes);
        putOption(out, OPT_COMMENT, comment);
        end(out);
    }

    private static void putBytes(final ByteBuffer out, final long address, final int lengthBytes) {
        MemorySegment.copy(Memory.ALL, address, MemorySegment.ofBuffer(out), 0, lengthBytes);
        out.position(out.position() + (lengthBytes + 3 & -4));
    }

    // Copies options up to their end; one of the kind `taken` is returned as text instead.
    private static String putOptions(
            final ByteBuffer options, final ByteBuffer out, final int taken) {
        String text = "";
        while (options.remaining() >= OPTION_HEAD) {
            final int at = options.position();
            final int code = Short.toUnsignedInt(options.getShort());
            final int length = Short.toUnsignedInt(options.getShort());
            final int padded = length + 3 & -4;
            if (code == 0 || padded > options.remaining()) {
                break;
            }
            if (code == taken) {
                final byte[] bytes = new byte[length];
                options.get(bytes);
                text = new String(bytes, StandardCharsets.UTF_8);
            } else {
                out.put(options.slice(at, OPTION_HEAD + padded));
            }
            options.position(at + OPTION_HEAD + padded);
        }
        return text;
    }

    private static void putOption(final ByteBuffer out, final int code, final String text) {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        final int length = Math.min(bytes.length, Short.MAX_VALUE);
        out.putShort((short) code).putShort((short) length).put(bytes, 0, length);
        out.position(out.position() + 3 & -4);
    }

    private ByteBuffer block(final int type, final int bodyBytes) {
        final ByteBuffer out = ByteBuffer.allocate(BLOCK_FRAME + bodyBytes).order(order);
        return out.putInt(type).putInt(0);
    }

    // The end of the options, and the length at both ends of the block.
    private void end(final ByteBuffer out) throws IOException {
        out.putInt(0);
        finish(out);
    }

    private void finish(final ByteBuffer out) throws IOException {
        final int length = out.position() + Integer.BYTES;
        out.putInt(length).putInt(Integer.BYTES, length);
        final byte[] bytes = new byte[length];
        out.get(0, bytes);
        to.write(bytes);
    }

    @Override
    public void close() {
        arena.close();
    }
}
