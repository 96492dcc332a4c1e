package io.hxb.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.yaml.ClusterConfigYaml;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

/** Tenants of cluster files, good and bad. */
@Tag("unit")
class TenantFileTest {
    private static final String BASE = "shape: 2x2\nlinks: 1\n";

    private static ClusterConfig read(final String tenants) {
        return ClusterConfigYaml.parse(BASE + tenants, "c.yaml");
    }

    private static List<String> problems(final String tenants) {
        return assertThrows(ConfigException.class, () -> read(tenants)).problems();
    }

    @Test
    void shouldReadTenants() {
        // when
        final ClusterConfig config =
                read(
                        """
                        tenants:
                          physics:
                            uids: [1000-1999, root2nd]
                            gids: 7
                            contexts: [1-31, 40]
                            talksTo: [biology, operator]
                            limits: {contexts: 40, memoryBytes: 4GiB}
                            userLimits: {contexts: 20}
                          biology:
                            gids: [nogroup]
                        """
                                .replace("root2nd", "nobody"));
        // then
        final TenantConfig physics = config.tenants().tenants().getFirst();
        assertEquals("physics", physics.name());
        assertEquals(List.of(new IdRange(1000, 1999), IdRange.of(65_534)), physics.uids());
        assertEquals(List.of(IdRange.of(7)), physics.gids());
        assertTrue(physics.mayOpen(31) && physics.mayOpen(40));
        assertFalse(physics.mayOpen(0) || physics.mayOpen(32));
        assertEquals(40L, physics.limits().get(ResourceShare.CONTEXTS));
        assertEquals(4L << 30, physics.limits().get(ResourceShare.MEMORY_BYTES));
        assertEquals(20L, physics.userLimits().get(ResourceShare.CONTEXTS));
        final TenantConfig biology = config.tenants().tenants().getLast();
        assertEquals(List.of(IdRange.of(65_534)), biology.gids());
        assertTrue(biology.mayOpen(63));
    }

    @Test
    void shouldLetMessagesCrossOnlyWhereTheFileReportsIt() {
        // given
        final TenantPlan plan =
                read("""
                tenants:
                  a: {uids: 1, talksTo: [b]}
                  b: {uids: 2, talksTo: [operator]}
                  c: {uids: 3}
                """)
                        .tenants();
        final int a = TenantPlan.idOf("a");
        final int b = TenantPlan.idOf("b");
        final int c = TenantPlan.idOf("c");
        // then
        assertMay(plan, a, true, a);
        assertMay(plan, a, true, b);
        assertMay(plan, b, false, a);
        assertMay(plan, a, false, c);
        assertMay(plan, c, false, b);
        assertMay(plan, a, false, TenantPlan.OPERATOR);
        assertMay(plan, b, true, TenantPlan.OPERATOR);
        assertMay(plan, TenantPlan.OPERATOR, true, c);
        assertMay(plan, a, true, TenantPlan.NODE);
        assertMay(plan, TenantPlan.NODE, true, a);
        assertMay(plan, TenantPlan.NO_TENANT, false, a);
        assertMay(plan, TenantPlan.NO_TENANT, true, TenantPlan.NODE);
        assertMay(plan, 12_345, false, a);
        assertFalse(plan.rightsOf(TenantPlan.OPERATOR).mayReceiveFrom(TenantPlan.NO_TENANT));
    }

    private static void assertMay(
            final TenantPlan plan, final int from, final boolean may, final int to) {
        assertEquals(may, plan.rightsOf(to).mayReceiveFrom(from), from + " to " + to);
        assertEquals(may, plan.rightsOf(from).maySendTo(to), from + " to " + to);
    }

    @Test
    void shouldLetEverybodyTalkWithoutTenants() {
        final TenantRights rights = TenantPlan.NONE.rightsOf(TenantPlan.NO_TENANT);
        assertTrue(rights.mayReceiveFrom(77) && rights.maySendTo(77));
    }

    @Test
    void shouldFindTheTenantOfAUserAndOfGroups() {
        final TenantPlan plan =
                read("tenants:\n  a: {uids: 1-5, gids: 100}\n  b: {gids: [50, 60-70]}\n").tenants();
        assertEquals("a", plan.ofUser(5).orElseThrow().name());
        assertTrue(plan.ofUser(6).isEmpty());
        assertEquals("b", plan.ofGroups(List.of(1, 65)).getFirst().name());
        assertEquals(2, plan.ofGroups(List.of(50, 100)).size());
    }

    @Test
    void shouldReportEveryProblemWithItsLine() {
        assertEquals(
                List.of(
                        "c.yaml:5: tenants.a.uids names the user 'no-such-user', which does not"
                                + " exist on this machine",
                        "c.yaml:8: tenants.b.talksTo names the unknown tenant 'phisics'; there are"
                                + " b, d and operator",
                        "c.yaml:9: tenants.c.uids and gids are both empty: nobody is in this"
                                + " tenant",
                        "c.yaml:10: tenants.d.uids has 15, but tenant b has 10-20",
                        "c.yaml:11: tenants.d.contexts must be within 1..63 (context.maxContexts is"
                                + " 64, and context 0 is the node's own): 60-70",
                        "c.yaml:12: tenants.d.limits.contexts must be 0..4096: 5000",
                        "c.yaml:13: tenants.d.gid is not known; the nearest known: gids",
                        "c.yaml:14: tenants.operator cannot be a tenant's name: must be 1 to 63"
                                + " letters, digits, '_', '.' or '-', and not operator, node, none"
                                + " or all"),
                problems(
                        """
                        context: {maxContexts: 64}
                        tenants:
                          a: {uids: no-such-user}
                          b:
                            uids: [10-20]
                            talksTo: [a, phisics]
                          c: {talksTo: [a]}
                          d: {uids: 15,
                            contexts: [60-70],
                            limits: {contexts: 5000},
                            gid: 5}
                          operator: {uids: 5}
                        """));
    }

    @Test
    void shouldReportOverlapsAndReservedUsers() {
        assertEquals(
                List.of(
                        "c.yaml:5: tenants.b.gids has 5, but tenant a has 1-9",
                        "c.yaml:6: tenants.c.uids has 3, but also 2-4",
                        "c.yaml:7: tenants.d.uids must not have 0: root is the operator of the"
                                + " nodes",
                        "c.yaml:8: tenants.e.uids must be numbers up to 2147483647 or ranges of"
                                + " them such as 1000-1999, not '9-3'"),
                problems(
                        """
                        tenants:
                          a: {gids: 1-9}
                          b: {gids: 5}
                          c: {uids: [2-4, 3]}
                          d: {uids: 0-3}
                          e: {uids: 9-3}
                        """));
    }

    @Test
    void shouldNotTakeListsOfUsersBesidesTenants() {
        final List<String> problems =
                problems("tenants:\n  a: {uids: 5}\nattach:\n  allowedUids: [7]\n");
        assertEquals(1, problems.size());
        assertTrue(problems.getFirst().startsWith("c.yaml:5: attach must not name allowedUids"));
    }

    @Test
    void shouldCheckManyRangesInTime() {
        final StringBuilder file = new StringBuilder("tenants:\n");
        for (int tenant = 0; tenant < 20; tenant++) {
            file.append("  t").append(tenant).append(": {uids: [");
            for (int i = 0; i < 2_000; i++) {
                file.append(i == 0 ? "" : ", ").append(1 + 20 * i + tenant);
            }
            file.append("]}\n");
        }
        assertEquals(20, read(file.toString()).tenants().tenants().size());
    }
}
