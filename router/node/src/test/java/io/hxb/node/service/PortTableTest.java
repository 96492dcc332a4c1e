package io.hxb.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.pm.stream.wire.PortProtocol;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who has which port of a node. */
@Tag("unit")
class PortTableTest {
    private static final int NODE = 5;
    private static final int CONTEXT = 9;

    private final int[] incarnations = new int[64];
    private final PortTable table = new PortTable(NODE, context -> incarnations[context]);

    private long ask(final int tag, final int node, final int context, final int port) {
        return table.answer(tag, node, context, port);
    }

    @Test
    void shouldForgetAPortWhenItsContextIsOpenedAnew() {
        // given
        incarnations[CONTEXT] = 1;
        final long taken = ask(PortProtocol.LISTEN, NODE, CONTEXT, 80);
        final long found = ask(PortProtocol.LOOKUP, 1, 1, 80);
        // when
        incarnations[CONTEXT] = 2;
        final long gone = ask(PortProtocol.LOOKUP, 1, 1, 80);
        // then
        assertEquals(PortProtocol.OK, PortTable.status(taken));
        assertEquals(80, PortTable.value(taken));
        assertEquals(CONTEXT, PortTable.value(found));
        assertEquals(PortProtocol.NOT_FOUND, PortTable.status(gone));
    }

    @Test
    void shouldOnlyGivePortsToTheNodesOwnContexts() {
        // given
        incarnations[CONTEXT] = 1;
        incarnations[8] = 1;
        // when, then
        assertEquals(
                PortProtocol.NOT_LOCAL,
                PortTable.status(ask(PortProtocol.LISTEN, NODE + 1, CONTEXT, 80)));
        ask(PortProtocol.LISTEN, NODE, CONTEXT, 80);
        assertEquals(PortProtocol.IN_USE, PortTable.status(ask(PortProtocol.LISTEN, NODE, 8, 80)));
        assertEquals(
                PortProtocol.NOT_LOCAL,
                PortTable.status(ask(PortProtocol.CLOSE, NODE + 1, CONTEXT, 80)));
        assertEquals(
                PortProtocol.NOT_FOUND, PortTable.status(ask(PortProtocol.CLOSE, NODE, 8, 80)));
        assertEquals(PortProtocol.OK, PortTable.status(ask(PortProtocol.CLOSE, NODE, CONTEXT, 80)));
        assertEquals(PortProtocol.OK, PortTable.status(ask(PortProtocol.LISTEN, NODE, 8, 80)));
    }

    @Test
    void shouldFindAFreePortUntilAllAreTaken() {
        // given
        incarnations[CONTEXT] = 1;
        final int count = PortProtocol.MAX_PORT - PortProtocol.FIRST_DYNAMIC_PORT + 1;
        // when
        for (int i = 0; i < count; i++) {
            final long answer = ask(PortProtocol.LISTEN, NODE, CONTEXT, 0);
            assertEquals(PortProtocol.OK, PortTable.status(answer));
            assertTrue(PortTable.value(answer) >= PortProtocol.FIRST_DYNAMIC_PORT);
        }
        // then
        assertEquals(
                PortProtocol.NO_SUCH_PORT,
                PortTable.status(ask(PortProtocol.LISTEN, NODE, CONTEXT, 0)));
        assertEquals(
                PortProtocol.NO_SUCH_PORT,
                PortTable.status(ask(PortProtocol.LISTEN, NODE, CONTEXT, 70_000)));
    }
}
