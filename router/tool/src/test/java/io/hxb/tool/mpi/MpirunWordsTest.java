package io.hxb.tool.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.OptionalInt;

/** What is understood of the words that mpirun is given. */
@Tag("unit")
class MpirunWordsTest {
    private static MpirunWords words(final String line) {
        return words(MpirunWords.Syntax.OPEN_MPI, line);
    }

    private static MpirunWords ofHydra(final String line) {
        return words(MpirunWords.Syntax.HYDRA, line);
    }

    private static MpirunWords words(final MpirunWords.Syntax syntax, final String line) {
        return MpirunWords.of(syntax, line.isEmpty() ? List.of() : List.of(line.split(" ", -1)));
    }

    @ParameterizedTest
    @CsvSource({
        "-np 4 ./program, 4",
        "--np 4 ./program -np 9, 4",
        "-n 2 a : -n 3 b, 5",
        "--mca pml cm -c 3 a, 3",
        "-x A -x B=2 -np 7 a --option, 7"
    })
    void shouldCountTheRanks(final String line, final int ranks) {
        assertEquals(OptionalInt.of(ranks), words(line).ranks());
        assertFalse(words(line).isCountOpen());
    }

    @ParameterizedTest
    @ValueSource(strings = {"./program", "./program -np 4", "--mca pml cm a", "-x A a b c"})
    void shouldSeeThatTheNumberOfRanksIsNotGiven(final String line) {
        assertTrue(words(line).isCountOpen());
        assertEquals(OptionalInt.empty(), words(line).ranks());
    }

    @ParameterizedTest
    @ValueSource(strings = {"--npernode 2 a", "-N 2 a", "-pernode a", "-app file", "a : b"})
    void shouldLeaveACountToMpirunThatIsGivenInAnotherWay(final String line) {
        assertFalse(words(line).isCountOpen());
        assertEquals(OptionalInt.empty(), words(line).ranks());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-np 4", "--mca pml", "a :", ": a", "-np 2 a : -np 3"})
    void shouldSeeThatAProgramIsMissing(final String line) {
        assertFalse(words(line).hasPrograms());
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "-np 4 a", "--mca pml cm a", "-v a : -np 2 b", "-app file"})
    void shouldSeeThePrograms(final String line) {
        assertTrue(words(line).hasPrograms());
    }

    @Test
    void shouldSeeOtherHostsButNotAmongTheArgumentsOfAProgram() {
        assertTrue(words("-np 2 -H a,b p").namesHosts());
        assertTrue(words("--hostfile file p").namesHosts());
        assertTrue(words("-np 1 p : --host a q").namesHosts());
        assertFalse(words("-np 2 p --host a").namesHosts());
    }

    @Test
    void shouldPutOthersInFrontOfEachPart() {
        assertEquals(
                List.of("-x", "A", "-np", "1", "p", ":", "-x", "A", "q"),
                words("-np 1 p : q").with(List.of("-x", "A")));
    }

    @Test
    void shouldFindOptionsInFrontOfTheProgramOnly() {
        assertEquals(List.of("--lab"), words("-np 2 --lab 2x2 p").options("--lab"::equals));
        assertEquals(List.of(), words("-np 2 p --lab 2x2").options("--lab"::equals));
    }

    @Test
    void shouldSeeWhichParametersAreSet() {
        assertTrue(words("-np 2 --mca pml cm p").setsParameter("pml"));
        assertTrue(words("-np 2 p : -gmca btl self q").setsParameter("btl"));
        assertFalse(words("-np 2 --mca pml cm p --mca btl self").setsParameter("btl"));
        assertFalse(words("-x pml --mca btl pml p").setsParameter("pml"));
        assertFalse(words("--mca").setsParameter("pml"));
    }

    @Test
    void shouldReadWhatHydraTakes() {
        final MpirunWords words = ofHydra("-genv A 1 -n 2 p -n 9 : -env B 2 -np 3 q");
        assertEquals(OptionalInt.of(5), words.ranks());
        assertTrue(words.hasPrograms());
        assertFalse(words.namesHosts());
        assertTrue(ofHydra("-ppn 1 -f hosts p").namesHosts());
        assertTrue(ofHydra("-ppn 1 p").isCountOpen());
        assertTrue(ofHydra("-configfile f").hasProgramFile());
        assertFalse(ofHydra("-configfile f").isCountOpen());
        assertFalse(ofHydra("-genv A 1").hasPrograms());
    }

    @Test
    void shouldPutOthersInFrontOfEachProgram() {
        assertEquals(
                List.of("-n", "1", "s", "p", "-x", ":", "-env", "A", "1", "s", "q"),
                ofHydra("-n 1 p -x : -env A 1 q").withInFront(List.of("s")));
    }
}
