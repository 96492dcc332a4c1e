package io.hxb.tool.manager;

import io.hxb.config.ClusterConfig;
import io.hxb.config.ManagerConfig;
import io.hxb.linux.FileStatus;
import io.hxb.manager.VirtualNic;
import io.hxb.session.KeyFile;
import io.hxb.tool.plan.SavedPlan;
import io.hxb.vlan.HostTable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What the node's own network manager is started with. Stateless. */
public final class NodeManager {
    private NodeManager() {}

    /**
     * The settings of a cluster file. Users who may attach to the node may change paths.
     *
     * @throws IOException if the plan or a key cannot be read.
     */
    public static VirtualNic.Options options(final ClusterConfig config) throws IOException {
        final ManagerConfig manager = config.manager();
        final Set<Integer> users = new HashSet<>(config.attach().allowedUids());
        users.add(0);
        users.add(FileStatus.ownUid());
        return new VirtualNic.Options(
                HostTable.of(SavedPlan.read(manager.plan())),
                -1,
                List.of(manager.nic().split(",")),
                config.attach().directory().resolve(ManagerPlace.SOCKET),
                users::contains,
                manager.listen().isEmpty()
                        ? null
                        : ManagerPlace.address("manager.listen", manager.listen()),
                KeyFile.read(config.security(), System.getenv()),
                manager.state().isEmpty() ? null : Path.of(manager.state()),
                manager.tagger(),
                manager.keep().isEmpty() ? null : Path.of(manager.keep()),
                manager.spinForNs(),
                () -> SavedPlan.read(manager.plan()),
                config.pathHealth());
    }
}
