package io.hxb.arch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.context.LibHxb;
import io.hxb.context.LibHxb.Build;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The floors of the C sources, which the Makefile of libhxb lists, and the size of C files and
 * functions.
 */
@Tag("system")
class CFloorsTest {
    private static final Path ROOT = Path.of(System.getProperty("hxb.root"));
    private static final Path SOURCES = ROOT.resolve("pm-api/src/main/c");

    /** Headers below all floors: what is installed, constants, and what needs hxb.h alone. */
    private static final Set<String> GROUND =
            Set.of("hxb.h", "hxb_rpc.h", "hxb_layout.h", "free_context.h");

    /** The provider is linked with the finished libhxb: of its floors it may only include this. */
    private static final String SHARED = "base/clock.h";

    private static final Pattern INCLUDE = Pattern.compile("(?m)^ *#include \"([^\"]+)\"");
    private static final Pattern NM =
            Pattern.compile("(\\S+) ([A-Z])( .*)?"); // of what other objects see
    private static final int MAX_FILE_LINES = 600;
    private static final int MAX_FUNCTION_LINES = 70;

    /** One library: its folder in the sources, and its floors, the lowest first. */
    private record Library(String folder, List<String> floors) {
        static Library of(final String folder, final String variable) throws IOException {
            final Matcher line =
                    Pattern.compile("(?m)^" + variable + " = (.*)$")
                            .matcher(Files.readString(SOURCES.resolve("Makefile")));
            assertTrue(line.find(), variable);
            return new Library(folder, List.of(line.group(1).split(" ")));
        }

        Path path() {
            return SOURCES.resolve(folder);
        }

        /**
         * The number of the floor of a file, which is named from the folder of the library; -1 for
         * none.
         */
        int floorOf(final String file) {
            return floors.indexOf(file.split("/", 2)[0]);
        }
    }

    private static Library library() throws IOException {
        return Library.of("", "FLOORS");
    }

    private static Library provider() throws IOException {
        return Library.of("libfabric/", "FI_FLOORS");
    }

    /** Files of the floors with one of these endings, named from the folder of the library. */
    private static List<String> files(final Library library, final String ending)
            throws IOException {
        final List<String> names = new ArrayList<>();
        for (final String floor : library.floors()) {
            try (Stream<Path> files = Files.list(library.path().resolve(floor))) {
                files.map(file -> library.path().relativize(file).toString())
                        .filter(name -> name.matches(".*\\.(" + ending + ")"))
                        .sorted()
                        .forEach(names::add);
            }
        }
        assertTrue(names.size() > 3, library.toString());
        return names;
    }

    @Test
    void shouldHaveAFloorForEveryFile() throws IOException {
        // given
        final Set<String> known = new TreeSet<>(GROUND);
        files(library(), "[ch]").forEach(known::add);
        files(provider(), "[ch]").forEach(name -> known.add("libfabric/" + name));
        // when
        final List<String> unknown;
        try (Stream<Path> files = Files.walk(SOURCES)) {
            unknown =
                    files.map(file -> SOURCES.relativize(file).toString())
                            .filter(name -> name.matches(".*\\.[ch]") && !name.startsWith("mpi/"))
                            .filter(name -> !name.startsWith("build/") && !known.contains(name))
                            .toList();
        }
        // then
        assertEquals(List.of(), unknown);
    }

    @Test
    void shouldIncludeNoHeaderOfAHigherFloor() throws IOException {
        for (final Library library : List.of(library(), provider())) {
            // when
            final List<String> wrong = new ArrayList<>();
            for (final String file : files(library, "[ch]")) {
                for (final String header : includes(library.path().resolve(file))) {
                    final boolean isOwn = header.startsWith(library.folder());
                    final int floor =
                            isOwn
                                    ? library.floorOf(header.substring(library.folder().length()))
                                    : -1;
                    final boolean isShared =
                            GROUND.contains(header) || (!isOwn && header.equals(SHARED));
                    if (!isShared && (floor < 0 || floor > library.floorOf(file))) {
                        wrong.add(file + " includes " + header);
                    }
                }
            }
            // then
            assertEquals(List.of(), wrong);
        }
    }

    @Test
    void shouldIncludeNoHeadersInCircles() throws IOException {
        for (final Library library : List.of(library(), provider())) {
            // when
            final Map<String, Set<String>> uses = new TreeMap<>();
            for (final String file : files(library, "h")) {
                final Set<String> used = new TreeSet<>(includes(library.path().resolve(file)));
                uses.put(library.folder() + file, used);
            }
            // then
            assertEquals(List.of(), circle(uses));
        }
    }

    @Test
    void shouldUseNoSymbolOfAHigherFloorOrInCircles() throws IOException, InterruptedException {
        LibHxb.build(Build.PLAIN, "libhxb.a");
        assertSymbolsGoDown(library(), file -> file);
    }

    @Test
    void shouldUseNoSymbolOfAHigherFloorOrInCirclesInTheProvider()
            throws IOException, InterruptedException {
        Assumptions.assumeTrue(
                Files.exists(Path.of("/usr/include/rdma/providers/fi_prov.h")),
                "skipped: there are no headers of libfabric (Debian: libfabric-dev)");
        LibHxb.build(Build.PLAIN, "fi/libhxb-fi.so");
        assertSymbolsGoDown(provider(), file -> "fi/" + file);
    }

    /** What objects use of each other, as the compiler has left it. */
    private static void assertSymbolsGoDown(
            final Library library, final Function<String, String> objectOf)
            throws IOException, InterruptedException {
        // given
        final Map<String, Set<String>> undefined = new LinkedHashMap<>();
        final Map<String, String> owners = new HashMap<>();
        for (final String file : files(library, "c")) {
            final String object = objectOf.apply(file.substring(0, file.length() - 1) + "o");
            for (final String line : symbols(Build.PLAIN.file(object))) {
                final Matcher symbol = NM.matcher(line);
                if (symbol.matches() && symbol.group(2).equals("U")) {
                    undefined.computeIfAbsent(file, key -> new TreeSet<>()).add(symbol.group(1));
                } else if (symbol.matches()) {
                    owners.put(symbol.group(1), file);
                }
            }
        }
        // when
        final Map<String, Set<String>> uses = new TreeMap<>();
        final List<String> wrong = new ArrayList<>();
        undefined.forEach(
                (file, names) -> {
                    for (final String name : names) {
                        final String owner = owners.get(name);
                        if (owner != null) {
                            uses.computeIfAbsent(file, key -> new TreeSet<>()).add(owner);
                            if (library.floorOf(owner) > library.floorOf(file)) {
                                wrong.add(file + " uses " + name + " of " + owner);
                            }
                        }
                    }
                });
        // then
        assertTrue(uses.size() > library.floors().size(), "the objects have no symbols: " + uses);
        assertEquals(List.of(), wrong);
        assertEquals(List.of(), circle(uses));
    }

    /** Of an object that is compiled for optimization as a whole, too: hence gcc's own nm. */
    private static List<String> symbols(final Path object)
            throws IOException, InterruptedException {
        final Process nm =
                new ProcessBuilder("gcc-nm", "-g", "--format=posix", object.toString())
                        .redirectErrorStream(true)
                        .start();
        final String text = new String(nm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, nm.waitFor(), text);
        return text.lines().toList();
    }

    private static List<String> includes(final Path file) throws IOException {
        return INCLUDE.matcher(Files.readString(file))
                .results()
                .map((final MatchResult include) -> include.group(1))
                .toList();
    }

    /** The files that are left when those that use no other file are taken away again and again. */
    private static List<String> circle(final Map<String, Set<String>> uses) {
        final Map<String, Set<String>> left = new TreeMap<>();
        uses.forEach((file, used) -> left.put(file, new TreeSet<>(used)));
        boolean isChanged = true;
        while (isChanged) {
            left.values().forEach(used -> used.retainAll(left.keySet()));
            isChanged = left.values().removeIf(Set::isEmpty);
        }
        return left.entrySet().stream().map(Object::toString).toList();
    }

    @Test
    void shouldHaveNoLongFilesAndFunctions() throws IOException {
        // when
        final List<String> tooLong = new ArrayList<>();
        for (final String folder :
                List.of("pm-api/src", "libvfn", "examples/src", "benchmarks/src")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
                for (final Path file :
                        files.filter(each -> each.toString().matches(".*\\.(c|h|cpp)"))
                                .collect(Collectors.toList())) {
                    measure(file, tooLong);
                }
            }
        }
        // then
        assertEquals(List.of(), tooLong);
    }

    private static void measure(final Path file, final List<String> tooLong) throws IOException {
        final List<String> lines = Files.readAllLines(file);
        if (lines.size() > MAX_FILE_LINES) {
            tooLong.add(file + " has " + lines.size() + " lines");
        }
        int begin = 0;
        for (int i = 0; i < lines.size(); i++) {
            final String line = lines.get(i);
            if (!line.isEmpty() && Character.isLetter(line.charAt(0))) {
                begin = i;
            } else if (line.equals("}") && i - begin + 1 > MAX_FUNCTION_LINES) {
                final String name = Arrays.toString(lines.get(begin).split("\\(", 2));
                tooLong.add(file + " has " + (i - begin + 1) + " lines: " + name);
            }
        }
    }
}
