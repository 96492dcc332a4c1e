package io.hxb.vlan;

import io.hxb.linux.Descriptors;
import io.hxb.linux.LinuxException;
import io.hxb.os.Capabilities;
import io.hxb.os.PacketSocket;
import io.hxb.os.Sockets;
import io.hxb.os.nic.AddressMirror;
import io.hxb.os.nic.NicInfo;
import io.hxb.os.nic.NicName;
import io.hxb.tap.TapDevice;

import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Tags frames in this process, where the kernel cannot. A TAP device has the MAC and IP addresses
 * of the NIC and routes that take precedence, and a thread copies frames between the two. When it
 * is closed, or the process ends in any way, the kernel removes the device, and the routes of the
 * NIC are used again. A change of a path is a store into memory that the thread reads.
 *
 * <p>The kernel handles frames that arrive without a tag, or with a VID of another plan. Programs
 * that are bound to the NIC itself send without tags.
 */
public final class TapTagger extends TableTagger {
    private static final String PREFIX = "hxb";
    private static final int SEND_BUFFER_BYTES = 4 << 20;
    private static final int RECEIVE_BUFFER_BYTES = 8 << 20;
    private static final int NO_NIC = 0;

    private final Arena arena;
    private final TagTable table;
    private final int[] plan;
    private final short[] numbers;
    private final AtomicLongArray drops = new AtomicLongArray(TagDrop.values().length);
    private ActiveTap activeTap;
    private int wanted = NO_NIC;

    private TapTagger(
            final Arena arena,
            final TagTable table,
            final int[] plan,
            final short[] numbers,
            final int maxHosts) {
        super(numbers, maxHosts, table);
        this.arena = arena;
        this.table = table;
        this.plan = plan;
        this.numbers = numbers;
    }

    /**
     * Makes one that carries no frames before {@link #attach}.
     *
     * @param plan the plan's VIDs, 1 to 4094, each once.
     * @param maxHosts hosts that there is room for, 1 to 65,536; each takes 35 bytes.
     */
    public static TapTagger create(final int[] plan, final int maxHosts) {
        final short[] numbers = numbers(plan);
        final Arena arena = Arena.ofShared();
        return new TapTagger(
                arena, TagTable.in(arena, plan, maxHosts), plan.clone(), numbers, maxHosts);
    }

    /**
     * The name of the TAP device of a NIC.
     *
     * @param ifindex index of the NIC, which stays when it is renamed.
     */
    public static String deviceName(final int ifindex) {
        return PREFIX + ifindex;
    }

    /**
     * Opens a device for a NIC of this thread's network namespace.
     *
     * @throws LinuxException as {@link TapDevice#open} describes, or if there is no such NIC.
     */
    @Override
    public void attach(final int nic, final int ifindex) throws LinuxException {
        detach();
        wanted = ifindex;
        activeTap = ActiveTap.open(ifindex, this);
    }

    private void detach() {
        if (activeTap != null) {
            activeTap.close();
            activeTap = null;
        }
    }

    @Override
    public void onNicGone(final int nic) {
        detach();
        wanted = NO_NIC;
    }

    /** Follows the NIC in MTU, addresses and routes; makes a device again that was taken away. */
    @Override
    public void follow() throws LinuxException {
        if (activeTap != null && activeTap.isIntact()) {
            activeTap.follow();
        } else if (wanted != NO_NIC) {
            attach(0, wanted);
        }
    }

    @Override
    public int programCount() {
        return 0;
    }

    @Override
    public String virtualNic() {
        return activeTap == null ? null : activeTap.tap.name();
    }

    @Override
    public long drops(final TagDrop reason) {
        return drops.get(reason.number());
    }

    @Override
    public void close() {
        detach();
        arena.close();
    }

    /** The device of a NIC, and the thread that copies frames between them. */
    private static final class ActiveTap implements AutoCloseable {
        private final int ifindex;
        private final TapDevice tap;
        private final int socket;
        private final TapRelay relay;
        private final AddressMirror addresses;
        private final Thread thread;
        private final long mac;
        private int mtuBytes;

        private ActiveTap(
                final NicInfo nic,
                final TapDevice tap,
                final int socket,
                final TapRelay relay,
                final AddressMirror addresses) {
            ifindex = nic.ifindex();
            mac = nic.mac();
            mtuBytes = nic.mtuBytes();
            this.tap = tap;
            this.socket = socket;
            this.relay = relay;
            this.addresses = addresses;
            thread = new Thread(Capabilities.givingUp(relay), "hxb-tap");
        }

        static ActiveTap open(final int ifindex, final TapTagger tagger) throws LinuxException {
            final NicInfo nic = NicInfo.read(name(ifindex));
            final TapDevice tap = TapDevice.open(deviceName(ifindex));
            int socket = -1;
            TapRelay relay = null;
            try {
                tap.setMac(nic.mac());
                tap.setMtu(nic.mtuBytes());
                socket = socket(ifindex, nic.name(), tagger.plan);
                relay =
                        new TapRelay(
                                tap,
                                socket,
                                tagger.table,
                                tagger.numbers,
                                inMemory(nic.mac()),
                                tagger.drops);
                tap.up();
                final ActiveTap activeTap =
                        new ActiveTap(
                                nic, tap, socket, relay, AddressMirror.of(ifindex, tap.ifindex()));
                activeTap.thread.setDaemon(true);
                activeTap.thread.start();
                return activeTap;
            } catch (final LinuxException e) {
                if (relay != null) {
                    relay.release();
                }
                if (socket >= 0) {
                    Descriptors.close(socket);
                }
                tap.close();
                throw e;
            }
        }

        private static String name(final int ifindex) throws LinuxException {
            final String name = NicName.of(ifindex);
            return name == null ? "" : name;
        }

        private static int socket(final int ifindex, final String nic, final int[] plan)
                throws LinuxException {
            final int socket = PacketSocket.open();
            try {
                PacketSocket.enableSuperPackets(socket);
                PacketSocket.enableTags(socket);
                PacketSocket.attachFilter(socket, TagFilter.of(plan));
                Sockets.setSendBuffer(socket, SEND_BUFFER_BYTES);
                Sockets.setReceiveBuffer(socket, RECEIVE_BUFFER_BYTES);
                PacketSocket.bind(socket, PacketSocket.ALL_ETHER_TYPES, ifindex, nic);
                return socket;
            } catch (final LinuxException e) {
                Descriptors.close(socket);
                throw e;
            }
        }

        /** False if the device was taken away, or the NIC has another address now. */
        boolean isIntact() throws LinuxException {
            final NicInfo nic = NicInfo.read(name(ifindex));
            return !relay.hasEnded() && (!nic.exists() || nic.mac() == mac);
        }

        void follow() throws LinuxException {
            final NicInfo nic = NicInfo.read(name(ifindex));
            if (nic.exists() && nic.mtuBytes() != mtuBytes) {
                tap.setMtu(nic.mtuBytes());
                mtuBytes = nic.mtuBytes();
            }
            addresses.follow();
        }

        @Override
        public void close() {
            relay.stop();
            awaitEnd();
            addresses.close();
            relay.release();
            Descriptors.close(socket);
            tap.close();
        }

        /** The thread uses what is closed next, so nothing but its end is waited for. */
        private void awaitEnd() {
            boolean isInterrupted = false;
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (final InterruptedException e) {
                    isInterrupted = true;
                }
            }
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
