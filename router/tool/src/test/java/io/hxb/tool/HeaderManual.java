package io.hxb.tool;

import io.hxb.tool.CHeader.Constant;
import io.hxb.tool.CHeader.Entry;
import io.hxb.tool.CHeader.Function;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The parts of a manual page that are made from headers of C. They stand between the comments
 * {@code .\" begin NAME} and {@code .\" end NAME} of the page. Stateless.
 */
final class HeaderManual {
    private static final String ANY = "Any thread may call it.";

    /** The comments at the start of the headers about single functions. */
    private static final Map<String, String> THREADS =
            Map.of(
                    "hxb_own_context", ANY,
                    "hxb_wake", ANY,
                    "hxb_rpc_own", ANY,
                    "hxb_rpc_wake", ANY,
                    "hxb_group_rank", ANY,
                    "hxb_group_members", ANY,
                    "hxb_close_context",
                            "The owner may call it, and any thread while the owner waits;"
                                    + " no thread may begin another call with the context.",
                    "hxb_detach", ANY + " No thread may begin another call with the device.",
                    "hxb_close_region", ANY + " No thread may begin another call with the region.");

    private static final Set<String> SIGNAL_SAFE =
            Set.of("hxb_wake", "hxb_rpc_wake", "hxb_strerror", "hxb_result_name", "hxb_version");

    /** Objects that belong to one thread. */
    private static final Set<String> OWNED =
            Set.of("hxb_context", "hxb_large", "hxb_remote", "hxb_group", "hxb_rpc");

    private HeaderManual() {}

    /** Declarations of all functions. */
    static String synopsis(final CHeader header) {
        final Mdoc page = new Mdoc();
        for (final Function function : header.functions()) {
            page.macro("Ft", function.type());
            page.macro(
                    "Fn",
                    Stream.concat(
                                    Stream.of(function.name()),
                                    function.parameters().isEmpty()
                                            ? Stream.of("void")
                                            : function.parameters().stream())
                            .toArray(String[]::new));
        }
        return page.toString();
    }

    /** What each function does, and which threads and handlers of signals may call it. */
    static String functions(final CHeader header) {
        final Mdoc page = new Mdoc();
        for (final Entry entry : header.entries()) {
            if (!entry.heading().isEmpty()) {
                page.macro("Ss", entry.heading().replaceFirst(":.*", ""));
                final String rest = entry.heading().replaceFirst("^[^:]*:? ?", "");
                if (!rest.isEmpty()) {
                    page.text(Character.toUpperCase(rest.charAt(0)) + rest.substring(1) + ".");
                }
            }
            if (!entry.functions().isEmpty()) {
                page.macro("Pp");
                for (final Function function : entry.functions()) {
                    page.macro("Fn", function.name());
                }
                page.macro("Pp");
            } else if (!entry.text().isEmpty()) {
                page.macro("Pp");
            }
            if (!entry.text().isEmpty()) {
                page.text(sentence(entry.text()));
            }
            final Set<String> safety =
                    entry.functions().stream()
                            .map(HeaderManual::safety)
                            .collect(Collectors.toCollection(TreeSet::new));
            safety.forEach(page::text);
        }
        return page.toString();
    }

    private static String sentence(final String text) {
        final String start =
                text.matches("[a-z]+( .*)?")
                        ? Character.toUpperCase(text.charAt(0)) + text.substring(1)
                        : text;
        return start.matches("(?s).*[.:?)]") ? start : start + ".";
    }

    private static String safety(final Function function) {
        if (function.name().startsWith("VFN_")) {
            return "Any thread may call it. Handlers of signals must not call it.";
        }
        final String first =
                function.parameters().isEmpty() ? "" : function.parameters().getFirst();
        final String object = first.replaceFirst("^const ", "").replaceFirst(" .*", "");
        final String threads =
                THREADS.getOrDefault(
                        function.name(),
                        !OWNED.contains(object)
                                ? ANY
                                : "Only the owner of the "
                                        + (object.equals("hxb_rpc") ? "end" : "context")
                                        + " may call it.");
        return threads
                + (SIGNAL_SAFE.contains(function.name())
                        ? " Handlers of signals may call it."
                        : " Handlers of signals must not call it.");
    }

    /** What functions return. */
    static String constants(final CHeader header, final String pattern) {
        final Mdoc page = new Mdoc();
        page.raw(".Bl -tag -width Ds");
        for (final Constant constant : header.constants()) {
            if (constant.name().matches(pattern)) {
                page.raw(
                        ".It Dv %s Pq %s"
                                .formatted(
                                        constant.name(),
                                        Integer.toString(constant.value()).replace("-", "\\-")));
                page.text(constant.text().isEmpty() ? "success" : constant.text());
            }
        }
        return page.macro("El").toString();
    }

    /**
     * Puts made parts into a page.
     *
     * @param parts by name.
     * @throws IllegalArgumentException if the page has no place for one of them.
     */
    static String with(final String page, final Map<String, String> parts) {
        String result = page;
        for (final Map.Entry<String, String> part : parts.entrySet()) {
            final String begin = ".\\\" begin " + part.getKey() + "\n";
            final String end = ".\\\" end " + part.getKey() + "\n";
            final int from = result.indexOf(begin);
            final int to = result.indexOf(end);
            if (from < 0 || to < from) {
                throw new IllegalArgumentException("no place for " + part.getKey());
            }
            result =
                    result.substring(0, from + begin.length())
                            + part.getValue()
                            + result.substring(to);
        }
        return result;
    }

    /** Names of functions, in the order of the header. */
    static List<String> names(final CHeader header) {
        return header.functions().stream().map(Function::name).toList();
    }
}
