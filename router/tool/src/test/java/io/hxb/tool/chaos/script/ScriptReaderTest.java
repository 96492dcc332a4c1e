package io.hxb.tool.chaos.script;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.ConfigException;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

/** Scripts of faults: what they mean, and what is reported of wrong ones. */
@Tag("unit")
class ScriptReaderTest {
    private final ScriptReader reader = new ScriptReader(new Selector(Shape.parse("2x3"), 2));

    private FaultScript read(final String text) {
        return reader.parse(text, "f.yaml");
    }

    private List<String> problems(final String text) {
        return assertThrows(ConfigException.class, () -> read(text)).problems();
    }

    @Test
    void shouldReadEveryAction() {
        // when
        final FaultScript script =
                read(
                        """
                        - at: 2s
                          pull: x.0 of (0,0)
                        - at: 2500ms
                          restore: x.0 of (0,0)
                        - at: 1s
                          slow: y.1 of 1,2
                          rate: 100mbit
                        - {at: 3s, damage: "x.1 of (0,0)", drop: 5%, corrupt: 0.5%, for: 1s}
                        - {at: 3s, one-way: "x.0 of (0,0)", passes: in}
                        - {at: 3s, flap: "x.0 of (1,0)", period: 200ms}
                        - {at: 3s, unplug: "x.1 of (1,0)"}
                        - {at: 3s, down: "y.1 of (1,0)"}
                        - {at: 4s, kill: "(1,1)"}
                        - {at: 5s, restart: "(1,1)"}
                        - {at: 6s, pause: "0,1", for: 10ms}
                        """);
        // then
        assertEquals(
                List.of(
                        "1000000000 slow y.1 of 1,2 rate 100mbit",
                        "2000000000 pull x.0 of (0,0)",
                        "2500000000 restore x.0 of (0,0)",
                        "3000000000 damage x.1 of (0,0) drop 5% corrupt 0.5%",
                        "3000000000 one-way x.0 of (0,0) passes in",
                        "3000000000 flap x.0 of (1,0) period 200ms",
                        "3000000000 unplug x.1 of (1,0)",
                        "3000000000 down y.1 of (1,0)",
                        "4000000000 restore x.1 of (0,0)",
                        "4000000000 kill (1,1)",
                        "5000000000 restart (1,1)",
                        "6000000000 pause 0,1",
                        "6010000000 resume 0,1"),
                script.faults().stream().map(fault -> fault.atNs() + " " + fault.text()).toList());
        assertEquals(List.of(new Cable(5, 1, 1)), script.faults().getFirst().cables());
        assertEquals(1, script.faults().get(1).line());
        assertTrue(script.hasNodes() && script.hasCables() && script.hasDamage());
    }

    @Test
    void shouldReadBackWhatItWrites() {
        // given
        final FaultScript script =
                read(
                        """
                        - {at: 1s, damage: "* of *", drop: 5%, corrupt: 0.25%, for: 1500ms}
                        - {at: 3s, one-way: "x.0 of (0,0)", passes: out}
                        - {at: 3s, flap: "switch y.0 of (1,1)", period: 200ms}
                        - {at: 4s, pause: "(0,1)"}
                        """);
        // when
        final FaultScript again = read(script.write());
        // then
        assertEquals(script.write(), again.write());
        assertEquals(
                script.faults().stream().map(Fault::cables).toList(),
                again.faults().stream().map(Fault::cables).toList());
    }

    @Test
    void shouldFindAllCablesThatAreMeant() {
        // given
        final Selector selector = new Selector(Shape.parse("2x3"), 2);
        // then: node 1,2 is 5; its line along y has the nodes 1, 3 and 5
        assertEquals(
                List.of(new Cable(5, 0, 0), new Cable(5, 0, 1)), selector.cables("x.* of (1,2)"));
        assertEquals(4, selector.cables("* of 1,2").size());
        assertEquals(6, selector.cables("x.1 of *").size());
        assertEquals(
                List.of(new Cable(1, 1, 0), new Cable(3, 1, 0), new Cable(5, 1, 0)),
                selector.cables("switch y.0 of (1,2)"));
        assertEquals(List.of(5), selector.nodes("( 1, 2 )"));
        assertEquals(6, selector.nodes("*").size());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            textBlock =
                    """
                    {at: 1s, smash: "x.0 of (0,0)"}       | 'smash' is not known; actions are pull,
                    {at: 1s}                              | names no action; actions are pull,
                    {at: 1s, pull: "x.0 of (0,0)", kill: "(0,0)"} | several actions: pull, kill
                    {pull: "x.0 of (0,0)"}                | has no time; add at: 2s
                    {at: -1s, pull: "x.0 of (0,0)"}       | at must not be negative: -1s
                    {at: soon, pull: "x.0 of (0,0)"}      | at must be a duration such as
                    {at: 30h, pull: "x.0 of (0,0)"}       | at must be a duration such as
                    {at: 9000min, pull: "x.0 of (0,0)"}   | at must be at most a day
                    {at: 1s, pull: "x.2 of (0,0)"}        | no link 'x.2': a dimension of this lab has the links 0 to 1
                    {at: 1s, pull: "z.0 of (0,0)"}        | no link 'z.0': the shape 2x3 has the dimensions x to y
                    {at: 1s, pull: "x0 of (0,0)"}         | links are written like x.0
                    {at: 1s, pull: "x.0"}                 | must be cables such as 'x.0 of (0,0)', not 'x.0'
                    {at: 1s, pull: "x.0 of (0,3)"}        | coordinate 3 in '0,3' must be below 3
                    {at: 1s, kill: "(0,0,0)"}             | has 3 coordinates, the shape 2x3 needs 2
                    {at: 1s, slow: "x.0 of (0,0)"}        | slow needs rate: 100mbit
                    {at: 1s, slow: "x.0 of (0,0)", rate: fast} | rate must be a rate such as
                    {at: 1s, damage: "x.0 of (0,0)"}      | damage needs drop: 5% or corrupt: 1%
                    {at: 1s, damage: "x.0 of (0,0)", drop: 101%} | drop must be a share such as 5%
                    {at: 1s, flap: "x.0 of (0,0)"}        | flap needs period: 200ms
                    {at: 1s, one-way: "x.0 of (0,0)", passes: up} | passes must be out
                    {at: 1s, pull: "x.0 of (0,0)", rate: 1gbit} | pull takes no 'rate'
                    {at: 1s, pull: "x.0 of (0,0)", for: 0s} | for must be above 0
                    {at: 1s, pull: [a, b]}                | pull must be one word or text, no list
                    """)
    void shouldReportWhatIsWrongAndWhere(final String line, final String message) {
        // when
        final List<String> problems =
                problems("- {at: 0s, pull: \"y.0 of (1,1)\"}\n- " + line + "\n");
        // then
        assertEquals(1, problems.size(), problems::toString);
        assertTrue(problems.getFirst().startsWith("f.yaml:2: "), problems::toString);
        assertTrue(problems.getFirst().contains(message), problems::toString);
    }

    @Test
    void shouldReportAllProblemsAtOnce() {
        assertEquals(
                3,
                problems(
                                """
                                - {at: 1s, smash: "x.0 of (0,0)"}
                                - {at: -1s, slow: "x.0 of (0,0)"}
                                """)
                        .size());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            textBlock =
                    """
                    {at: 2s, pull: "x.0 of (0,0)"}          | it has another fault at 2s, pull of line 1
                    {at: 1s, slow: "x.* of (0,0)", rate: 1mbit} | it has another fault at 1s, pull of line 1
                    {at: 2s, restore: "x.1 of (0,0)"}       | nothing is wrong with it at 2s
                    {at: 500ms, restore: "x.0 of (0,0)"}    | nothing is wrong with it at 500ms
                    {at: 2s, restart: "(0,0)"}              | nothing is wrong with it at 2s
                    {at: 5s, resume: "(1,1)"}               | kill is ended by restart
                    {at: 5s, pause: "(1,1)"}                | it has another fault at 5s, kill of line 2
                    """)
    void shouldRefuseWhatContradictsEarlierFaults(final String line, final String message) {
        // when
        final List<String> problems =
                problems(
                        "- {at: 1s, pull: \"x.0 of (0,0)\"}\n- {at: 4s, kill: \"(1,1)\"}\n- "
                                + line
                                + "\n");
        // then
        assertTrue(
                problems.stream().anyMatch(problem -> problem.contains(message)),
                problems::toString);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    ''                     | f.yaml:1: is empty
                    pull: x.0              | f.yaml:1: must be a list
                    - pull                 | f.yaml:1: an element must be a mapping
                    - {at: 1s, pull: x, y  | f.yaml:1: is not YAML here
                    """)
    void shouldRefuseOtherFiles(final String text, final String message) {
        // when
        final List<String> problems = problems(text);
        // then
        assertTrue(problems.getFirst().contains(message), problems::toString);
    }
}
