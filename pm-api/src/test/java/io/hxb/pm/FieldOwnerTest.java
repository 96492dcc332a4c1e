package io.hxb.pm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Set;
import java.util.TreeSet;

/** Each field is set by the class that declares it, or by one nested in the same class. */
@Tag("unit")
class FieldOwnerTest {
    @Test
    void shouldNotSetFieldsOfOtherClasses() {
        // given
        final JavaClasses classes =
                new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .importPackages("io.hxb.pm", "io.hxb.linux");
        // when
        final Set<String> foreign = new TreeSet<>();
        for (final JavaClass type : classes) {
            for (final JavaFieldAccess access : type.getFieldAccessesFromSelf()) {
                final JavaClass owner = access.getTarget().getOwner();
                if (access.getAccessType() == JavaFieldAccess.AccessType.SET
                        && !outermost(owner).equals(outermost(type))) {
                    foreign.add(access.getDescription());
                }
            }
        }
        // then
        assertTrue(classes.size() > 60, "only " + classes.size() + " classes were found");
        assertEquals(Set.of(), foreign);
    }

    private static String outermost(final JavaClass type) {
        return type.getName().split("\\$", 2)[0];
    }
}
