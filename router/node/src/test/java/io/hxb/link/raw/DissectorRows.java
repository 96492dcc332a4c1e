package io.hxb.link.raw;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.Nonce;
import io.hxb.linux.Memory;
import io.hxb.routing.Route;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The fields that the dissector names, and what the flyweights have in them. */
final class DissectorRows {
    static final Path SCRIPT = Path.of(System.getProperty("hxb.root"), "deploy/wireshark/hxb.lua");

    /**
     * A field.
     *
     * @param name such as {@code hxb.hello.node}.
     * @param layout such as {@code Hello}; empty where no layout has it.
     * @param accessor such as {@code node}.
     * @param type of the field in the dissector.
     */
    record Row(String name, String layout, String accessor, String type) {}

    private static final Pattern ROW =
            Pattern.compile("\\{ \"([a-z_.]+)\", \"(?:(\\w+)\\.(\\w+))?\", \"(\\w+)\"");

    private DissectorRows() {}

    static List<Row> all() throws IOException {
        final List<Row> rows = new ArrayList<>();
        final Matcher row = ROW.matcher(Files.readString(SCRIPT));
        while (row.find()) {
            final boolean isOfLayout = row.group(2) != null;
            rows.add(
                    new Row(
                            "hxb." + row.group(1),
                            isOfLayout ? row.group(2) : "",
                            isOfLayout ? row.group(3) : "",
                            row.group(4)));
        }
        return rows;
    }

    /** Values of a field in a frame, as tshark prints them; null if the layout is not in it. */
    static List<String> values(final Row row, final DissectorSamples.Sample sample)
            throws Exception {
        final Object part = sample.parts().get(row.layout());
        if (part == null) {
            return null;
        }
        final String special = special(row, sample);
        if (special != null) {
            return List.of(special);
        }
        final List<String> values = new ArrayList<>();
        if (part instanceof final Long argument) {
            final Class<?> type = Class.forName("io.hxb.frame." + row.layout() + "Flyweight");
            final Method method = type.getMethod(row.accessor(), long.class);
            values.add(text(row, method.invoke(null, argument)));
            return values;
        }
        if (row.layout().equals("TenantField")) {
            final Class<?> type = Class.forName("io.hxb.frame.TenantField");
            final Method method = type.getMethod(row.accessor(), FrameHeaderFlyweight.class);
            values.add(text(row, method.invoke(null, part)));
            return values;
        }
        final int count = count(part);
        if (count >= 0 && has(part.getClass(), row.accessor(), int.class)) {
            final Method method = part.getClass().getMethod(row.accessor(), int.class);
            for (int i = 0; i < count; i++) {
                final Object value = method.invoke(part, i);
                values.add(
                        row.accessor().equals("runFirst")
                                ? Integer.toString((int) value - DissectorSamples.FIRST_UNRELEASED)
                                : text(row, value));
            }
            return values;
        }
        values.add(text(row, part.getClass().getMethod(row.accessor()).invoke(part)));
        return values;
    }

    // Fields that the flyweights only give in another unit or form.
    private static String special(final Row row, final DissectorSamples.Sample sample) {
        final FrameHeaderFlyweight header = new FrameHeaderFlyweight().wrap(sample.address());
        final long trailer = header.bodyAddress() + header.bodyLength();
        return switch (row.name()) {
            case "hxb.status.waited" -> "17";
            case "hxb.session.flags" -> "3";
            case "hxb.ended.seen" -> Integer.toString(header.windowFrames());
            case "hxb.route" -> Integer.toString(Route.rest(header.route()));
            case "hxb.unreachable.route" -> Integer.toUnsignedString(header.sourceIncarnation());
            case "hxb.seal.tag" -> hex(trailer + Long.BYTES, 16);
            default -> null;
        };
    }

    private static boolean has(final Class<?> type, final String name, final Class<?> argument) {
        try {
            return type.getMethod(name, argument).getReturnType() != type;
        } catch (final NoSuchMethodException e) {
            return false;
        }
    }

    private static int count(final Object part) throws ReflectiveOperationException {
        for (final Method method : part.getClass().getMethods()) {
            if (List.of("links", "runs", "ranges", "adjacencies").contains(method.getName())) {
                return (int) method.invoke(part);
            }
        }
        return -1;
    }

    private static String text(final Row row, final Object value) {
        return switch (value) {
            case Boolean flag -> flag ? "1" : "0";
            case Integer number when row.type().equals("int32") -> Integer.toString(number);
            case Integer number -> Integer.toUnsignedString(number);
            case Long coordinates when row.type().equals("string") -> place(coordinates);
            case Long number -> Long.toUnsignedString(number);
            case Nonce nonce -> nonce(nonce);
            default -> value.toString();
        };
    }

    private static String place(final long coordinates) {
        return coordinates == FrameHeaderFlyweight.ANY_DESTINATION
                ? "all"
                : DissectorSamples.SHAPE.format(coordinates);
    }

    private static String nonce(final Nonce nonce) {
        try (Arena arena = Arena.ofConfined()) {
            final long address = arena.allocate(64, 8).address();
            new io.hxb.frame.SessionFlyweight().wrap(address).nonce(nonce);
            return hex(address + 16, 16);
        }
    }

    private static String hex(final long address, final int lengthBytes) {
        final byte[] bytes = new byte[lengthBytes];
        for (int i = 0; i < lengthBytes; i++) {
            bytes[i] = Memory.getByte(address + i);
        }
        return HexFormat.of().formatHex(bytes);
    }

    /** A value that tshark printed, without its base and ways of writing truth. */
    static String plain(final String printed) {
        final String text = printed.toLowerCase(Locale.ROOT);
        if (text.startsWith("0x")) {
            return Long.toUnsignedString(Long.parseUnsignedLong(text.substring(2), 16));
        }
        return Map.of("true", "1", "false", "0").getOrDefault(text, printed);
    }
}
