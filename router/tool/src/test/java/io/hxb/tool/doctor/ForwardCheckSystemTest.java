package io.hxb.tool.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.os.NetworkNamespace;
import io.hxb.testing.TestNamespaces;
import io.hxb.tool.machine.Programs;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.Optional;

/** Rules of a network namespace of the test's own. */
@Tag("system")
class ForwardCheckSystemTest {
    private TestNamespaces namespaces;
    private String namespace;

    @BeforeEach
    void makeANamespace() {
        TestNamespaces.assumeRoot();
        namespaces = new TestNamespaces();
        namespace = namespaces.add("forward");
    }

    @AfterEach
    void removeIt() {
        if (namespaces != null) {
            namespaces.close();
        }
    }

    private Optional<Finding> look() throws IOException {
        return NetworkNamespace.run(namespace, () -> ForwardCheck.run("hxb0", "ip hxb0"));
    }

    private void forwards(final boolean isOn) {
        TestNamespaces.exec(
                namespace, "sysctl", "-qw", "net.ipv4.ip_forward=" + (isOn ? "1" : "0"));
    }

    @Test
    void shouldBeSilentWhereNothingIsForwarded() throws IOException {
        // given
        forwards(false);
        // when, then
        assertEquals(Optional.empty(), look());
        // and: a machine that forwards is looked at
        forwards(true);
        assertTrue(look().isPresent());
    }

    @Test
    void shouldFindThePolicyOfTheNodesNamespace() throws IOException {
        assumeTrue(Programs.find("nft").isPresent(), "skipped: there is no nft");
        // given
        forwards(true);
        TestNamespaces.exec(namespace, "nft", "add table ip filter");
        TestNamespaces.exec(
                namespace,
                "nft",
                "add chain ip filter FORWARD { type filter hook forward priority 0; policy drop;"
                        + " }");
        // when
        final Finding finding = look().orElseThrow();
        // then
        assertEquals(Finding.Level.WARN, finding.level(), finding::toString);
        // and: what it advises helps
        for (final String command : finding.fix().split("; ", -1)) {
            TestNamespaces.exec(namespace, command.split(" ", -1));
        }
        assertEquals(Finding.Level.OK, look().orElseThrow().level());
    }
}
