package io.hxb.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

@Tag("unit")
class StreamCheckTest {
    @Test
    void shouldFindNothingWrongWithAStreamInOrder() {
        final StreamCheck check = feed(0, 1, 2, 3, 4);

        assertCounts(check, 5, 0, 0, 0);
    }

    @Test
    void shouldCountWhatIsMissing() {
        final StreamCheck check = feed(0, 1, 4, 5);

        assertCounts(check, 4, 2, 0, 0);
    }

    @Test
    void shouldCountALateMessageAsReorderedAndNotAsLost() {
        final StreamCheck check = feed(0, 2, 1, 3);

        assertCounts(check, 4, 0, 0, 1);
    }

    @Test
    void shouldCountAMessageThatCameAgainAsDuplicated() {
        final StreamCheck check = feed(0, 1, 1, 0, 2, 2);

        assertCounts(check, 6, 0, 3, 0);
    }

    @Test
    void shouldGoOnWhenSequenceNumbersWrapAround() {
        // given
        final StreamCheck check = new StreamCheck();

        // when: far beyond 2^32 in steps that leave gaps
        long expectedLost = 0;
        int sequence = 0;
        for (int i = 0; i < 9; i++) {
            check.onMessage(sequence, 4, true);
            expectedLost += i == 0 ? 0 : (1 << 29) - 1;
            sequence += 1 << 29;
        }

        // then
        assertCounts(check, 9, expectedLost, 0, 0);
    }

    @Test
    void shouldFindEveryMixtureOfReorderingAndDuplicates() {
        for (long seed = 0; seed < 200; seed++) {
            // given: 1,000 messages, shuffled in groups of 8, some of them twice
            final Random random = new Random(seed);
            final List<Integer> order = new ArrayList<>();
            long duplicates = 0;
            for (int group = 0; group < 125; group++) {
                final List<Integer> part = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    part.add(group * 8 + i);
                }
                if (random.nextInt(4) == 0) {
                    part.add(group * 8 + random.nextInt(8));
                    duplicates++;
                }
                Collections.shuffle(part, random);
                order.addAll(part);
            }

            // when
            final StreamCheck check = feed(order.stream().mapToInt(Integer::intValue).toArray());

            // then
            assertEquals(0, check.lost(), "lost, seed " + seed);
            assertEquals(duplicates, check.duplicated(), "duplicated, seed " + seed);
        }
    }

    @Test
    void shouldFollowMessagesShorterThanTheirNumber() {
        for (int length = 1; length < 4; length++) {
            // given
            final StreamCheck check = new StreamCheck();
            final int mask = (1 << (Byte.SIZE * length)) - 1;
            // when: the numbers wrap around; two are missing, one comes late, and one again
            for (int i = 0; i < 300; i++) {
                if (i != 100 && i != 101 && i != 200) {
                    check.onMessage(i & mask, length, true);
                }
                if (i == 203) {
                    check.onMessage(200 & mask, length, true);
                    check.onMessage(199 & mask, length, true);
                }
            }
            // then
            assertCounts(check, 299, 2, 1, 1);
        }
    }

    @Test
    void shouldCountDamage() {
        final StreamCheck check = new StreamCheck();

        check.onMessage(0, 100, true);
        check.onMessage(1, 100, false);

        assertEquals(1, check.corrupt());
        assertEquals(200, check.bytes());
    }

    private static StreamCheck feed(final int... sequences) {
        final StreamCheck check = new StreamCheck();
        for (final int sequence : sequences) {
            check.onMessage(sequence, 4, true);
        }
        return check;
    }

    private static void assertCounts(
            final StreamCheck check,
            final long messages,
            final long lost,
            final long duplicated,
            final long reordered) {
        assertEquals(messages, check.messages(), "messages");
        assertEquals(lost, check.lost(), "lost");
        assertEquals(duplicated, check.duplicated(), "duplicated");
        assertEquals(reordered, check.reordered(), "reordered");
    }
}
