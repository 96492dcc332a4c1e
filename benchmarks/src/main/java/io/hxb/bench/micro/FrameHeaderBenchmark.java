package io.hxb.bench.micro;

import io.hxb.frame.FrameCrc;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.FrameValidator;
import io.hxb.frame.MessageRecordFlyweight;
import io.hxb.routing.DimensionOrder;
import io.hxb.topology.Shape;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;

/** What writing the header of a data frame and checking a received one cost. One thread. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(2)
public class FrameHeaderBenchmark {
    private static final int CLUSTER_ID = 0x62;
    private static final int PAYLOAD_BYTES = 1024;
    private static final int BODY_BYTES = MessageRecordFlyweight.LENGTH + PAYLOAD_BYTES;
    private static final int FRAME_BYTES = FrameHeaderFlyweight.LENGTH + BODY_BYTES;

    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final FrameCrc crc = new FrameCrc();
    private final Shape shape = Shape.of(16, 16, 10);
    private long address;
    private long crcAddress;
    private int sequence;

    /** Makes one frame without and one with a CRC. */
    @Setup
    public void setUp() {
        address = Arena.global().allocate(FRAME_BYTES, 64).address();
        crcAddress = Arena.global().allocate(FRAME_BYTES, 64).address();
        write(address);
        write(crcAddress);
        header.flags(FrameHeaderFlyweight.FLAG_CRC).crc(crc.compute(crcAddress, FRAME_BYTES, 0, 0));
    }

    private void write(final long frame) {
        header.wrap(frame)
                .clear()
                .type(FrameType.DATA)
                .hopLimit(8)
                .order(DimensionOrder.DEFAULT)
                .clusterId(CLUSTER_ID)
                .sourceIncarnation(7)
                .source(shape.coordinates(1))
                .destination(shape.coordinates(300))
                .destinationIncarnation(9)
                .sourceContext(1)
                .destinationContext(2)
                .sequence(sequence++)
                .epoch(1)
                .bodyLength(BODY_BYTES)
                .messageCount(1);
        new MessageRecordFlyweight()
                .wrap(frame + FrameHeaderFlyweight.LENGTH)
                .payloadLength(PAYLOAD_BYTES)
                .tag(0);
    }

    /** All fields of a data frame's header and one record. */
    @Benchmark
    public void writeHeader() {
        write(address);
    }

    /** What a relay checks. */
    @Benchmark
    public int checkHeader() {
        return FrameValidator.checkHeader(address, FRAME_BYTES, CLUSTER_ID);
    }

    /** What the destination checks besides. */
    @Benchmark
    public int checkEndToEnd() {
        return FrameValidator.checkEndToEnd(address, shape, crc);
    }

    /** The same with a CRC over 1,024 bytes of payload. */
    @Benchmark
    public int checkEndToEndWithCrc() {
        return FrameValidator.checkEndToEnd(crcAddress, shape, crc);
    }
}
