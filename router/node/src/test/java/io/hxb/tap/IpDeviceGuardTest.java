package io.hxb.tap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

@Tag("unit")
class IpDeviceGuardTest {
    private static final long ONLY_ON_NEWS = Long.MAX_VALUE;

    /** One whose address other programs take. */
    private static final class Nic implements VirtualNic {
        private final List<String> taken = new ArrayList<>();
        private String obstacle = "";
        private int error;
        private int putBack;

        @Override
        public String obstacle() {
            return obstacle;
        }

        @Override
        public List<Loss> losses() {
            return taken.stream().map(what -> new Loss(what, () -> putBack(what))).toList();
        }

        private void putBack(final String what) throws LinuxException {
            if (error != 0) {
                throw new LinuxException("adding an address", error);
            }
            taken.remove(what);
            putBack++;
        }
    }

    private final Nic nic = new Nic();
    private final IpDeviceGuard guard = new IpDeviceGuard("hxb0", "ip address add ...", nic);

    @Test
    void shouldLeaveACompleteNicAlone() throws LinuxException {
        assertEquals(ONLY_ON_NEWS, guard.look(0));
        assertEquals(0, nic.putBack);
    }

    @Test
    void shouldPutBackAllThatIsMissing() throws LinuxException {
        // given
        nic.taken.addAll(List.of("the address 10.77.0.1/16", "the route to 10.9.0.0/24"));
        // when
        assertEquals(ONLY_ON_NEWS, guard.look(0));
        // then
        assertEquals(List.of(), nic.taken);
        assertEquals(2, nic.putBack);
    }

    @Test
    void shouldTouchNothingWhileItIsDown() throws LinuxException {
        // given
        nic.taken.add("the address fd68:7862::1/64");
        nic.obstacle = "the virtual NIC hxb0 was set down";
        // when
        assertEquals(ONLY_ON_NEWS, guard.look(0));
        // then
        assertEquals(0, nic.putBack);
        // when it is up again
        nic.obstacle = "";
        guard.look(1);
        // then
        assertEquals(1, nic.putBack);
    }

    @Test
    void shouldNotContendForEverWithAnotherProgram() throws LinuxException {
        long nowNs = 0;
        for (int i = 0; i < IpDeviceGuard.REPAIRS; i++) {
            nic.taken.add("the address 10.77.0.1/16");
            assertEquals(ONLY_ON_NEWS, guard.look(nowNs));
            nowNs += 1_000_000;
        }
        // when it is taken once more
        nic.taken.add("the address 10.77.0.1/16");
        final long waitNs = guard.look(nowNs);
        // then
        assertEquals(IpDeviceGuard.REPAIRS, nic.putBack);
        assertEquals(IpDeviceGuard.REPAIR_INTERVAL_NS, waitNs);
        // when news arrive before that
        assertEquals(waitNs, guard.look(nowNs + 1));
        assertEquals(IpDeviceGuard.REPAIRS, nic.putBack);
        // when the time is over
        assertEquals(ONLY_ON_NEWS, guard.look(nowNs + waitNs));
        // then
        assertEquals(IpDeviceGuard.REPAIRS + 1, nic.putBack);
    }

    @Test
    void shouldGoOnWithoutTheRightToRepair() throws LinuxException {
        // given
        nic.taken.add("the address 10.77.0.1/16");
        nic.error = Errno.EPERM;
        // when
        assertEquals(ONLY_ON_NEWS, guard.look(0));
        // then an administrator does it
        nic.taken.clear();
        assertEquals(ONLY_ON_NEWS, guard.look(1));
        assertEquals(0, nic.putBack);
    }

    @Test
    void shouldPassOnWhatElseFails() {
        // given: somebody has added it meanwhile
        nic.taken.add("the address 10.77.0.1/16");
        nic.error = Errno.EEXIST;
        // when, then
        final LinuxException thrown = assertThrows(LinuxException.class, () -> guard.look(0));
        assertEquals(Errno.EEXIST, thrown.errno());
    }
}
