package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.pm.shm.LinkEventRing;
import io.hxb.pm.shm.NodePage;
import io.hxb.recorder.EventLabels;
import io.hxb.recorder.FlightRecorder;
import io.hxb.testing.RecordingLink;
import io.hxb.testing.RecordingLogger;
import io.hxb.topology.Shape;
import io.hxb.trunk.LinkReason;
import io.hxb.trunk.LinkState;
import io.hxb.trunk.NodeIdentity;
import io.hxb.trunk.Port;
import io.hxb.trunk.health.LinkEvent;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

import java.lang.foreign.Arena;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

@Tag("unit")
class LinkEventDispatcherTest {
    private static final Shape SHAPE = Shape.of(2, 3);

    private final NodePage page =
            new NodePage(Arena.ofAuto().allocate(NodePage.LENGTH_BYTES, 128).address());
    private final Port port = new Port(new RecordingLink(0), 1, 1);
    private final RecordingLogger logger = new RecordingLogger(Level.INFO);
    private final AtomicInteger loopWoken = new AtomicInteger();
    private final FlightRecorder recorder =
            FlightRecorder.inMemory(new EventLabels("lab", 1, 1), 1, () -> 5);
    private final LinkEventDispatcher news = news(() -> {});

    private LinkEventDispatcher news(final Runnable applicationsWaker) {
        return new LinkEventDispatcher(
                new NodeIdentity(SHAPE, SHAPE.parseCoordinates("1,0"), 1, 1, 1, "host"),
                List.of(port),
                () -> 77_000,
                logger,
                new LinkLog(() -> 1),
                new LinkEventSink.OfPage(page.linkEvents(), applicationsWaker),
                loopWoken::incrementAndGet,
                recorder.ofLoop(0));
    }

    private static LinkEvent event(
            final LinkState state, final LinkReason reason, final boolean isLast) {
        return new LinkEvent(5, 0, 1, 1, 2, state, reason, isLast, 0);
    }

    @Test
    void shouldReportWhatAPersonCanDo() {
        assertEquals(
                "y.1 of (1,0) to (1,2): nothing arrives there while other links carry frames:"
                        + " excluded; check cable and switch port of "
                        + port.link().name(),
                news.line(event(LinkState.FAILED, LinkReason.SILENT, false)));
        assertTrue(
                news.line(event(LinkState.FAILED, LinkReason.UNANSWERED, true))
                        .endsWith("its frames take other paths"));
        assertEquals(
                "y.1 of (1,0) to (1,2): heartbeats pass again: used again",
                news.line(event(LinkState.GOOD, LinkReason.HEALED, false)));
    }

    @Test
    void shouldWarnOfAnExcludedLinkAndOnlyReportThatItIsUsedAgain() {
        // when
        news.onLinkEvent(event(LinkState.GOOD, LinkReason.HELLO, false));
        news.onLinkEvent(event(LinkState.FAILED, LinkReason.SILENT, false));
        news.onLinkEvent(event(LinkState.GOOD, LinkReason.HEALED, false));
        news.doWork();

        // then: that a neighbour was found is not news
        assertEquals(2, logger.lines().size(), logger.lines()::toString);
        assertTrue(logger.lines().get(0).startsWith("WARN y.1 of (1,0) to (1,2)"));
        assertTrue(logger.lines().get(1).startsWith("INFO y.1 of (1,0) to (1,2)"));
    }

    @Test
    void shouldNotifyApplicationsAndKeepTheLastReason() {
        // given
        final LinkEventRing reader = page.linkEvents();
        // when
        news.onLinkEvent(event(LinkState.FAILED, LinkReason.LOSSY, true));
        news.onLinkEvent(event(LinkState.GOOD, LinkReason.HEALED, false));
        assertEquals(2, news.doWork());
        // then
        assertTrue(reader.take());
        assertEquals(77_000, reader.timeMs());
        assertEquals(SHAPE.node(SHAPE.parseCoordinates("1,2")), reader.node());
        assertEquals(LinkReason.LOSSY.text(), reader.reason());
        assertTrue(!reader.isGood() && reader.isLast());
        assertTrue(reader.take() && reader.isGood());
        assertTrue(!reader.take());
        assertEquals(LinkReason.HEALED.code(), news.lastReason(0));
    }

    @Test
    void shouldGiveASlowReaderTheLatestInOrder() {
        // given
        final LinkEventRing reader = page.linkEvents();
        // when
        for (int i = 0; i < 100; i++) {
            news.onLinkEvent(
                    event(
                            i % 2 == 0 ? LinkState.FAILED : LinkState.GOOD,
                            i % 2 == 0 ? LinkReason.SILENT : LinkReason.HEALED,
                            false));
            news.doWork();
        }
        // then
        assertEquals(100, reader.count());
        int taken = 0;
        boolean isGood = true;
        while (reader.take()) {
            assertEquals(!isGood, reader.isGood());
            isGood = reader.isGood();
            taken++;
        }
        assertEquals(16, taken);
        assertTrue(isGood);
    }

    @Test
    void shouldWakeTheFirstLoopAndThenTheApplications() {
        // given
        final AtomicInteger seenByApplication = new AtomicInteger();
        final LinkEventRing reader = page.linkEvents();
        final LinkEventDispatcher heard =
                news(() -> seenByApplication.addAndGet(reader.take() ? 1 : 0));
        assertEquals(0, heard.doWork());
        // when
        heard.onLinkEvent(event(LinkState.FAILED, LinkReason.SILENT, false));
        // then
        assertEquals(1, loopWoken.get());
        assertTrue(heard.isWaiting());
        assertEquals(0, seenByApplication.get());
        assertEquals(1, heard.doWork());
        assertEquals(1, seenByApplication.get());
        assertFalse(heard.isWaiting());
    }

    @Test
    void shouldFitEveryReasonIntoThePage() {
        for (final LinkReason reason : LinkReason.values()) {
            assertTrue(reason.text().length() <= 64, reason.text());
        }
    }
}
