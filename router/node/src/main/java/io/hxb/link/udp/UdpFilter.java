package io.hxb.link.udp;

import io.hxb.os.bpf.ClassicCode;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The classic BPF program of a link's socket: lets through what comes from given addresses. The
 * kernel runs it before a datagram takes any room in the socket, so that strangers use neither its
 * buffer nor a turn of a loop; frames that pass need no further check of their source. Pure.
 *
 * <p>A search in two steps, for the IPv4 address and for the port: first by the one with fewer
 * values, so that both hosts with one port each and ports of one host take about as many
 * comparisons as a binary search.
 */
final class UdpFilter {
    // After the UDP header's start, where a socket's filter begins; of the IPv4 header.
    private static final int SOURCE_PORT_OFFSET = 0;
    private static final int SOURCE_ADDRESS_OFFSET = ClassicCode.NETWORK_HEADER + 12;
    private static final int PORT_BITS = 16;
    private static final int PORT_MASK = 0xFFFF;

    /** Values that are compared one after the other. */
    private static final int LEAF_VALUES = 4;

    private UdpFilter() {}

    private interface Leaf {
        /** What is done when the value was found. */
        List<Long> code(int value);
    }

    /**
     * Writes the program.
     *
     * @param addresses as from {@link UdpAddress#parse}, ascending, each once.
     */
    static long[] of(final long... addresses) {
        if (addresses.length == 0) {
            return new long[] {ClassicCode.reject()};
        }
        final boolean isPortFirst = ports(addresses).size() < hosts(addresses).size();
        final List<Long> code = new ArrayList<>();
        if (isPortFirst) {
            code.add(ClassicCode.loadHalf(SOURCE_PORT_OFFSET));
            code.addAll(search(ports(addresses), port -> ofHosts(withPort(addresses, port))));
        } else {
            code.add(ClassicCode.loadWord(SOURCE_ADDRESS_OFFSET));
            code.addAll(search(hosts(addresses), host -> ofPorts(withHost(addresses, host))));
        }
        return code.stream().mapToLong(Long::longValue).toArray();
    }

    private static List<Long> ofHosts(final long[] addresses) {
        final List<Long> code = new ArrayList<>();
        code.add(ClassicCode.loadWord(SOURCE_ADDRESS_OFFSET));
        code.addAll(search(hosts(addresses), _ -> List.of(ClassicCode.accept())));
        return code;
    }

    private static List<Long> ofPorts(final long[] addresses) {
        final List<Long> code = new ArrayList<>();
        code.add(ClassicCode.loadHalf(SOURCE_PORT_OFFSET));
        code.addAll(search(ports(addresses), _ -> List.of(ClassicCode.accept())));
        return code;
    }

    private static List<Long> search(final List<Integer> values, final Leaf leaf) {
        if (values.size() > LEAF_VALUES) {
            final int middle = values.size() / 2;
            return ClassicCode.choose(
                    values.get(middle - 1),
                    search(values.subList(0, middle), leaf),
                    search(values.subList(middle, values.size()), leaf));
        }
        List<Long> code = List.of(ClassicCode.reject());
        for (int i = values.size() - 1; i >= 0; i--) {
            code = choose(values.get(i), leaf.code(values.get(i)), code);
        }
        return code;
    }

    // The code for a value that was found may be longer than a conditional jump.
    private static List<Long> choose(
            final int value, final List<Long> found, final List<Long> rest) {
        final List<Long> code = new ArrayList<>();
        if (found.size() == 1) {
            code.add(ClassicCode.jumpIfEqual(value, 0, 1));
        } else {
            code.add(ClassicCode.jumpIfEqual(value, 1, 0));
            code.add(ClassicCode.jump(found.size()));
        }
        code.addAll(found);
        code.addAll(rest);
        return code;
    }

    private static List<Integer> hosts(final long[] addresses) {
        final List<Integer> hosts = new ArrayList<>();
        for (final long address : addresses) {
            final int host = (int) (address >>> PORT_BITS);
            if (hosts.isEmpty() || hosts.getLast().intValue() != host) {
                hosts.add(host);
            }
        }
        return hosts;
    }

    private static List<Integer> ports(final long[] addresses) {
        return Arrays.stream(addresses)
                .mapToInt(address -> (int) address & PORT_MASK)
                .sorted()
                .distinct()
                .boxed()
                .toList();
    }

    private static long[] withPort(final long[] addresses, final int port) {
        return Arrays.stream(addresses).filter(address -> (address & PORT_MASK) == port).toArray();
    }

    private static long[] withHost(final long[] addresses, final int host) {
        return Arrays.stream(addresses)
                .filter(address -> (int) (address >>> PORT_BITS) == host)
                .toArray();
    }
}
