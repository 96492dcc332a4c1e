package io.hxb.link.raw;

import io.hxb.frame.BusyFlyweight;
import io.hxb.frame.EndedFlyweight;
import io.hxb.frame.FragmentFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.HelloFlyweight;
import io.hxb.frame.LinkStateFlyweight;
import io.hxb.frame.LinkStatusFlyweight;
import io.hxb.frame.MessageRecordFlyweight;
import io.hxb.frame.MisconfigurationFlyweight;
import io.hxb.frame.MissingFlyweight;
import io.hxb.frame.Nonce;
import io.hxb.frame.RemoteRecordFlyweight;
import io.hxb.frame.SealFlyweight;
import io.hxb.frame.SessionFlyweight;
import io.hxb.frame.SummaryFlyweight;
import io.hxb.frame.TenantField;
import io.hxb.frame.TraceFlyweight;
import io.hxb.frame.TracedFlyweight;
import io.hxb.frame.UnreachableFlyweight;
import io.hxb.linux.Memory;
import io.hxb.routing.DimensionOrder;
import io.hxb.topology.Shape;

import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A valid frame of each type, written by the flyweights, with a value of its own in each field. */
final class DissectorSamples {
    static final Shape SHAPE = Shape.of(4, 4, 4);
    static final int CLUSTER = 0x1122_3344;
    static final int HEADROOM = 64;
    static final int FIRST_UNRELEASED = 1_000;
    private static final int SLOT_BYTES = 2_048;

    /**
     * A frame.
     *
     * @param address of its header; before it there are {@link #HEADROOM} bytes.
     * @param parts what lies in it by the name of its layout: flyweights, or arguments for them.
     */
    record Sample(int type, long address, Map<String, Object> parts) {
        int lengthBytes() {
            return FrameHeaderFlyweight.frameLength(address);
        }
    }

    private final Arena arena = Arena.ofAuto();
    private final Random random = new Random(7);
    private final List<Sample> samples = new ArrayList<>();

    DissectorSamples() {
        hello();
        data();
        remote();
        linkStatus();
        misconfiguration();
        session();
        control();
        ended();
        unreachable();
        fragment();
        missing();
        traces();
        summaries();
        linkStates();
        busyPaths();
        seals();
    }

    /** The first one is a hello, which tells the shape of the cluster. */
    List<Sample> all() {
        return samples;
    }

    /** Where the lifetime of all memory ends. */
    Arena arena() {
        return arena;
    }

    private Sample begin(final int type, final int bodyBytes, final int messages) {
        final long address = arena.allocate(SLOT_BYTES, 8).address() + HEADROOM;
        final FrameHeaderFlyweight header =
                new FrameHeaderFlyweight()
                        .wrap(address)
                        .clear()
                        .type(type)
                        .flags(FrameHeaderFlyweight.FLAG_ACK | FrameHeaderFlyweight.FLAG_AGAIN)
                        .hopLimit(9)
                        .order(DimensionOrder.of(2, 0, 1))
                        .clusterId(CLUSTER)
                        .sourceIncarnation(random.nextInt())
                        .source(Shape.withCoordinate(2, 1, 3))
                        .destination(Shape.withCoordinate(1, 2, 3))
                        .destinationIncarnation(random.nextInt())
                        .sourceContext(5)
                        .destinationContext(16_000)
                        .sequence(random.nextInt())
                        .acknowledgement(random.nextInt())
                        .windowFrames(1_000 + random.nextInt(60_000))
                        .epoch(random.nextInt(1 << 16))
                        .body(bodyBytes, messages)
                        .crc(random.nextInt())
                        .acknowledgedEpoch(random.nextInt(1 << 16));
        final Map<String, Object> parts = new HashMap<>();
        parts.put("FrameHeader", header);
        final Sample sample = new Sample(type, address, parts);
        samples.add(sample);
        return sample;
    }

    private static FrameHeaderFlyweight header(final Sample sample) {
        return (FrameHeaderFlyweight) sample.parts().get("FrameHeader");
    }

    private Sample hello() {
        final Sample sample = begin(FrameType.HELLO, HelloFlyweight.FIXED_LENGTH + 5, 0);
        header(sample).destination(FrameHeaderFlyweight.ANY_DESTINATION);
        sample.parts()
                .put(
                        "Hello",
                        new HelloFlyweight()
                                .wrap(sample.address() + FrameHeaderFlyweight.LENGTH)
                                .clear()
                                .dimension(2)
                                .linkNumber(1)
                                .fingerprint(random.nextInt())
                                .node(27)
                                .incarnation(random.nextInt())
                                .shape(0x03_0303)
                                .dimensions(3)
                                .mtuBytes(8_986)
                                .receiver(0x03_0201)
                                .keyIds(random.nextInt(), random.nextInt())
                                .name("pc-27"));
        return sample;
    }

    private void data() {
        final int first = MessageRecordFlyweight.paddedLength(13);
        final Sample one = begin(FrameType.DATA, MessageRecordFlyweight.LENGTH + 13, 1);
        one.parts().put("MessageRecord", record(one, 0, 13));
        final Sample two = begin(FrameType.DATA, first + MessageRecordFlyweight.LENGTH + 3, 2);
        record(two, 0, 13);
        record(two, first, 3);
        final FrameHeaderFlyweight header = header(two).flags(FrameHeaderFlyweight.FLAG_CRC);
        header.crc(
                new io.hxb.frame.FrameCrc()
                        .compute(
                                header.address(),
                                FrameHeaderFlyweight.LENGTH + header.bodyLength(),
                                0,
                                0));
    }

    private MessageRecordFlyweight record(
            final Sample sample, final int offset, final int lengthBytes) {
        final MessageRecordFlyweight record =
                new MessageRecordFlyweight()
                        .wrap(sample.address() + FrameHeaderFlyweight.LENGTH + offset)
                        .payloadLength(lengthBytes)
                        .tag(random.nextInt());
        for (int i = 0; i < lengthBytes; i++) {
            Memory.putByte(record.payloadAddress() + i, random.nextInt());
        }
        return record;
    }

    private void remote() {
        final int payload = RemoteRecordFlyweight.LENGTH + 12;
        final Sample sample = begin(FrameType.DATA, MessageRecordFlyweight.LENGTH + payload, 1);
        header(sample).destinationContext(1 << 14 | 3);
        final MessageRecordFlyweight record = record(sample, 0, payload);
        sample.parts().put("MessageRecord", record);
        sample.parts()
                .put(
                        "RemoteRecord",
                        new RemoteRecordFlyweight()
                                .wrap(record.payloadAddress())
                                .begin(RemoteRecordFlyweight.DATA, RemoteRecordFlyweight.LAST)
                                .status(-3)
                                .operation(random.nextLong())
                                .key(random.nextLong())
                                .range(random.nextLong(), 12)
                                .operands(random.nextLong(), random.nextLong()));
    }

    private void linkStatus() {
        final int links = 3;
        final Sample sample = begin(FrameType.LINK_STATUS, LinkStatusFlyweight.length(links), 0);
        final LinkStatusFlyweight status =
                new LinkStatusFlyweight()
                        .wrap(sample.address() + FrameHeaderFlyweight.LENGTH)
                        .clear(links)
                        .asking(true)
                        .waitedNs(34_000_000)
                        .dimension(1)
                        .linkNumber(2)
                        .beat(random.nextInt())
                        .neighbour(0x01_0203)
                        .sequence(random.nextInt())
                        .acknowledgement(random.nextInt())
                        .failed(5);
        for (int link = 0; link < links; link++) {
            status.sentFrames(link, random.nextInt()).weight(link, 10 + link);
        }
        sample.parts().put("LinkStatus", status);
    }

    private void misconfiguration() {
        final Sample sample =
                begin(FrameType.MISCONFIGURATION, MisconfigurationFlyweight.LENGTH, 0);
        sample.parts()
                .put(
                        "Misconfiguration",
                        new MisconfigurationFlyweight()
                                .wrap(sample.address() + FrameHeaderFlyweight.LENGTH)
                                .clear()
                                .kind(MisconfigurationFlyweight.MTU_DIFFERS)
                                .dimension(1)
                                .linkNumber(2)
                                .otherDimension(3)
                                .otherLinkNumber(4)
                                .coordinates(0x01_0203)
                                .otherCoordinates(0x03_0201)
                                .value(1_486)
                                .otherValue(8_986));
    }

    private void session() {
        final Sample sample = begin(FrameType.SESSION, SessionFlyweight.LENGTH, 0);
        sample.parts()
                .put(
                        "Session",
                        new SessionFlyweight()
                                .wrap(sample.address() + FrameHeaderFlyweight.LENGTH)
                                .clear()
                                .keyId(random.nextInt())
                                .otherKeyId(random.nextInt())
                                .flags(
                                        SessionFlyweight.FLAG_ASK
                                                | SessionFlyweight.FLAG_ESTABLISHED)
                                .mode(2)
                                .sealingSession(random.nextInt())
                                .nonce(Nonce.random(random))
                                .echo(Nonce.random(random))
                                .receiver(0x02_0103));
    }

    private void control() {
        for (final int type : new int[] {FrameType.PROBE, FrameType.CLOSE, FrameType.CLOSED}) {
            begin(type, 0, 0);
        }
        final Sample ack = begin(FrameType.ACK, 8, 0);
        Memory.putLong(ack.address() + FrameHeaderFlyweight.LENGTH, random.nextLong());
        final Sample open = begin(FrameType.OPEN, 0, 0);
        TenantField.intoOpen(header(open), random.nextInt());
        open.parts().put("TenantField", header(open));
        final Sample accept = begin(FrameType.ACCEPT, 0, 0);
        TenantField.intoAccept(header(accept), random.nextInt());
        accept.parts().put("TenantField", header(accept));
    }

    private void ended() {
        final Sample sample = begin(FrameType.ENDED, 2 * EndedFlyweight.RUN_BYTES, 0);
        sample.parts()
                .put(
                        "Ended",
                        new EndedFlyweight()
                                .wrap(sample.address())
                                .kind(FrameType.DATA, true, true)
                                .ends(FIRST_UNRELEASED, 1_900)
                                .run(0, 1_010, 20, 3)
                                .run(1, 1_100, 30, EndedFlyweight.ALL_MESSAGES));
    }

    private void unreachable() {
        final Sample failed = samples.get(1);
        final Sample ofContext = begin(FrameType.UNREACHABLE, 0, 0);
        final UnreachableFlyweight answer = new UnreachableFlyweight().wrap(ofContext.address());
        answer.answer(failed.address(), UnreachableFlyweight.STALE_INCARNATION, 77);
        complete(ofContext, answer);
        final Sample ofRelay = begin(FrameType.UNREACHABLE, 0, 0);
        final UnreachableFlyweight report = new UnreachableFlyweight().wrap(ofRelay.address());
        report.answerOfRelay(failed.address(), UnreachableFlyweight.NO_ROUTE, 57);
        complete(ofRelay, report);
    }

    // What the sender adds to an answer.
    private static void complete(final Sample sample, final UnreachableFlyweight answer) {
        header(sample)
                .clusterId(CLUSTER)
                .hopLimit(7)
                .order(DimensionOrder.DEFAULT)
                .source(0x02_0203);
        sample.parts().put("Unreachable", answer);
        sample.parts().remove("FrameHeader");
    }

    private void fragment() {
        final Sample of = samples.get(1);
        final Sample sample = begin(FrameType.FRAGMENT, 0, 0);
        new FragmentFlyweight()
                .write(sample.address(), of.address(), random.nextInt(), 70_001, 1_440, 104);
        sample.parts().put("Fragment", sample.address());
        sample.parts().remove("FrameHeader");
    }

    private void missing() {
        final Sample fragment = samples.getLast();
        final Sample sample = begin(FrameType.MISSING, 0, 0);
        final MissingFlyweight missing =
                new MissingFlyweight()
                        .wrap(sample.address())
                        .answer(fragment.address())
                        .add(1_440, 104)
                        .add(2_000, 1);
        header(sample)
                .clusterId(CLUSTER)
                .hopLimit(7)
                .order(DimensionOrder.DEFAULT)
                .source(0x02_0203);
        sample.parts().put("Missing", missing);
        sample.parts().remove("FrameHeader");
    }

    private void traces() {
        final Sample trace = begin(FrameType.TRACE, 20, 0);
        TraceFlyweight.write(trace.address(), 0x01_0203, random.nextLong(), 20);
        header(trace)
                .clusterId(CLUSTER)
                .hopLimit(9)
                .order(DimensionOrder.DEFAULT)
                .source(0x02_0203);
        trace.parts().put("Trace", trace.address());
        trace.parts().remove("FrameHeader");
        final Sample report = begin(FrameType.TRACED, TracedFlyweight.BODY_BYTES, 0);
        final TracedFlyweight traced =
                new TracedFlyweight()
                        .wrap(report.address())
                        .begin(0x02_0203, random.nextLong())
                        .stay(TracedFlyweight.RELAYED_IN_KERNEL, 7, 3, 65_000, 1_234_567);
        header(report)
                .clusterId(CLUSTER)
                .hopLimit(9)
                .order(DimensionOrder.DEFAULT)
                .source(0x01_0203);
        report.parts().put("Trace", report.address());
        report.parts().put("Traced", traced);
        report.parts().remove("FrameHeader");
    }

    private void summaries() {
        final byte[] name = "pc-9x".getBytes(StandardCharsets.UTF_8);
        final int bytes = SummaryFlyweight.FIXED_BYTES + 4 * SummaryFlyweight.LINK_BYTES + 16 + 8;
        final Sample all = begin(FrameType.SUMMARY, bytes, 0);
        final SummaryFlyweight summary =
                new SummaryFlyweight()
                        .wrap(all.address() + FrameHeaderFlyweight.LENGTH)
                        .all(4, 4, name)
                        .stopped()
                        .origin(27, random.nextInt(), random.nextInt(), 1_234)
                        .startS(1_800_000_123)
                        .toldSequence(random.nextInt());
        for (int i = 0; i < 4; i++) {
            summary.rate(i, random.nextInt(0xFFFF))
                    .place(i, i, 200 + i)
                    .capacity(i, i % 2 == 0, 90 + i, 9_000 + i)
                    .neighbours(i, 300 + i, 40 + i)
                    .events(i, 500 + i, 600 + i, 7 + i)
                    .exclusion(i, 3 - i, 20 + i, 9 - i);
            for (int rate = 0; rate < SummaryFlyweight.LINK_RATES; rate++) {
                summary.linkRate(i, rate, random.nextInt(0xFFFF));
            }
        }
        all.parts().put("Summary", summary);
        final Sample alive = begin(FrameType.SUMMARY, 2 * SummaryFlyweight.ALIVE_BYTES, 0);
        for (int i = 0; i < 2; i++) {
            summary(alive, i * SummaryFlyweight.ALIVE_BYTES).alive().origin(i, 9, 8, 7);
        }
    }

    private void linkStates() {
        final byte[] name = "pc-8".getBytes(StandardCharsets.UTF_8);
        final int bytes = LinkStateFlyweight.length(3, name.length);
        final Sample record = begin(FrameType.LINK_STATE, bytes, 0);
        final LinkStateFlyweight entry = entry(record, 0).record(3, name).stopped().ageMs(4_321);
        for (int i = 0; i < 3; i++) {
            entry.adjacency(i, 9 * i, 2 + i, 1_500 + i, 0xFFFF_FF00L + i);
        }
        record.parts().put("LinkState", originOf(entry, 8));
        final int two = 2 * LinkStateFlyweight.ACKNOWLEDGEMENT_BYTES;
        final Sample acknowledgements = begin(FrameType.LINK_STATE, two, 0);
        originOf(entry(acknowledgements, 0).acknowledgement(), 254);
        entry(acknowledgements, two / 2).acknowledgement().ofNone(7);
    }

    private void busyPaths() {
        final Sample sample = begin(FrameType.BUSY, BusyFlyweight.BODY_BYTES, 0);
        final long body = sample.address() + FrameHeaderFlyweight.LENGTH;
        Memory.putLong(body, 3);
        Memory.putLong(body + Long.BYTES, 0x0012_8765_4321L);
        sample.parts().put("Busy", new BusyFlyweight().wrap(sample.address()));
    }

    private LinkStateFlyweight originOf(final LinkStateFlyweight entry, final int node) {
        return entry.origin(
                node, random.nextLong(), random.nextInt(), random.nextInt(), random.nextInt());
    }

    private static LinkStateFlyweight entry(final Sample sample, final int offset) {
        return new LinkStateFlyweight()
                .wrap(sample.address() + FrameHeaderFlyweight.LENGTH + offset);
    }

    private static SummaryFlyweight summary(final Sample sample, final int offset) {
        return new SummaryFlyweight().wrap(sample.address() + FrameHeaderFlyweight.LENGTH + offset);
    }

    private void seals() {
        final long counter = SealFlyweight.counter(201, 3, 0x1234_5678_9ABCL);
        final Sample encrypted = begin(FrameType.DATA, 40, 1);
        for (int i = 0; i < 40; i++) {
            Memory.putByte(encrypted.address() + FrameHeaderFlyweight.LENGTH + i, 0xE0 + i);
        }
        seal(encrypted, counter);
        seal(hello(), SealFlyweight.counterOfKey(0x7654_3210));
    }

    private void seal(final Sample sample, final long counter) {
        final FrameHeaderFlyweight header = header(sample);
        header.flags(header.flags() | FrameHeaderFlyweight.FLAG_SEALED);
        final long trailer = header.bodyAddress() + header.bodyLength();
        SealFlyweight.putCounter(trailer, counter);
        for (int i = 0; i < SealFlyweight.LENGTH - Long.BYTES; i++) {
            Memory.putByte(SealFlyweight.tagAddress(trailer) + i, random.nextInt());
        }
        sample.parts().put("Seal", counter);
    }
}
