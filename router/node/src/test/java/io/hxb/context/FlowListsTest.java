package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.TenantPlan;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.flow.FlowRights;
import io.hxb.linux.Descriptors;
import io.hxb.linux.MemoryFile;
import io.hxb.linux.PollSet;
import io.hxb.linux.UnixSocket;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmException;
import io.hxb.pm.attach.AttachMessage;
import io.hxb.pm.attach.FlowClient;
import io.hxb.pm.attach.FlowListing;
import io.hxb.pm.attach.ListedFlow;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** Who may ask a node for its flows, what for, and what comes. */
@Tag("system")
class FlowListsTest {
    private static final int ALICE = 60_001;
    private static final int BOB = 60_002;
    private static final int CAROL = 60_003;
    private static final long MAX_NS = 20_000_000_000L;
    private static final String TENANTS =
            """
            shape: 2
            links: 1
            tenants: {physics: {uids: [60001, 60002]}, biology: {uids: 60003}}
            """;

    @TempDir private Path directory;

    private static ListedFlow row(final int context, final int peerNode, final long bytes) {
        return new ListedFlow(
                new ListedFlow.Ends(0, context, peerNode, 0, 9),
                new ListedFlow.Owner(AttachAccess.ownUid(), TenantPlan.OPERATOR, 0),
                ListedFlow.State.OPEN,
                new ListedFlow.Amount(3, bytes),
                new ListedFlow.Amount(5, 7),
                new ListedFlow.Sending(
                        2,
                        new ListedFlow.Amount(4, 400),
                        12_345,
                        6,
                        1L << 63 | 1,
                        List.of(1, 0, 0, 0, 0, 0, 0, 8)));
    }

    private AttachServer serve(final TestNode node) throws IOException {
        return new ServedSocket(directory).serve(node);
    }

    private Path path() {
        return new ServedSocket(directory).path();
    }

    @Test
    void shouldAnswerWithAllThatIsKnownOfFlows() throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = serve(node);
                PmDevice device = PmDevice.attach(path());
                PmContext context = device.openContext(5);
                FlowClient client = new FlowClient(path())) {
            final ListedFlow busy = row(5, 1, 1L << 40);
            final ListedFlow idle = row(6, 1, 10);
            node.port.flows(3, idle, busy);
            // when: twice in a row, of which the second has to wait
            final FlowListing listing = client.list(FlowListing.OWN_VIEW);
            final FlowListing again = client.list(FlowListing.OWN_VIEW);
            // then the busiest is first, with the process that has the context
            final int pid = (int) ProcessHandle.current().pid();
            assertEquals(List.of(busy.withPid(pid), idle), listing.flows());
            assertEquals(2, listing.total());
            assertEquals(listing.flows(), again.flows());
            assertTrue(again.timeNs() - listing.timeNs() > 0);
            assertEquals(5, context.contextId());
            assertEquals(0, server.refused());
        }
    }

    @Test
    void shouldBoundTheAnswerAndSayHowManyThereAre() throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = serve(node);
                FlowClient client = new FlowClient(path())) {
            // given
            node.port.flows(
                    1,
                    IntStream.range(0, 3_000)
                            .mapToObj(bytes -> row(1, bytes, bytes))
                            .toArray(ListedFlow[]::new));
            // when
            final FlowListing listing = client.list(FlowListing.OWN_VIEW);
            // then
            assertEquals(3_000, listing.total());
            assertEquals(FlowListing.MAX_FLOWS, listing.flows().size());
            assertEquals(2_999, listing.flows().getFirst().sent().bytes());
            assertEquals(3_000 - FlowListing.MAX_FLOWS, listing.flows().getLast().sent().bytes());
            assertEquals(0, server.refused());
        }
    }

    @Test
    void shouldListRingsOfContextsThatSendDirectly() throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = serve(node);
                PmDevice device = PmDevice.attach(path());
                PmContext from = device.openContext(5);
                PmContext to = device.openContext(6);
                FlowClient client = new FlowClient(path())) {
            // given: contexts that are introduced to each other by a message
            TestNode.await(
                    "a ring",
                    () -> sendOne(from, to) && !node.manager.directOffers().rings().isEmpty());
            node.port.flows(1);
            // when
            final FlowListing listing = client.list(FlowListing.OWN_VIEW);
            // then
            final ListedFlow ring = listing.flows().getFirst();
            assertEquals(ListedFlow.State.DIRECT, ring.state());
            assertEquals(new ListedFlow.Ends(0, 5, 0, 0, 6), ring.ends());
            assertEquals(ProcessHandle.current().pid(), ring.owner().pid());
            assertEquals(0, server.refused());
        }
    }

    private static boolean sendOne(final PmContext from, final PmContext to) {
        final int slot = from.claim(0, to.contextId(), 8);
        if (slot >= 0) {
            from.send(slot, 8, 1);
        }
        return true;
    }

    private static UserAccount member(final TestNode node, final int uid, final String tenant) {
        final int id = node.manager.parts().cluster().tenants().id(tenant);
        return node.manager.shares().of(uid, id);
    }

    @Test
    void shouldShowUsersWhatIsTheirsAndTheirTenants() throws Exception {
        try (TestNode node = new TestNode(ClusterConfigYaml.parse(TENANTS, "c.yaml"))) {
            final FlowLists lists = node.manager.flowLists();
            final UserAccount operator = node.manager.shares().of(0, TenantPlan.OPERATOR);
            final UserAccount alice = member(node, ALICE, "physics");
            final FlowRights bob = member(node, BOB, "physics");
            final FlowRights carol = member(node, CAROL, "biology");
            final FlowRights service = node.manager.shares().service();
            // when operators ask
            final Predicate<FlowRights> all = lists.view(operator, FlowListing.OWN_VIEW);
            // then
            for (final FlowRights rights : List.of(alice, bob, carol, service, FlowRights.ALL)) {
                assertTrue(all.test(rights));
            }
            // when a user asks, or an operator for one, whether the user has attached or not
            for (final Predicate<FlowRights> view :
                    List.of(
                            lists.view(alice, FlowListing.OWN_VIEW),
                            lists.view(operator, FlowListing.viewOf(ALICE)),
                            lists.view(operator, FlowListing.viewOf(BOB)))) {
                // then
                assertTrue(view.test(alice));
                assertTrue(view.test(bob));
                assertFalse(view.test(carol));
                assertFalse(view.test(service));
                assertFalse(view.test(operator));
                assertFalse(view.test(FlowRights.ALL));
            }
            assertThrows(PmException.class, () -> lists.view(alice, FlowListing.viewOf(CAROL)));
            assertThrows(PmException.class, () -> lists.view(alice, FlowListing.viewOf(ALICE)));
            assertThrows(PmException.class, () -> lists.view(operator, -1));
            assertThrows(PmException.class, () -> lists.view(operator, Long.MAX_VALUE));
        }
    }

    @Test
    void shouldShowUsersOnlyTheirOwnWithoutTenants() throws Exception {
        try (TestNode node = new TestNode()) {
            final FlowLists lists = node.manager.flowLists();
            final UserAccount alice = node.manager.shares().of(ALICE);
            final Predicate<FlowRights> view = lists.view(alice, FlowListing.OWN_VIEW);
            assertTrue(view.test(alice));
            assertFalse(view.test(node.manager.shares().of(BOB)));
            assertFalse(view.test(node.manager.shares().node()));
            assertFalse(view.test(FlowRights.ALL));
        }
    }

    @Test
    void shouldAnswerOneUserAfterAPauseAndOthersMeanwhile() throws Exception {
        try (TestNode node = new TestNode()) {
            final FlowLists lists = node.manager.flowLists();
            final UserAccount alice = node.manager.shares().of(ALICE);
            assertTrue(lists.mayAsk(alice, 1_000));
            assertFalse(lists.mayAsk(alice, 1_000 + FlowListing.PAUSE_NS - 1));
            assertTrue(lists.mayAsk(node.manager.shares().of(BOB), 1_001));
            assertTrue(lists.mayAsk(alice, 1_000 + FlowListing.PAUSE_NS));
        }
    }

    @Test
    void shouldRefuseMemoryThatItCannotTrustAndServeOn() throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = serve(node);
                UnixSocket socket = UnixSocket.connect(path())) {
            final AttachMessage message = new AttachMessage();
            assertFalse(exchange(socket, message.hello()).isRefusal());
            assertEquals(1, message.argument(4));
            // when there is no memory, too little, and a file that is none in memory
            final String none = refusal(socket, message);
            final int small = MemoryFile.create("small", 4_096);
            final String tooSmall = refusal(socket, message, small);
            Descriptors.close(small);
            final String noMemory = refusal(socket, message, socket.descriptor());
            // then
            assertTrue(none.contains("one descriptor"), none);
            assertTrue(tooSmall.contains("4096 bytes instead of 262144"), tooSmall);
            assertTrue(noMemory.contains("not a file in memory"), noMemory);
            // and others are answered
            try (FlowClient client = new FlowClient(path())) {
                assertEquals(List.of(), client.list(FlowListing.OWN_VIEW).flows());
            }
            assertEquals(0, server.refused());
        }
    }

    private static String refusal(
            final UnixSocket socket, final AttachMessage message, final int... descriptors)
            throws IOException {
        message.useVersionOf(message);
        AttachMessage answer;
        final long untilNs = System.nanoTime() + MAX_NS;
        do {
            message.request(AttachMessage.LIST_FLOWS);
            answer = exchange(socket, message, descriptors);
        } while (answer.isForNow() && System.nanoTime() < untilNs);
        assertTrue(answer.isRefusal());
        return answer.text();
    }

    private static AttachMessage exchange(
            final UnixSocket socket, final AttachMessage message, final int... descriptors)
            throws IOException {
        socket.send(message.address(), AttachMessage.LENGTH_BYTES, descriptors);
        try (PollSet poll = new PollSet(1)) {
            poll.add(socket.descriptor());
            poll.await(MAX_NS);
        }
        final int length = socket.receive(message.address(), AttachMessage.LENGTH_BYTES, false);
        socket.closeReceivedDescriptors();
        assertEquals(AttachMessage.LENGTH_BYTES, length);
        return message;
    }
}
