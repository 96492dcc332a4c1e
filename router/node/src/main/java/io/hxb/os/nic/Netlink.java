package io.hxb.os.nic;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.Sockets;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Requests to the kernel about addresses and routes, in the network namespace of the thread that
 * opens it. Owned by one thread. Source: netlink(7), rtnetlink(7); nlmsghdr is {length@0, type@4,
 * flags@6, sequence@8, port@12}.
 */
final class Netlink implements AutoCloseable {
    /** NLM_F_CREATE. */
    static final int CREATE = 0x400;

    /** NLM_F_EXCL. */
    static final int EXCLUSIVE = 0x200;

    /** Bytes before the body of a message. */
    static final int HEADER_LENGTH = 16;

    private static final int NETLINK_ROUTE = 0;
    private static final int NLM_F_REQUEST = 1;
    private static final int NLM_F_ACK = 4;
    private static final int NLM_F_DUMP = 0x300;
    private static final int NLMSG_ERROR = 2;
    private static final int NLMSG_DONE = 3;
    private static final int ATTRIBUTE_HEADER_LENGTH = 4;
    private static final int SOCKADDR_NL_LENGTH = 12;
    private static final int BUFFER_LENGTH = 64 << 10;
    private static final int ANSWER_MS = 1_000;

    private final Arena arena = Arena.ofShared();
    private final int descriptor;
    private final MemorySegment buffer;

    private Netlink(final int descriptor) {
        this.descriptor = descriptor;
        buffer = arena.allocate(BUFFER_LENGTH, 8);
    }

    /** Opens a socket for requests. */
    static Netlink open() throws LinuxException {
        return new Netlink(Sockets.open(Sockets.AF_NETLINK, Sockets.SOCK_RAW, NETLINK_ROUTE));
    }

    /**
     * Opens a socket that hears of changes.
     *
     * @param groups bits of RTMGRP.
     */
    static Netlink listening(final int groups) throws LinuxException {
        final Netlink opened = open();
        try (Arena arena = Arena.ofConfined()) {
            final long address = arena.allocate(SOCKADDR_NL_LENGTH, 4).address();
            Memory.putShort(address, Sockets.AF_NETLINK);
            Memory.putInt(address + 8, groups);
            Sockets.bind(opened.descriptor, address, SOCKADDR_NL_LENGTH, "netlink");
            return opened;
        } catch (final LinuxException e) {
            opened.close();
            throw e;
        }
    }

    int descriptor() {
        return descriptor;
    }

    /** True if something has changed since this was last asked, or may have. */
    boolean hasHeard() {
        boolean hasHeard = false;
        int bytes = receive();
        while (bytes > 0) {
            hasHeard = true;
            bytes = receive();
        }
        // ENOBUFS means that there were more changes than there was room for.
        return hasHeard || bytes == -Errno.ENOBUFS;
    }

    private int receive() {
        return Sockets.receive(descriptor, buffer.address(), BUFFER_LENGTH);
    }

    private int receiveSoon() {
        final int bytes = receive();
        if (bytes != -Errno.EAGAIN) {
            return bytes;
        }
        Descriptors.poll(descriptor, Descriptors.POLLIN, ANSWER_MS);
        return receive();
    }

    /**
     * Asks for a list.
     *
     * @param type RTM_GET code.
     * @param family AF code.
     * @param bodyLength bytes of the fixed part that such a request has.
     * @return the fixed part and the attributes of each entry.
     */
    List<ByteBuffer> list(final int type, final int family, final int bodyLength)
            throws LinuxException {
        final ByteBuffer body = body(bodyLength);
        body.put(0, (byte) family);
        body.position(bodyLength);
        send(type, NLM_F_DUMP, body);
        final List<ByteBuffer> entries = new ArrayList<>();
        while (true) {
            final int bytes = receiveSoon();
            if (bytes <= 0) {
                throw new LinuxException("recv(netlink)", -bytes);
            }
            if (take(bytes, entries)) {
                return entries;
            }
        }
    }

    /** Adds the entries of one answer; true if it was the last. */
    private boolean take(final int bytes, final List<ByteBuffer> entries) throws LinuxException {
        int offset = 0;
        while (offset + HEADER_LENGTH <= bytes) {
            final long message = buffer.address() + offset;
            final int length = Memory.getInt(message);
            final int type = Memory.getUnsignedShort(message + 4);
            if (type == NLMSG_DONE) {
                return true;
            }
            if (type == NLMSG_ERROR) {
                throw new LinuxException("netlink", -Memory.getInt(message + HEADER_LENGTH));
            }
            if (length < HEADER_LENGTH || offset + length > bytes) {
                return true;
            }
            final byte[] entry = new byte[length - HEADER_LENGTH];
            MemorySegment.copy(
                    buffer, ValueLayout.JAVA_BYTE, offset + HEADER_LENGTH, entry, 0, entry.length);
            entries.add(ByteBuffer.wrap(entry).order(ByteOrder.nativeOrder()));
            offset += aligned(length);
        }
        return false;
    }

    /**
     * Asks for one entry.
     *
     * @param type RTM_GET code.
     * @param body fixed part and attributes up to its position.
     * @return the fixed part and the attributes of the entry.
     * @throws LinuxException ENETUNREACH and the like if there is none.
     */
    ByteBuffer ask(final int type, final ByteBuffer body) throws LinuxException {
        send(type, 0, body);
        final int bytes = receiveSoon();
        if (bytes <= 0) {
            throw new LinuxException("recv(netlink)", -bytes);
        }
        final List<ByteBuffer> entries = new ArrayList<>();
        take(bytes, entries);
        if (entries.isEmpty()) {
            throw new LinuxException("recv(netlink)", Errno.ENOENT);
        }
        return entries.getFirst();
    }

    /**
     * Gives an order.
     *
     * @param type RTM_NEW or RTM_DEL code.
     * @param flags {@link #CREATE}, {@link #EXCLUSIVE} or 0.
     * @param body fixed part and attributes up to its position.
     * @return 0 or a negative errno.
     */
    int order(final int type, final int flags, final ByteBuffer body) throws LinuxException {
        send(type, NLM_F_ACK | flags, body);
        final int bytes = receiveSoon();
        if (bytes < HEADER_LENGTH + Integer.BYTES) {
            throw new LinuxException("recv(netlink)", bytes < 0 ? -bytes : 0);
        }
        return Memory.getInt(buffer.address() + HEADER_LENGTH);
    }

    private void send(final int type, final int flags, final ByteBuffer body)
            throws LinuxException {
        final int length = HEADER_LENGTH + body.position();
        final long message = buffer.address();
        Memory.putInt(message, length);
        Memory.putShort(message + 4, type);
        Memory.putShort(message + 6, NLM_F_REQUEST | flags);
        Memory.putInt(message + 8, 0);
        Memory.putInt(message + 12, 0);
        MemorySegment.copy(
                MemorySegment.ofBuffer(body.duplicate().flip()),
                0,
                buffer,
                HEADER_LENGTH,
                body.position());
        final int sent = Sockets.send(descriptor, message, length);
        if (sent < 0) {
            throw new LinuxException("send(netlink)", -sent);
        }
    }

    /** An empty body with room for attributes. */
    static ByteBuffer body(final int length) {
        return ByteBuffer.allocate(length + 1024).order(ByteOrder.nativeOrder());
    }

    /** Adds an attribute at the position of a body. */
    static void add(final ByteBuffer body, final int type, final byte[] value) {
        final int start = body.position();
        body.putShort((short) (ATTRIBUTE_HEADER_LENGTH + value.length)).putShort((short) type);
        body.put(value).position(start + aligned(ATTRIBUTE_HEADER_LENGTH + value.length));
    }

    /** Adds an attribute of 32 bits. */
    static void add(final ByteBuffer body, final int type, final int value) {
        add(body, type, bytes(value));
    }

    /** 32 bits as an attribute has them. */
    static byte[] bytes(final int value) {
        return ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.nativeOrder())
                .putInt(value)
                .array();
    }

    /** The 32 bits of an attribute; 0 if there is none. */
    static int value(final byte[] attribute) {
        return attribute == null || attribute.length < Integer.BYTES
                ? 0
                : ByteBuffer.wrap(attribute).order(ByteOrder.nativeOrder()).getInt();
    }

    /** The attributes after the fixed part of an entry, by type. */
    static Map<Integer, byte[]> attributes(final ByteBuffer entry, final int bodyLength) {
        final Map<Integer, byte[]> found = new TreeMap<>();
        int offset = bodyLength;
        while (offset + ATTRIBUTE_HEADER_LENGTH <= entry.limit()) {
            final int length = Short.toUnsignedInt(entry.getShort(offset));
            if (length < ATTRIBUTE_HEADER_LENGTH || offset + length > entry.limit()) {
                break;
            }
            final byte[] value = new byte[length - ATTRIBUTE_HEADER_LENGTH];
            entry.get(offset + ATTRIBUTE_HEADER_LENGTH, value);
            found.put(Short.toUnsignedInt(entry.getShort(offset + 2)), value);
            offset += aligned(length);
        }
        return found;
    }

    private static int aligned(final int length) {
        return length + 3 & ~3;
    }

    @Override
    public void close() {
        Descriptors.close(descriptor);
        arena.close();
    }
}
