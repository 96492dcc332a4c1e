/**
 * What applications need to send messages and streams over HXB. Begin with {@link
 * io.hxb.pm.PmDevice} for messages, {@link io.hxb.pm.rma.PmRemoteMemory} for remote memory, {@link
 * io.hxb.pm.collective.PmGroup} for collective operations, {@link io.hxb.pm.stream.HxbStreams} for
 * streams, and {@link io.hxb.pm.netty.HxbTransport} for Netty, which an application that wants it
 * brings along.
 *
 * <p>All else is for the node alone. The module makes system calls: start {@code java} with {@code
 * --enable-native-access=io.hxb.pm}.
 */
@SuppressWarnings({"module", "requires-automatic", "requires-transitive-automatic"})
module io.hxb.pm {
    requires transitive org.agrona;
    requires static io.netty.buffer;
    requires static io.netty.common;
    requires static io.netty.transport;
    requires static io.netty.transport.classes.epoll;
    requires static io.netty.transport.unix.common;

    exports io.hxb.pm;
    exports io.hxb.pm.collective;
    exports io.hxb.pm.netty;
    exports io.hxb.pm.rma;
    exports io.hxb.pm.rpc;
    exports io.hxb.pm.stream;
    exports io.hxb.linux to
            io.hxb.node,
            io.hxb.manager,
            io.hxb.tool;
    exports io.hxb.pm.attach to
            io.hxb.node,
            io.hxb.manager,
            io.hxb.tool;
    exports io.hxb.pm.collective.wire to
            io.hxb.node,
            io.hxb.manager,
            io.hxb.tool;
    exports io.hxb.pm.idle to
            io.hxb.node,
            io.hxb.manager,
            io.hxb.tool;
    exports io.hxb.pm.share to
            io.hxb.node,
            io.hxb.manager,
            io.hxb.tool;
    exports io.hxb.pm.shm to
            io.hxb.node,
            io.hxb.manager,
            io.hxb.tool;
    exports io.hxb.pm.stream.wire to
            io.hxb.node,
            io.hxb.manager,
            io.hxb.tool;
}
