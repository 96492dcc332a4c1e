package io.hxb.forward.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.FrameConfig;
import io.hxb.config.LinkPlan;
import io.hxb.linux.LinuxException;
import io.hxb.os.bpf.BpfCode;
import io.hxb.os.bpf.BpfProgram;
import io.hxb.tool.machine.Privileges;
import io.hxb.topology.Shape;
import io.hxb.trunk.Port;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The program of one port of a node at coordinates 1, with two links a dimension to neighbours that
 * all hear IP; for tests that extend it and run it in the kernel.
 */
@SuppressWarnings("ByteBufferBackingArray") // all buffers are whole arrays
abstract class PortProgram {
    static final int CLUSTER = 0x8000_0077;
    static final int LINKS = 2;
    static final int PORT = 1;
    static final int LONGEST_BYTES = 9014;
    static final long LOCAL_BIT = 0x02L << 40;

    private static final int EXTENT = 3;

    final long here;
    RelayTable table;
    private final Shape shape;
    private final FrameConfig frame;
    BpfProgram program;

    PortProgram(final Shape shape, final FrameConfig frame) {
        this.shape = shape;
        this.frame = frame;
        long coordinates = 0;
        for (int dimension = 0; dimension < shape.dimensions(); dimension++) {
            coordinates = Shape.withCoordinate(coordinates, dimension, 1);
        }
        here = coordinates;
    }

    @BeforeEach
    final void load() throws LinuxException {
        assumeTrue(
                Privileges.has(Privileges.BPF) && Privileges.has(Privileges.NET_ADMIN),
                "skipped: BPF needs CAP_BPF and CAP_NET_ADMIN");
        final int[] links = new int[shape.dimensions()];
        Arrays.fill(links, LINKS);
        table = RelayTable.create(links, 32);
        program =
                BpfProgram.load(
                        new RelayProgram(cluster(), here, table, links, PORT, RelayProgram.ALIVE_NS)
                                .write(),
                        BpfProgram.Hook.INGRESS);
        for (int port = 0; port < shape.dimensions() * LINKS; port++) {
            table.open(port, 100 + port, LONGEST_BYTES, ownMac(port));
            for (int neighbour = 0; neighbour < EXTENT; neighbour++) {
                table.learn(port, neighbour, mac(port, neighbour));
                table.learnIp(port, neighbour, mac(port, neighbour) ^ LOCAL_BIT);
                table.weight(port, neighbour, Port.FULL_WEIGHT);
            }
        }
        table.turn();
    }

    private ClusterConfig cluster() {
        final LinkPlan plan = LinkPlan.udp(shape.dimensions(), 1, 20_000);
        return new ClusterConfig.Builder("test", shape, Backend.RAW, plan)
                .clusterId(CLUSTER)
                .frame(frame)
                .build();
    }

    @AfterEach
    final void unload() {
        if (program != null) {
            program.close();
        }
        if (table != null) {
            table.close();
        }
    }

    static long ownMac(final int port) {
        return 0x02AA_0000_0000L + port;
    }

    static long mac(final int port, final int neighbour) {
        return 0x0255_6677_0000L + 16L * port + neighbour;
    }

    static ByteBuffer copy(final ByteBuffer frame) {
        return ByteBuffer.wrap(frame.array().clone()).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Runs the program for a node that lives; 0 as length of a segment for what is not a train. */
    final int run(final ByteBuffer frame, final int segmentBytes) throws LinuxException {
        table.turn();
        return program.run(frame.array(), segmentBytes);
    }

    final void assertLeftToTheNode(final ByteBuffer frame, final int segmentBytes)
            throws LinuxException {
        final byte[] before = frame.array().clone();
        final long relayed = table.relayedFrames();
        assertEquals(BpfCode.TCX_NEXT, run(frame, segmentBytes));
        assertArrayEquals(before, frame.array());
        assertEquals(relayed, table.relayedFrames());
    }
}
