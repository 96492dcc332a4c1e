package io.hxb.arch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Set;
import java.util.TreeSet;

/** What a class has in its fields it alone writes: others tell it what happened, or ask. */
@Tag("unit")
class OwnershipTest {
    /**
     * Classes whose fields others may set, each with the measurement that shows that its hot loop
     * needs it.
     */
    private static final Set<String> EXCEPTIONS = Set.of();

    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .withImportOption(place -> !place.contains("-tests.jar"))
                    .importPackages("io.hxb");

    @Test
    void shouldSetNoFieldOfAnotherClass() {
        // when
        int own = 0;
        final Set<String> foreign = new TreeSet<>();
        for (final JavaClass type : CLASSES) {
            if (!isOfMainCode(type)) {
                continue;
            }
            for (final JavaFieldAccess access : type.getFieldAccessesFromSelf()) {
                if (access.getAccessType() == JavaFieldAccess.AccessType.SET) {
                    final JavaClass owner = outermost(access.getTargetOwner());
                    if (owner.equals(outermost(type)) || isInherited(type, access)) {
                        own++;
                    } else if (!EXCEPTIONS.contains(owner.getSimpleName())) {
                        foreign.add(access.getDescription());
                    }
                }
            }
        }
        // then
        assertTrue(own > 1_000, "only " + own + " fields were found to be set");
        assertEquals(Set.of(), foreign);
    }

    /** True if its source is in one of the modules that nodes and applications run. */
    private static boolean isOfMainCode(final JavaClass type) {
        return Modules.isOfMainCode(outermost(type).getName());
    }

    /** A field of its own that a superclass declares. */
    private static boolean isInherited(final JavaClass type, final JavaAccess<?> access) {
        return type.isAssignableTo(access.getTargetOwner().getName());
    }

    private static JavaClass outermost(final JavaClass type) {
        return type.getEnclosingClass().map(OwnershipTest::outermost).orElse(type);
    }
}
