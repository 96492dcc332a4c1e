package io.hxb.vlan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** What was put into columns comes out of them. */
@Tag("property")
class HostColumnsTest {
    private static final int ROUNDS = 200;
    private static final String[] NAMES = {"", "h", "node", "r\u00e4ck-", "x".repeat(300)};

    private static long value(final SplittableRandom random, final int kind, final int host) {
        return switch (kind) {
            case 0 -> 7;
            case 1 -> 1_000 + host;
            case 2 -> 1_000 + host + random.nextInt(300);
            case 3 -> (1L + random.nextInt(3)) << 40;
            case 4 -> random.nextLong(1L << 48);
            default -> random.nextInt(70_000);
        };
    }

    private static HostRow row(final SplittableRandom random, final int[] kinds, final int host) {
        final String name = NAMES[random.nextInt(1 + kinds[3] % NAMES.length)];
        return new HostRow(
                name + (kinds[3] == 0 ? random.nextInt() : host) + name,
                value(random, kinds[0], host),
                (int) value(random, kinds[1] % 3, host) % 4_094 + 1,
                (int) value(random, kinds[2], host));
    }

    @Test
    void shouldGiveBackTheRows() {
        for (int seed = 0; seed < ROUNDS; seed++) {
            // given
            final SplittableRandom random = new SplittableRandom(seed);
            final int[] kinds = random.ints(4, 0, 6).toArray();
            final List<HostRow> rows = new ArrayList<>();
            final int count = random.nextInt(600);
            for (int host = 0; host < count; host++) {
                rows.add(row(random, kinds, host));
            }
            // when
            final HostColumns columns = HostColumns.of(rows);
            // then
            assertEquals(rows, columns, "seed " + seed);
            for (int host = 0; host < count; host++) {
                assertEquals(rows.get(host).mac(), columns.mac(host));
                final int other = random.nextInt(count);
                final HostRow decides =
                        rows.get(host).rank() < rows.get(other).rank()
                                ? rows.get(host)
                                : rows.get(other);
                assertEquals(decides.vid(), columns.vid(host, other), "seed " + seed);
            }
        }
    }

    @Test
    void shouldHoldAnyNumberThatFits() {
        for (final long max : new long[] {0, 1, 255, 256, 65_535, 65_536, 1L << 62}) {
            // given
            final Numbers numbers = new Numbers(5, max);
            // when
            for (int i = 0; i < numbers.count(); i++) {
                numbers.set(i, i % 2 == 0 ? max : max / 3);
            }
            // then
            for (int i = 0; i < numbers.count(); i++) {
                assertEquals(i % 2 == 0 ? max : max / 3, numbers.get(i));
            }
        }
    }
}
