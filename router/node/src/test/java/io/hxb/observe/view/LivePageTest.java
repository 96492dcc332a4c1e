package io.hxb.observe.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.NodeState;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The page in a browser, which is started once. */
@Tag("system")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LivePageTest {
    private static final String SHAPE = "4x4";
    private static final int LINKS = 2;
    private static final String LIVE =
            "document.getElementById('connection').dataset.state === 'live'";
    private static final String LOST =
            "document.getElementById('connection').dataset.state === 'lost'";

    private static Browser browser;
    private static PageServer server;

    @BeforeAll
    static void open() throws IOException {
        Assumptions.assumeTrue(Browser.isThere(), "there is no chromium");
        server = new PageServer(new GeneratedNetwork(Shape.parse(SHAPE), LINKS), "first", 0);
        browser = new Browser();
        browser.size(1_300, 900, false);
        browser.open(server.url());
        browser.await("window.hxb && hxb.model.isThere && " + LIVE);
    }

    @AfterAll
    static void close() {
        if (browser != null) {
            browser.close();
        }
        if (server != null) {
            server.close();
        }
    }

    @Test
    void shouldShowALinkThatGoesDown() {
        // given
        browser.await("hxb.model.nodes[5].links[1].state === 'good'");
        // when
        server.network().set(5, "x.1", LinkCondition.DOWN);
        // then
        browser.await("hxb.model.nodes[5].links[1].state === 'down'");
        browser.await("document.getElementById('panel').textContent.includes('x.1')");
        browser.await("hxb.model.timeline.some(e => e.link === 'x.1' && e.kind === 'fault')");
        // when
        server.network().set(5, "x.1", LinkCondition.GOOD);
        // then
        browser.await("hxb.model.timeline.some(e => e.link === 'x.1' && e.kind === 'repair')");
    }

    @Test
    void shouldShowAKilledNode() {
        // when
        server.network().set(9, NodeState.DEAD);
        // then
        browser.await("document.getElementById('panel').textContent.includes('9 (1,2)')");
        browser.await(summary("sum-nodes") + " === '15'");
        // when
        server.network().set(9, NodeState.RUNNING);
        // then
        browser.await(summary("sum-nodes") + " === '16'");
    }

    @Test
    void shouldShowWhoTalksToWhomAndAskOnlyWhileThatIsShown() {
        final String text = "document.getElementById('panel').textContent";
        // when
        browser.evaluate("document.getElementById('tab-flows').click()");
        // then all is there, with the rate once there are two answers
        browser.await(text + ".includes('sink 4711') && " + text + ".includes('source 4711')");
        for (final String part :
                List.of(
                        "user 1000",
                        "1 (1,0)",
                        "2.0 kB",
                        "12.3 us",
                        "x.0 75 %, x.1 25 %",
                        "Node 7: no node listens on /run/x",
                        "relay for others belong to no flow")) {
            browser.await(text + ".includes('" + part + "')");
        }
        browser.await(text + ".includes('5.0 MB/s')");
        assertEquals(0, browser.evaluate("document.querySelectorAll('thead').length").asInt());
        // when a node is open
        browser.evaluate("hxb.open(4)");
        // then only its flows are shown
        browser.await(text + ".includes('4 (0,1)') && !" + text + ".includes('sink')");
        // when another table is chosen
        browser.evaluate("document.getElementById('tab-attention').click()");
        // then
        browser.await("!" + text + ".includes('source')");
        browser.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}))");
        browser.await("document.getElementById('detail').hidden");
    }

    private static String summary(final String id) {
        return "document.getElementById('" + id + "').firstChild.data";
    }

    @Tag("outside")
    @Test
    void shouldMoveTheSelectionByKeysAndOpenIt() {
        // given
        browser.evaluate("document.getElementById('stage').focus()");
        browser.evaluate("hxb.select(0)");
        // when
        browser.press("ArrowRight");
        browser.press("ArrowDown");
        // then
        assertEquals(5, browser.evaluate("hxb.drawing.selected.node").asInt());
        browser.await("document.getElementById('announce').textContent.startsWith('Node 5')");
        // when
        browser.press("Enter");
        // then
        browser.await("document.querySelector('#detail h2')?.textContent === 'Node 5'");
        browser.await("document.querySelector('#detail details td')");
        // when
        browser.press("Escape");
        // then
        browser.await("document.getElementById('detail').hidden");
        // when
        browser.press("/");
        // then
        browser.await("document.activeElement.id === 'search'");
    }

    @Tag("outside")
    @Test
    void shouldOpenTheNodeOrLinkUnderAClick() {
        // given
        browser.evaluate("hxb.drawing.layout()");
        // when
        click("0.5", "0.5");
        // then
        browser.await("document.querySelector('#detail h2')?.textContent === 'Node 6'");
        // when
        final String stroke = "hxb.drawing.geometry.stroke(1, 1)";
        click("(" + stroke + "[0] + " + stroke + "[2]) / 2", stroke + "[1]");
        // then
        browser.await("document.querySelector('#detail h2')?.textContent === 'Link y.1'");
        browser.press("Escape");
    }

    private static void click(final String x, final String y) {
        browser.evaluate(
                "(() => { const g = hxb.drawing.geometry, s = document.getElementById('stage'), b ="
                        + " s.getBoundingClientRect(), o = {bubbles: true, pointerId: 1, clientX:"
                        + " b.left + g.x(6) + g.scale * ("
                        + x
                        + "), clientY: b.top + g.y(6) + g.scale * ("
                        + y
                        + ")}; s.setPointerCapture = () => {}; s.dispatchEvent(new"
                        + " PointerEvent('pointerdown', o)); s.dispatchEvent(new"
                        + " PointerEvent('pointerup', o)); })()");
    }

    @Tag("outside")
    @Test
    void shouldSayThatTheServerHasGoneAndComeBackByItself() {
        // given
        final int port = server.port();
        final GeneratedNetwork network = server.network();
        // when
        server.close();
        try {
            // then
            browser.await(LOST);
            assertTrue(browser.evaluate("document.body.classList.contains('old')").asBoolean());
            assertEquals(16, browser.evaluate("hxb.model.nodes.length").asInt());
        } finally {
            // when: the other tests need it, too
            network.set(2, "y.0", LinkCondition.WEAK);
            server = new PageServer(network, "second", port);
        }
        // then
        browser.await(LIVE + " && hxb.model.nodes[2].links[2].state === 'weak'");
        network.set(2, "y.0", LinkCondition.GOOD);
        browser.await("hxb.model.nodes[2].links[2].state === 'good'");
        // and: the list of faults is that of the new server, each once
        browser.evaluate("document.getElementById('tab-timeline').click()");
        browser.await("document.querySelectorAll('#panel tr:not(.heads)').length === 1");
        assertEquals(
                JsonMapper.builder().build().readTree(server.live().network()).get("timeline"),
                browser.evaluate("hxb.model.timeline"));
        browser.evaluate("document.getElementById('tab-attention').click()");
    }

    @Test
    @Order(Integer.MAX_VALUE)
    void shouldNeitherComplainNorAskOtherHosts() {
        // when
        final List<String> foreign =
                browser.urls().stream()
                        .filter(url -> !url.startsWith("http://127.0.0.1:" + server.port() + "/"))
                        .toList();
        // then
        assertTrue(browser.urls().size() > 10, "the page asks for nothing");
        assertEquals(List.of(), foreign);
        // What is refused while the server is away is said by the browser itself.
        assertEquals(
                List.of(),
                browser.complaints().stream()
                        .filter(text -> !text.contains("ERR_CONNECTION_REFUSED"))
                        .filter(text -> !text.contains("ERR_INCOMPLETE_CHUNKED_ENCODING"))
                        .toList());
    }

    @Tag("outside")
    @Test
    void shouldShowResultsOfAFile() {
        // given
        browser.evaluate("document.getElementById('tab-result').click()");
        // when
        load(
                "{runs: [{series: 'a', accepted: 0.1, latency_mean: 900, saturated: false,"
                    + " deadlocked: false}, {series: 'a', accepted: 0.3, latency_mean: 1200}]}");
        // then
        browser.await(
                "document.querySelector('#panel canvas') && hxb.results.result.series[0].points"
                        + ".length === 2");
        // when
        load(
                "{channels: [{from: 's0', to: 's1', paths: 3}, {from: 's1', to: 's0', paths:"
                        + " 7}]}");
        // then
        browser.await(
                "document.querySelector('#panel tr:not(.heads)')?.textContent.startsWith('s1')");
        // when
        load("{ok: true}");
        // then
        browser.await("document.getElementById('panel').textContent.includes('cannot be shown')");
        browser.evaluate("document.getElementById('tab-attention').click()");
    }

    @Tag("outside")
    @Test
    void shouldDrawLoadsOfChannelsAndGoBack() {
        // when: a torus, whose switches the running network has not
        load(
                "{graph: 'torus:3', channels: [['s0', 's1', 4], ['s1', 's0', 9], ['s1', 's2', 2],"
                    + " ['s2', 's1', 2], ['s2', 's0', 1], ['s0', 's2', 1]].map(([from, to, paths])"
                    + " => ({from, to, paths}))}");
        // then
        browser.await("hxb.loads.shown?.graph.points.length === 3");
        browser.await("!document.getElementById('shown').hidden");
        // when: the busiest channel by keys, then the opposite direction by a click
        browser.evaluate("document.getElementById('stage').focus()");
        browser.press("ArrowRight");
        browser.press("Enter");
        // then
        final String title = "document.querySelector('#detail h2')?.textContent";
        browser.await(title + " === 's1 \\u2192 s0'");
        browser.await("document.querySelector('#detail dd').textContent === '9'");
        // when
        browser.evaluate("hxb.loads.layout()");
        browser.evaluate(
                "(() => { const l = hxb.loads.lines(0)[0], s = document.getElementById('stage'), b"
                        + " = s.getBoundingClientRect(), o = {bubbles: true, pointerId: 1, clientX:"
                        + " b.left + (l[0][0] + l[1][0]) / 2, clientY: b.top + l[0][1] + 2};"
                        + " s.setPointerCapture = () => {}; s.dispatchEvent(new"
                        + " PointerEvent('pointerdown', o)); s.dispatchEvent(new"
                        + " PointerEvent('pointerup', o)); })()");
        // then
        browser.await(title + " === 's0 \\u2192 s1'");
        // when
        browser.evaluate("document.getElementById('live').click()");
        // then
        browser.await("!hxb.loads.shown && document.getElementById('detail').hidden");
        // when: a run of a hyper-crossbar of the same shape
        load(
                "{graph: 'hyper-crossbar:4x4', runs: [{load: 0.1, channel_loads:"
                    + " Object.fromEntries([...Array(16).keys()].flatMap(n => [16 + (n >> 2), 20 +"
                    + " n % 4].flatMap(s => [[`s${n}>s${s}`, n / 16], [`s${s}>s${n}`, 0]])))}]}");
        // then
        browser.await("hxb.loads.shown && hxb.loads.geometry === hxb.drawing.geometry");
        assertEquals(
                "s15",
                browser.evaluate("hxb.loads.facts(hxb.loads.next(0)).title")
                        .asString()
                        .substring(0, 3));
        browser.evaluate("document.getElementById('live').click()");
    }

    @Test
    void shouldShowTheTrafficWithEachNeighbourOfALongLine() {
        // when
        browser.evaluate("hxb.open(0, 'x.0')");
        // then: the generator gives the nearest most
        browser.await(
                "document.querySelectorAll('#detail div tbody tr').length === 3 &&"
                        + " document.querySelector('#detail div tbody"
                        + " button').textContent.startsWith('1 (1,0)')");
        browser.press("Escape");
        // when
        browser.evaluate("document.getElementById('tab-traffic').click()");
        // then
        browser.await(
                "document.querySelectorAll('#panel table').length === 2 &&"
                        + " document.querySelectorAll('#panel table')[1].rows.length > 6");
        browser.evaluate("document.getElementById('tab-attention').click()");
    }

    @Tag("outside")
    @Test
    void shouldNameEveryControlForScreenReaders() {
        // given
        browser.evaluate("hxb.open(5)");
        for (final String tab : List.of("attention", "links", "traffic", "timeline", "result")) {
            browser.evaluate("document.getElementById('tab-" + tab + "').click()");
            // when
            int controls = 0;
            for (final JsonNode node :
                    browser.call("Accessibility.getFullAXTree", Map.of()).get("nodes")) {
                final String role = node.path("role").path("value").asString("");
                if (!node.path("ignored").asBoolean(false) && CONTROLS.contains(role)) {
                    controls++;
                    // then
                    assertFalse(
                            node.path("name").path("value").asString("").isBlank(),
                            node.toString());
                }
            }
            assertTrue(controls > 12, controls + " controls in " + tab);
        }
        assertEquals("[]", browser.evaluate(NOT_REACHED).toString());
        browser.evaluate("document.getElementById('tab-attention').click()");
        browser.press("Escape");
    }

    private static final Set<String> CONTROLS =
            Set.of("button", "tab", "searchbox", "textbox", "combobox", "link", "application");

    // What a click does something to, but the Tab key does not reach; of tabs, one is reached.
    private static final String NOT_REACHED =
            """
            [...document.querySelectorAll('button, input, select, summary, [tabindex]')]
              .filter(each => each.tabIndex < 0 && each.getAttribute('role') !== 'tab')
              .map(each => each.outerHTML)\
            """;

    private static void load(final String result) {
        browser.evaluate(
                "hxb.results.load(new File([JSON.stringify(" + result + ")], 'result.json'))");
    }

    @Tag("outside")
    @Test
    void shouldFitANarrowScreen() {
        // when
        browser.size(400, 800, true);
        // then
        browser.await("innerWidth === 400 && hxb.drawing.width <= 400");
        assertEquals(
                0, browser.evaluate("document.documentElement.scrollWidth - innerWidth").asInt());
        browser.await("document.documentElement.dataset.theme === 'dark'");
        browser.size(1_300, 900, false);
        browser.await("hxb.drawing.width > 1000");
    }

    @Tag("outside")
    @Test
    void shouldGiveTabsChartsAndPanelsTheirRoles() {
        // given
        browser.evaluate("hxb.open(3, 'x.0')");
        // when
        final Map<String, List<String>> names = accessibleNames();
        // then
        assertEquals(7, names.get("tab").size(), names::toString);
        assertEquals(1, names.get("tabpanel").size(), names::toString);
        assertTrue(names.get("tablist").contains("Tables"), names::toString);
        assertTrue(names.get("complementary").contains("Selection"), names::toString);
        assertTrue(names.get("application").getFirst().startsWith("Network. Arrows"));
        assertTrue(names.get("image").contains("Traffic over the last ten minutes"));
        assertFalse(names.get("image").contains(""), names::toString);
        browser.press("Escape");
    }

    // What a screen reader is told, by role.
    private static Map<String, List<String>> accessibleNames() {
        final Map<String, List<String>> names = new TreeMap<>();
        for (final JsonNode node :
                browser.call("Accessibility.getFullAXTree", Map.of()).get("nodes")) {
            if (!node.get("ignored").asBoolean()) {
                names.computeIfAbsent(
                                node.path("role").path("value").asString(""),
                                role -> new ArrayList<>())
                        .add(node.path("name").path("value").asString(""));
            }
        }
        return names;
    }

    @Test
    void shouldTellScreenReadersOfANewFault() {
        // when
        server.network().set(6, "y.1", LinkCondition.FAILED);
        // then
        browser.await(
                "/6 .*link y.1 is failed/.test(document.getElementById('faults').textContent)");
        assertEquals(
                "status", browser.evaluate("document.getElementById('faults').role").asString());
        server.network().set(6, "y.1", LinkCondition.GOOD);
        browser.await("hxb.model.timeline.some(e => e.link === 'y.1' && e.kind === 'repair')");
    }

    @Test
    void shouldDrawStatesInDifferentFormsNotColoursAlone() {
        final JsonNode same =
                browser.evaluate(
                        """
                        import('/page/drawing.js').then(({drawStrokes, drawCells}) => {
                          const palette = new Proxy({}, {get: (_, name) => name === 'card' ? '#fff' : '#000'});
                          const picture = draw => {
                            const canvas = document.createElement('canvas');
                            canvas.width = canvas.height = 80;
                            const context = canvas.getContext('2d');
                            draw(context);
                            return context.getImageData(0, 0, 80, 80).data.join();
                          };
                          const links = ['link-2', 'weak', 'alone', 'failed', 'down'].map(look =>
                            picture(context => drawStrokes(context, palette, look, [5, 40, 70, 40], 60)));
                          const nodes = ['cell-1', 'stopped', 'dead', 'unheard', 'absent'].map(look =>
                            picture(context => drawCells(context, palette, look, [5, 5], 60)));
                          return [new Set(links).size, new Set(nodes).size];
                        })
                        """);
        assertEquals("[5,5]", same.toString());
    }
}
