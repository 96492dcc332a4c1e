package io.hxb.os.nic;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.LinuxException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class NicInfoTest {
    @Test
    void shouldDistinguishTheLoopbackFromANicThatIsNotThere() throws LinuxException {
        // given
        final String missing = "nosuchnic0";
        // when
        final NicInfo loopback = NicInfo.read("lo");
        final NicInfo none = NicInfo.read(missing);
        // then
        assertTrue(loopback.exists() && loopback.ifindex() > 0);
        assertFalse(none.exists());
        assertFalse(NicInfo.read("a-name-that-is-too-long").exists());
    }
}
