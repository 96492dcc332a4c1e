package io.hxb.arch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The order of dependencies: {@code ARCHITECTURE.md}, Floors. */
@Tag("unit")
class DependencyTest {
    private static final String ROOT = "io.hxb.";

    /** From the bottom up; a package uses those of lower rows only. */
    private static final List<Set<String>> ORDER =
            List.of(
                    Set.of("linux", "time"),
                    Set.of("topology", "pm", "os", "log", "crypto", "http"),
                    Set.of("routing", "fabric", "tap"),
                    Set.of("frame", "sim"),
                    Set.of("config"),
                    Set.of("recorder"),
                    Set.of("counter"),
                    Set.of("link", "session", "gossip", "linkstate"),
                    Set.of("flow", "trunk"),
                    Set.of("forward", "remote", "observe"),
                    Set.of("vlan", "context"),
                    Set.of("manager"),
                    Set.of("node"),
                    Set.of("tool"));

    /**
     * Packages without circles of classes, and in each the classes that hold one another as data: a
     * flow its window, and that its flow.
     */
    private static final Map<String, Set<String>> CIRCLES =
            Map.of(
                    "io.hxb.flow",
                    Set.of(
                            "ContextCredit",
                            "Flow",
                            "FlowContext",
                            "FlowCookies",
                            "FlowRights",
                            "FlowTable",
                            "FlowTimers",
                            "LoopInbox",
                            "LossDetector",
                            "ReceiveFlow",
                            "SendBacklog",
                            "SendFlow",
                            "SendWindow",
                            "Tombstone",
                            "Tombstones",
                            "TxFrame",
                            "TxPool",
                            "UnlimitedRights"),
                    "io.hxb.context",
                    Set.of(
                            "AttachedProcess",
                            "ContextEndpoint",
                            "EndpointMemory",
                            "EndpointSends",
                            "LentMemory",
                            "MemoryReclaimer",
                            "Region"),
                    "io.hxb.manager",
                    Set.of(),
                    "io.hxb.vlan.health",
                    Set.of());

    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .withImportOption(place -> !place.contains("-tests.jar"))
                    .importPackages("io.hxb");

    private static int row(final String name) {
        for (int row = 0; row < ORDER.size(); row++) {
            if (ORDER.get(row).contains(name)) {
                return row;
            }
        }
        return -1;
    }

    private static String packageOf(final JavaClass type) {
        return type.getPackageName().substring(ROOT.length()).split("\\.", 2)[0];
    }

    @Test
    void shouldKnowThePlaceOfEveryPackage() {
        // when
        final Set<String> unknown = new TreeSet<>();
        for (final JavaClass type : CLASSES) {
            if (row(packageOf(type)) < 0) {
                unknown.add(type.getPackageName());
            }
        }
        // then
        assertTrue(CLASSES.size() > 20, "only " + CLASSES.size() + " classes were found");
        assertEquals(Set.of(), unknown, "give these packages a place in the order above");
    }

    @Test
    void shouldOnlyDependOnPackagesFurtherDown() {
        // when
        final List<String> wrong = new ArrayList<>();
        for (final JavaClass type : CLASSES) {
            for (final Dependency dependency : type.getDirectDependenciesFromSelf()) {
                final JavaClass target = dependency.getTargetClass();
                if (target.getPackageName().startsWith(ROOT) && !isAllowed(type, target)) {
                    wrong.add(dependency.getDescription());
                }
            }
        }
        // then
        assertEquals(List.of(), wrong);
    }

    private static boolean isAllowed(final JavaClass from, final JavaClass to) {
        return packageOf(from).equals(packageOf(to)) || row(packageOf(to)) < row(packageOf(from));
    }

    @Test
    void shouldHaveNoCyclesAmongPackagesAndTheirParts() {
        SlicesRuleDefinition.slices()
                .matching("io.hxb.(**)")
                .should()
                .beFreeOfCycles()
                .check(CLASSES);
    }

    @Test
    void shouldHaveNoCirclesOfClassesInPackagesThatAreWired() {
        // when
        final Map<String, Set<String>> found = new TreeMap<>();
        for (final String name : CIRCLES.keySet()) {
            found.put(name, circles(references(name)));
        }
        // then
        assertEquals(CIRCLES, found);
    }

    /** Which other classes of a package each of them uses, those within it included. */
    private static Map<String, Set<String>> references(final String packageName) {
        final Map<String, Set<String>> used = new TreeMap<>();
        for (final JavaClass type : CLASSES) {
            final String from = outermost(type);
            if (type.getPackageName().equals(packageName) && Modules.isOfMainCode(from)) {
                final Set<String> targets = used.computeIfAbsent(from, key -> new TreeSet<>());
                for (final Dependency dependency : type.getDirectDependenciesFromSelf()) {
                    final JavaClass target = dependency.getTargetClass();
                    if (target.getPackageName().equals(packageName)
                            && !outermost(target).equals(from)) {
                        targets.add(outermost(target));
                    }
                }
            }
        }
        assertTrue(used.size() > 10, "only " + used.size() + " classes in " + packageName);
        return used;
    }

    private static String outermost(final JavaClass type) {
        return type.getBaseComponentType().getName().split("\\$", 2)[0];
    }

    /** The simple names of the classes from which a path of uses leads back to them. */
    private static Set<String> circles(final Map<String, Set<String>> used) {
        final Set<String> circles = new TreeSet<>();
        for (final String start : used.keySet()) {
            final Set<String> reached = new TreeSet<>();
            final Deque<String> open = new ArrayDeque<>(used.get(start));
            while (!open.isEmpty()) {
                final String next = open.pop();
                if (reached.add(next)) {
                    open.addAll(used.getOrDefault(next, Set.of()));
                }
            }
            if (reached.contains(start)) {
                circles.add(start.substring(start.lastIndexOf('.') + 1));
            }
        }
        return circles;
    }

    @Test
    void shouldNotDoInputOrOutputInPurePackages() {
        ArchRuleDefinition.noClasses()
                .that()
                .resideInAnyPackage("io.hxb.topology..", "io.hxb.routing..", "io.hxb.fabric..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "java.io..",
                        "java.nio..",
                        "java.net..",
                        "java.lang.foreign..",
                        "java.util.concurrent..",
                        "io.hxb.linux..",
                        "io.hxb.os..",
                        "io.netty..",
                        "org.slf4j..")
                .check(CLASSES);
    }

    @Test
    void shouldSimulateWithoutInputOrOutput() {
        ArchRuleDefinition.noClasses()
                .that()
                .resideInAPackage("io.hxb.sim..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "java.io..",
                        "java.nio..",
                        "java.net..",
                        "java.lang.foreign..",
                        "io.netty..",
                        "org.slf4j..")
                .check(CLASSES);
    }

    @Test
    void shouldKeepTheApiOfApplicationsFreeOfTheRouter() {
        ArchRuleDefinition.classes()
                .that()
                .resideInAnyPackage("io.hxb.pm..", "io.hxb.linux..")
                .and()
                .resideOutsideOfPackage("io.hxb.pm.netty..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "io.hxb.pm..", "io.hxb.linux..", "java..", "org.agrona..", "org.slf4j..")
                .check(CLASSES);
    }

    @Test
    void shouldNeedNettyForItsOwnChannelsOnly() {
        ArchRuleDefinition.classes()
                .that()
                .resideInAPackage("io.hxb.pm.netty..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("io.hxb.pm..", "java..", "io.netty..")
                .check(CLASSES);
        ArchRuleDefinition.noClasses()
                .that()
                .resideInAPackage("io.hxb.pm..")
                .and()
                .resideOutsideOfPackage("io.hxb.pm.netty..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.hxb.pm.netty..")
                .check(CLASSES);
    }

    @Test
    void shouldNeedATerminalForTopOnly() {
        ArchRuleDefinition.noClasses()
                .that()
                .resideOutsideOfPackage("io.hxb.tool.top..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.jline..")
                .check(CLASSES);
    }

    @Test
    void shouldLoadThePlottingLibraryForChartsOnly() {
        ArchRuleDefinition.noClasses()
                .that()
                .resideOutsideOfPackage("io.hxb.tool.chart..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.knowm..", "java.awt..")
                .check(CLASSES);
    }

    @Test
    void shouldCallNoConfigurationAContext() {
        ArchRuleDefinition.noClasses()
                .that()
                .resideInAPackage("io.hxb.config..")
                .should()
                .haveSimpleNameEndingWith("Context")
                .check(CLASSES);
    }
}
