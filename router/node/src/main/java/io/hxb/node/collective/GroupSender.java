package io.hxb.node.collective;

import io.hxb.linux.Memory;
import io.hxb.pm.PmStatus;
import io.hxb.pm.collective.wire.GroupProtocol;

/**
 * Writes the messages of groups. Each call returns false if there is no buffer, so that it has to
 * be tried again. Owned by the thread of the node's own context.
 */
final class GroupSender {
    private final GroupOutlet outlet;

    GroupSender(final GroupOutlet outlet) {
        this.outlet = outlet;
    }

    /** Bytes of a part, from an offset on, that fit a message. */
    int pieceBytes(final CollectiveState collectiveState, final int offset) {
        return Math.min(
                collectiveState.totalBytes() - offset,
                outlet.maxLengthBytes() - GroupProtocol.HEADER_BYTES);
    }

    boolean sendPart(
            final GroupIdentity group,
            final GroupPeer peer,
            final int operation,
            final int step,
            final CollectiveState collectiveState,
            final int offset,
            final int pieceBytes) {
        final int length = GroupProtocol.HEADER_BYTES + pieceBytes;
        final int slot = outlet.claim(peer.node(), GroupProtocol.CONTEXT, length);
        if (slot < 0) {
            return slot != PmStatus.NO_BUFFERS;
        }
        final long address = outlet.address(slot);
        GroupProtocol.header(
                address, group.id(), peer.instance(), operation, collectiveState.status());
        collectiveState.write(address, offset, pieceBytes);
        Memory.putByte(address + GroupProtocol.STEP, step);
        outlet.send(slot, length, GroupProtocol.PART);
        return true;
    }

    boolean sendResult(
            final GroupIdentity group,
            final Member member,
            final int operation,
            final CollectiveState collectiveState,
            final int offset,
            final int pieceBytes) {
        final int length = GroupProtocol.HEADER_BYTES + pieceBytes;
        final int slot = outlet.claim(group.ownNode(), member.context(), length);
        if (slot < 0) {
            return slot != PmStatus.NO_BUFFERS;
        }
        final long address = outlet.address(slot);
        GroupProtocol.header(
                address, group.id(), group.instance(), operation, collectiveState.status());
        collectiveState.write(address, offset, pieceBytes);
        outlet.send(slot, length, GroupProtocol.RESULT);
        return true;
    }

    boolean sendFailure(
            final GroupIdentity group, final Member member, final int operation, final int status) {
        return send(
                group.ownNode(),
                member.context(),
                GroupProtocol.RESULT,
                group.id(),
                group.instance(),
                operation,
                status);
    }

    boolean sendJoined(final GroupIdentity group, final Member member, final int status) {
        return sendJoined(
                group.ownNode(),
                member.context(),
                group.id(),
                group.instance(),
                member.rank(),
                status);
    }

    boolean sendJoined(
            final int node,
            final int context,
            final long id,
            final int instance,
            final int rank,
            final int status) {
        return send(node, context, GroupProtocol.JOINED, id, instance, rank, status);
    }

    /** Sends a node something that is only a header. */
    boolean sendNote(
            final int node,
            final int tag,
            final long id,
            final int instance,
            final int operation,
            final int status) {
        return send(node, GroupProtocol.CONTEXT, tag, id, instance, operation, status);
    }

    private boolean send(
            final int node,
            final int context,
            final int tag,
            final long id,
            final int instance,
            final int operation,
            final int status) {
        final int slot = outlet.claim(node, context, GroupProtocol.HEADER_BYTES);
        if (slot < 0) {
            return slot != PmStatus.NO_BUFFERS;
        }
        GroupProtocol.header(outlet.address(slot), id, instance, operation, status);
        outlet.send(slot, GroupProtocol.HEADER_BYTES, tag);
        return true;
    }

    boolean sendReady(
            final GroupIdentity group,
            final GroupPeer peer,
            final long hash,
            final boolean isRequest) {
        final int slot =
                outlet.claim(peer.node(), GroupProtocol.CONTEXT, GroupProtocol.READY_BYTES);
        if (slot < 0) {
            return slot != PmStatus.NO_BUFFERS;
        }
        final long address = outlet.address(slot);
        Memory.putLong(address + GroupProtocol.ID, group.id());
        Memory.putInt(address + GroupProtocol.INSTANCE, peer.instance());
        Memory.putInt(address + GroupProtocol.READY_INSTANCE, group.instance());
        Memory.putInt(address + GroupProtocol.READY_ASKS, isRequest ? 1 : 0);
        Memory.putInt(address + GroupProtocol.READY_TENANT, group.tenant());
        Memory.putLong(address + GroupProtocol.READY_HASH, hash);
        outlet.send(slot, GroupProtocol.READY_BYTES, GroupProtocol.READY);
        return true;
    }
}
