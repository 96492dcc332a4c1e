package io.hxb.context;

import io.hxb.config.ClusterConfig;
import io.hxb.config.TenantConfig;
import io.hxb.config.TenantPlan;
import io.hxb.linux.FileStatus;
import io.hxb.linux.UnixSocket;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Who may attach, and as a member of which tenant. Immutable.
 *
 * @param uids user ids that may.
 * @param gids ids of groups whose members may.
 * @param operators user ids of those who operate the node: root and the node's own user.
 * @param tenants whose users may attach, if there are any.
 */
public record AttachAccess(
        Set<Integer> uids, Set<Integer> gids, Set<Integer> operators, TenantPlan tenants) {
    /** Access of users and groups, where there are no tenants. */
    public AttachAccess(final Set<Integer> uids, final Set<Integer> gids) {
        this(uids, gids, ownUsers(), TenantPlan.NONE);
    }

    /** Copies the sets. */
    public AttachAccess {
        operators = Set.copyOf(operators);
        uids = Set.copyOf(uids);
        gids = Set.copyOf(gids);
    }

    /** Root and the user this process runs as. */
    public static AttachAccess ownUser() {
        return new AttachAccess(ownUsers(), Set.of());
    }

    private static Set<Integer> ownUsers() {
        final int own = ownUid();
        return own == 0 ? Set.of(0) : Set.of(0, own);
    }

    /** Root, the user this process runs as, and the users of a cluster file. */
    public static AttachAccess of(final ClusterConfig cluster) {
        final Set<Integer> uids = new HashSet<>(ownUsers());
        uids.addAll(cluster.attach().allowedUids());
        return new AttachAccess(
                uids, Set.copyOf(cluster.attach().allowedGids()), ownUsers(), cluster.tenants());
    }

    static int ownUid() {
        return FileStatus.ownUid();
    }

    /** True if users other than root and the node's own user may attach. */
    boolean isForOthers() {
        return !gids.isEmpty() || !tenants.isEmpty() || !operators.containsAll(uids);
    }

    /** Whether a process may attach. */
    Admission admit(final UnixSocket.Peer peer) {
        if (tenants.isEmpty()) {
            return isAllowed(peer)
                    ? Admission.of(
                            operators.contains(peer.uid())
                                    ? TenantPlan.OPERATOR
                                    : TenantPlan.NO_TENANT)
                    : Admission.refused(describe(peer) + " may not attach: " + advice());
        }
        return operators.contains(peer.uid())
                ? Admission.of(TenantPlan.OPERATOR)
                : admitMember(peer);
    }

    private boolean isAllowed(final UnixSocket.Peer peer) {
        return uids.contains(peer.uid())
                || gids.contains(peer.gid())
                || peer.groups().stream().anyMatch(gids::contains);
    }

    private Admission admitMember(final UnixSocket.Peer peer) {
        final Optional<TenantConfig> ofUser = tenants.ofUser(peer.uid());
        if (ofUser.isPresent()) {
            return Admission.of(ofUser.get().id());
        }
        List<TenantConfig> ofGroups = tenants.ofGroups(List.of(peer.gid()));
        if (ofGroups.isEmpty()) {
            ofGroups = tenants.ofGroups(peer.groups());
        }
        return switch (ofGroups.size()) {
            case 0 ->
                    Admission.refused(
                            describe(peer)
                                    + " is in no tenant and may not attach: add the user to"
                                    + " tenants in the cluster file and start the node again");
            case 1 -> Admission.of(ofGroups.getFirst().id());
            default ->
                    Admission.refused(
                            describe(peer)
                                    + " has groups of several tenants ("
                                    + ofGroups.stream()
                                            .map(TenantConfig::name)
                                            .collect(Collectors.joining(", "))
                                    + "): choose one by the primary group (newgrp), or name the"
                                    + " user in tenants");
        };
    }

    private static String describe(final UnixSocket.Peer peer) {
        return "user " + peer.uid() + " (group " + peer.gid() + ")";
    }

    private static String advice() {
        return "run as user "
                + ownUid()
                + " or root, or add it to attach.allowedUids (its group to attach.allowedGids) in"
                + " the cluster file and start the node again";
    }
}
