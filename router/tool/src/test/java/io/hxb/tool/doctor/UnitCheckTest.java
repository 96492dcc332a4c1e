package io.hxb.tool.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

@Tag("unit")
class UnitCheckTest {
    private static final String UNIT = "[Service]\nUser=no-such-user\nGroup=root\n";

    @TempDir private Path root;

    private void write(final String path, final String text) throws IOException {
        final Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private List<Finding> findings() {
        return UnitCheck.run(root);
    }

    @Test
    void shouldFindNothingWhereNoUnitIsInstalled() {
        assertEquals(List.of(), findings());
    }

    @Test
    void shouldNameAUserAndAGroupThatDoNotExist() throws IOException {
        // given
        write("etc/systemd/system/hxb-node.service", UNIT);
        // when, then
        assertEquals(1, findings().size());
        final Finding finding = findings().getFirst();
        assertEquals(Finding.Level.FAIL, finding.level());
        assertEquals(
                "runs with the user no-such-user, which does not exist: systemd cannot start the"
                        + " node (status=217/USER)",
                finding.text());
        assertTrue(finding.fix().contains("systemd-sysusers hxb.conf"), finding::fix);
        // and
        write("etc/systemd/system/hxb-node.service", "Group=no-such-group\n");
        assertTrue(findings().getFirst().text().contains("216/GROUP"));
    }

    @Test
    void shouldReadTheUnitThatCountsAndItsDropIns() throws IOException {
        // given
        write("lib/systemd/system/hxb-node.service", UNIT);
        write("etc/systemd/system/hxb-node.service", "[Service]\nUser=root\n");
        // when, then
        assertEquals(Finding.Level.OK, findings().getFirst().level());
        // and: numbers need no entry
        write("etc/systemd/system/hxb-node.service.d/a.conf", "[Service]\nUser = x\nUser=no-one\n");
        assertEquals(Finding.Level.FAIL, findings().getFirst().level());
        write("etc/systemd/system/hxb-node.service.d/b.conf", "[Service]\nUser=4711\n");
        assertEquals(Finding.Level.OK, findings().getFirst().level());
    }
}
