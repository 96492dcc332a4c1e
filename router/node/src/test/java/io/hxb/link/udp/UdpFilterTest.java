package io.hxb.link.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.os.bpf.ClassicCode;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Runs the programs as the kernel does; {@code UdpLinkTest} has the kernel run them. */
@Tag("property")
class UdpFilterTest {
    private static final int LOAD_WORD = 0x20;
    private static final int LOAD_HALF = 0x28;
    private static final int JUMP = 0x05;
    private static final int JUMP_EQUAL = 0x15;
    private static final int JUMP_GREATER = 0x25;
    private static final int RETURN = 0x06;

    @Test
    void shouldAcceptExactlyTheGivenAddresses() {
        final long seed = new SplittableRandom().nextLong();
        final SplittableRandom random = new SplittableRandom(seed);
        for (int run = 0; run < 300; run++) {
            // given: few hosts with many ports, many hosts with one, and all between
            final int hosts = 1 + random.nextInt(256);
            final int ports = 1 + random.nextInt(run % 3 == 0 ? 4 : 256);
            final long[] addresses =
                    random.longs(1 + random.nextInt(1_020))
                            .map(bits -> address(bits, hosts, ports))
                            .sorted()
                            .distinct()
                            .toArray();
            // when
            final long[] program = UdpFilter.of(addresses);
            // then
            assertTrue(program.length <= ClassicCode.MAX_INSTRUCTIONS, "seed " + seed);
            for (int i = 0; i < 200; i++) {
                final long bits = random.nextLong();
                final long near = addresses[random.nextInt(addresses.length)];
                final long address =
                        i % 2 == 0 ? address(bits, hosts, ports) : near ^ 1L << (bits & 31);
                check(program, addresses, address, seed);
                check(program, addresses, near, seed);
            }
        }
    }

    // Half of the hosts are above 127.255.255.255, so that comparisons with a sign would fail.
    private static long address(final long bits, final int hosts, final int ports) {
        final long host = Integer.toUnsignedLong((int) ((bits & 0xFFFF) % hosts * 0x0100_0193));
        return host << 16 | (bits >>> 16 & 0xFFFF) % ports * 251 + 1;
    }

    private static void check(
            final long[] program, final long[] addresses, final long address, final long seed) {
        final boolean isGiven = Arrays.binarySearch(addresses, address) >= 0;
        assertEquals(
                isGiven,
                accepts(program, address),
                () -> UdpAddress.format(address) + ", seed " + seed);
    }

    @Test
    void shouldAcceptNobodyWhenThereIsNobody() {
        // given
        final long[] program = UdpFilter.of();
        // then
        assertTrue(!accepts(program, UdpAddress.parse("127.0.0.1:9")));
    }

    @Test
    void shouldCompareAboutAsOftenAsABinarySearch() {
        // given: a line of 256 nodes, each with a host of its own
        final long[] line = new long[255];
        Arrays.setAll(line, i -> UdpAddress.parse("10.0.1." + i + ":20000"));
        final long[] program = UdpFilter.of(line);
        // when
        final int steps =
                Arrays.stream(line)
                        .mapToInt(address -> (int) (run(program, address) >>> 32))
                        .max()
                        .orElseThrow();
        // then
        assertTrue(steps <= 20, steps + " instructions");
    }

    private static boolean accepts(final long[] program, final long address) {
        return (int) run(program, address) != 0;
    }

    // What the program returns, and above it how many instructions that took.
    private static long run(final long[] program, final long address) {
        int value = 0;
        int at = 0;
        for (long steps = 1; ; steps++) {
            final int code = (int) program[at] & 0xFFFF;
            final int operand = (int) (program[at] >>> 32);
            final int onTrue = (int) (program[at] >>> 16) & 0xFF;
            final int onFalse = (int) (program[at] >>> 24) & 0xFF;
            at++;
            switch (code) {
                case LOAD_WORD -> {
                    assertEquals(ClassicCode.NETWORK_HEADER + 12, operand);
                    value = (int) (address >>> 16);
                }
                case LOAD_HALF -> {
                    assertEquals(0, operand);
                    value = (int) address & 0xFFFF;
                }
                case JUMP -> at += operand;
                case JUMP_EQUAL -> at += value == operand ? onTrue : onFalse;
                case JUMP_GREATER ->
                        at += Integer.compareUnsigned(value, operand) > 0 ? onTrue : onFalse;
                case RETURN -> {
                    return steps << 32 | operand;
                }
                default -> throw new AssertionError("code " + code);
            }
        }
    }
}
