package io.hxb.pm.stream.wire;

import io.hxb.linux.Memory;

/**
 * Requests and replies about the ports of streams. Requests go to the node's own context (0), which
 * has the table of the ports that processes of its machine listen on. Stateless.
 *
 * <pre>
 * tag     from        request at offset 4            reply at offset 8
 * LISTEN  this node   port, 0 for any free one       the port that the context now has
 * CLOSE   this node   port                           0
 * LOOKUP  anywhere    port, 1 to 65,535              context that listens on it
 *
 * request: number of the request (4), port (4)
 * reply: number of the request (4), status (4), value (4)
 * </pre>
 */
public final class PortProtocol {
    /** Context of every node that has the table of ports. */
    public static final int CONTEXT = 0;

    /** Takes a port. */
    public static final int LISTEN = 0x4858_0011;

    /** Gives a port back. */
    public static final int CLOSE = 0x4858_0012;

    /** Asks who listens on a port. */
    public static final int LOOKUP = 0x4858_0013;

    /** The reply to any of them. */
    public static final int REPLY = 0x4858_0014;

    /** Bytes of a request. */
    public static final int REQUEST_BYTES = 8;

    /** Bytes of a reply. */
    public static final int REPLY_BYTES = 12;

    /** Highest port. */
    public static final int MAX_PORT = StreamRecord.MAX_PORT;

    /** First port given to those who want any. */
    public static final int FIRST_DYNAMIC_PORT = 49_152;

    /** Status: done. */
    public static final int OK = 0;

    /** Status: another context listens on that port. */
    public static final int IN_USE = 1;

    /** Status: nobody listens on that port. */
    public static final int NOT_FOUND = 2;

    /** Status: only contexts of the same node may take and return ports. */
    public static final int NOT_LOCAL = 3;

    /** Status: no such port, or all dynamic ports are taken. */
    public static final int NO_SUCH_PORT = 4;

    private PortProtocol() {}

    /** Writes a request of {@link #REQUEST_BYTES} bytes. */
    public static void request(final long address, final int number, final int port) {
        Memory.putInt(address, number);
        Memory.putInt(address + 4, port);
    }

    /** Writes a reply of {@link #REPLY_BYTES} bytes. */
    public static void reply(
            final long address, final int number, final int status, final int value) {
        Memory.putInt(address, number);
        Memory.putInt(address + 4, status);
        Memory.putInt(address + 8, value);
    }

    /** Number of a request or reply. */
    public static int number(final long address) {
        return Memory.getInt(address);
    }

    /** Port of a request, unchecked. */
    public static int port(final long address) {
        return Memory.getInt(address + 4);
    }

    /** Status of a reply, unchecked. */
    public static int status(final long address) {
        return Memory.getInt(address + 4);
    }

    /** Value of a reply, unchecked. */
    public static int value(final long address) {
        return Memory.getInt(address + 8);
    }
}
