package io.hxb.frame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.longs;

import io.hxb.linux.Memory;
import io.hxb.routing.Route;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

@Tag("property")
class FlyweightTest {
    private final Arena arena = Arena.ofAuto();
    private final long address = arena.allocate(512, 64).address();
    private final long other = arena.allocate(256, 64).address();

    /** A field of a flyweight: a getter, and a setter of the same name that returns this. */
    private record Field(Method getter, Method setter) {
        long get(final Object flyweight) {
            return ((Number) invoke(getter, flyweight)).longValue();
        }

        void set(final Object flyweight, final long value) {
            if (setter.getParameterTypes()[0] == long.class) {
                invoke(setter, flyweight, value);
            } else {
                invoke(setter, flyweight, (int) value);
            }
        }
    }

    private static Object invoke(final Method method, final Object on, final Object... arguments) {
        try {
            return method.invoke(on, arguments);
        } catch (final IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException(method.toString(), e);
        }
    }

    private static List<Field> fields(final Class<?> type) {
        final List<Field> fields = new ArrayList<>();
        for (final Method setter : type.getMethods()) {
            final boolean isSetter =
                    setter.getReturnType() == type
                            && setter.getParameterCount() == 1
                            && setter.getParameterTypes()[0].isPrimitive();
            // The order is the larger part of the route.
            if (isSetter && !List.of("wrap", "order").contains(setter.getName())) {
                Arrays.stream(type.getMethods())
                        .filter(getter -> getter.getName().equals(setter.getName()))
                        .filter(getter -> getter.getParameterCount() == 0)
                        .forEach(getter -> fields.add(new Field(getter, setter)));
            }
        }
        fields.sort(Comparator.comparing(field -> field.getter.getName()));
        return fields;
    }

    private void shouldReadBackWhatWasWritten(final Object flyweight, final int fieldCount) {
        final List<Field> fields = fields(flyweight.getClass());
        assertEquals(fieldCount, fields.size(), fields.toString());
        qt().withExamples(300)
                .forAll(longs().all())
                .checkAssert(
                        seed -> {
                            // given
                            final Random random = new Random(seed);
                            final long[] expected = new long[fields.size()];
                            for (int i = 0; i < expected.length; i++) {
                                fields.get(i).set(flyweight, random.nextLong());
                                expected[i] = fields.get(i).get(flyweight);
                            }
                            // when
                            final int changed = random.nextInt(expected.length);
                            fields.get(changed).set(flyweight, ~expected[changed]);
                            // then
                            for (int i = 0; i < expected.length; i++) {
                                final String name = fields.get(i).getter.getName();
                                final long value = fields.get(i).get(flyweight);
                                assertEquals(i != changed, value == expected[i], name);
                            }
                        });
    }

    @Test
    void shouldKeepTheFieldsOfTheHeaderApart() {
        shouldReadBackWhatWasWritten(new FrameHeaderFlyweight().wrap(address), 20);
    }

    @Test
    void shouldKeepTheFieldsOfAHelloApart() {
        shouldReadBackWhatWasWritten(new HelloFlyweight().wrap(address), 10);
    }

    @Test
    void shouldKeepTheFieldsOfAMisconfigurationApart() {
        shouldReadBackWhatWasWritten(new MisconfigurationFlyweight().wrap(address), 9);
    }

    @Test
    void shouldKeepTheFieldsOfAMessageRecordApart() {
        shouldReadBackWhatWasWritten(new MessageRecordFlyweight().wrap(address), 2);
    }

    @Test
    void shouldCarryTheHostNameAndCutOneThatIsTooLong() {
        // given
        final HelloFlyweight hello = new HelloFlyweight().wrap(address).clear();
        // when / then
        assertEquals("pc-ü7", hello.name("pc-ü7").name());
        assertEquals(HelloFlyweight.FIXED_LENGTH + 6, hello.length());
        assertTrue(HelloFlyweight.isValid(address, hello.length()));
        assertFalse(HelloFlyweight.isValid(address, hello.length() - 1));
        assertEquals(64, hello.name("x".repeat(100)).name().length());
        assertEquals(FrameHeaderFlyweight.VERSION, hello.protocolVersion());
    }

    @Test
    void shouldKeepReportsOfEachLinkSeparate() {
        // given
        final LinkStatusFlyweight status = new LinkStatusFlyweight().wrap(address).clear(64);
        status.dimension(3).linkNumber(63).beat(-5).neighbour(0x0504_0302_0100L);
        status.sequence(-7).acknowledgement(9).failed(1L << 63).asking(true);
        // when
        for (int link = 0; link < 64; link++) {
            status.sentFrames(link, -link).weight(link, 64 - link);
        }
        // then
        assertTrue(LinkStatusFlyweight.isValid(address, status.length()));
        assertFalse(LinkStatusFlyweight.isValid(address, status.length() - 1));
        for (int link = 0; link < 64; link++) {
            assertEquals(-link, status.sentFrames(link));
            assertEquals(64 - link, status.weight(link));
        }
        assertEquals(3, status.dimension());
        assertEquals(63, status.linkNumber());
        assertEquals(-5, status.beat());
        assertEquals(0x0504_0302_0100L, status.neighbour());
        assertEquals(-7, status.sequence());
        assertEquals(9, status.acknowledgement());
        assertEquals(1L << 63, status.failed());
        assertTrue(status.isAsking());
    }

    @Test
    void shouldReportInAStatusHowLongLoopsHaveWaited() {
        final LinkStatusFlyweight status = new LinkStatusFlyweight().wrap(address).clear(2);
        assertEquals(0, status.waitedNs());
        status.asking(true).waitedNs(61_000_000);
        assertEquals(60_000_000, status.waitedNs());
        assertTrue(status.isAsking());
        status.asking(false).waitedNs(10_000_000_000L);
        assertEquals(254_000_000, status.waitedNs());
        assertFalse(status.isAsking());
        assertTrue(LinkStatusFlyweight.isValid(address, status.length()));
    }

    @Test
    void shouldRefuseAStatusOfLinksThatAreNotThere() {
        // given
        final LinkStatusFlyweight status = new LinkStatusFlyweight().wrap(address).clear(2);
        final int length = status.length();
        // when, then
        assertTrue(LinkStatusFlyweight.isValid(address, length));
        status.failed(4);
        assertFalse(LinkStatusFlyweight.isValid(address, length));
        status.failed(3).linkNumber(2);
        assertFalse(LinkStatusFlyweight.isValid(address, length));
        status.linkNumber(1).weight(0, 0);
        assertFalse(LinkStatusFlyweight.isValid(address, length));
        status.weight(0, 65);
        assertFalse(LinkStatusFlyweight.isValid(address, length));
        status.clear(65);
        assertFalse(LinkStatusFlyweight.isValid(address, 1_000));
    }

    @Test
    void shouldReportWhichFrameAContextDoesNotTakeInNoMoreBytesThanThatHas() {
        // given
        final FrameHeaderFlyweight failed = failed(FrameType.PROBE);
        // when
        final UnreachableFlyweight answer =
                new UnreachableFlyweight()
                        .wrap(address)
                        .answer(failed.address(), UnreachableFlyweight.STALE_INCARNATION, 66);
        // then
        final FrameHeaderFlyweight header = assertAnswers(failed);
        assertEquals(UnreachableFlyweight.STALE_INCARNATION, answer.reason());
        assertFalse(answer.isOfRelay());
        assertEquals(FrameType.PROBE, answer.failedType());
        assertEquals(55, answer.failedIncarnation());
        assertEquals(66, header.sourceIncarnation());
        assertTrue(UnreachableFlyweight.isValid(address));
        header.messageCount(1);
        assertFalse(UnreachableFlyweight.isValid(address));
    }

    @Test
    void shouldReportWhichFrameARelayCannotSendOn() {
        // given
        final long route = Route.of(0x9234_5678, 0xFEDC);
        final FrameHeaderFlyweight failed = failed(FrameType.DATA).route(route);
        // when
        final UnreachableFlyweight answer =
                new UnreachableFlyweight()
                        .wrap(address)
                        .answerOfRelay(failed.address(), UnreachableFlyweight.NO_ROUTE, 123_456);
        // then
        assertAnswers(failed);
        assertTrue(answer.isOfRelay());
        assertEquals(UnreachableFlyweight.NO_ROUTE, answer.reason());
        assertEquals(FrameType.DATA, answer.failedType());
        assertEquals(123_456, answer.failedDestination());
        assertEquals(Route.start(route), answer.failedRoute());
        assertTrue(UnreachableFlyweight.isValid(address));
    }

    @Test
    void shouldRefuseAnswersWithABodyOrForUnknownReasonsAndTypes() {
        // given
        final FrameHeaderFlyweight header = new FrameHeaderFlyweight().wrap(address);
        for (final int window : new int[] {0, 7, 0xFF, 0x0100 * FrameType.COUNT, 0xFF01}) {
            // when
            new UnreachableFlyweight()
                    .wrap(address)
                    .answer(
                            failed(FrameType.OPEN).address(),
                            UnreachableFlyweight.NO_SUCH_CONTEXT,
                            0);
            assertTrue(UnreachableFlyweight.isValid(address));
            header.windowFrames(window | (window > 0xFF ? 1 : FrameType.OPEN << 8));
            // then
            assertFalse(UnreachableFlyweight.isValid(address), "window " + window);
        }
        header.windowFrames(FrameType.OPEN << 8 | 1).bodyLength(1);
        assertFalse(UnreachableFlyweight.isValid(address));
    }

    private FrameHeaderFlyweight failed(final int type) {
        return new FrameHeaderFlyweight()
                .wrap(other)
                .clear()
                .type(type)
                .source(0x0201)
                .sourceIncarnation(44)
                .destinationIncarnation(55)
                .sourceContext(3)
                .destinationContext(4)
                .sequence(77)
                .epoch(8)
                .acknowledgedEpoch(9);
    }

    private FrameHeaderFlyweight assertAnswers(final FrameHeaderFlyweight failed) {
        final FrameHeaderFlyweight header = new FrameHeaderFlyweight().wrap(address);
        assertEquals(FrameType.UNREACHABLE, header.type());
        assertEquals(FrameHeaderFlyweight.LENGTH, FrameHeaderFlyweight.frameLength(address));
        assertEquals(failed.source(), header.destination());
        assertEquals(44, header.destinationIncarnation());
        assertEquals(4, header.sourceContext());
        assertEquals(3, header.destinationContext());
        assertEquals(77, header.sequence());
        assertEquals(8, header.epoch());
        assertEquals(9, header.acknowledgedEpoch());
        return header;
    }

    @Test
    void shouldComputeTheSameCrcWhereverTheBodyIsSplit() {
        // given
        final Random random = new Random(5);
        for (int i = 0; i < 256; i++) {
            Memory.putByte(address + i, random.nextInt());
        }
        final FrameCrc crc = new FrameCrc();
        final int whole = crc.compute(address, 256, 0, 0);
        for (int split = 64; split <= 256; split++) {
            // when
            final int parts = crc.compute(address, split, address + split, 256 - split);
            // then
            assertEquals(whole, parts);
        }
    }

    @Test
    void shouldNameEveryReasonAndKind() {
        assertEquals("TOO_SHORT", DropReason.name(DropReason.TOO_SHORT));
        assertEquals("UNKNOWN_NEIGHBOUR", DropReason.name(DropReason.UNKNOWN_NEIGHBOUR));
        assertEquals("FRAGMENT_REFUSED", DropReason.name(-DropReason.COUNT));
        assertEquals(
                "MTU_DIFFERS",
                MisconfigurationFlyweight.name(MisconfigurationFlyweight.MTU_DIFFERS));
        assertEquals(
                MisconfigurationFlyweight.KIND_COUNT, MisconfigurationFlyweight.DUPLICATE_ADDRESS);
    }
}
