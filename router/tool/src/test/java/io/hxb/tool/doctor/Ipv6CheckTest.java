package io.hxb.tool.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

@Tag("unit")
class Ipv6CheckTest {
    @TempDir private Path folder;

    private void set(final String nic, final int value) throws IOException {
        final Path settings = Files.createDirectories(folder.resolve(nic));
        Files.writeString(settings.resolve("disable_ipv6"), value + "\n");
    }

    private String fix(final boolean isRunning, final boolean isWritable) {
        final Optional<Finding> found =
                Ipv6Check.run(folder, "hxb0", "ip hxb0", isRunning, isWritable);
        return found.map(Finding::fix).orElse("nothing");
    }

    @Test
    void shouldNameTheSettingOfNewNics() throws IOException {
        // given
        set("default", 1);
        // when, then: the node can switch it on for its own NIC only if it may write there
        assertEquals(
                "sysctl -w net.ipv6.conf.default.disable_ipv6=0, then start the node again",
                fix(false, false));
        assertEquals("nothing", fix(false, true));
        set("default", 0);
        assertEquals("nothing", fix(false, false));
    }

    @Test
    void shouldNameTheSettingOfTheDeviceOfARunningNode() throws IOException {
        // given
        set("default", 1);
        set("hxb0", 1);
        // when, then
        assertEquals(
                "sysctl -w net.ipv6.conf.hxb0.disable_ipv6=0, then start the node again",
                fix(true, true));
        set("hxb0", 0);
        assertEquals("nothing", fix(true, true));
    }

    @Test
    void shouldReportAKernelWithoutIpv6() {
        assertEquals(
                Optional.of(
                        Finding.fail(
                                "ip hxb0",
                                "ip.prefix has IPv6, and the kernel has none",
                                "start Linux without ipv6.disable=1, or leave IPv6 out of"
                                        + " ip.prefix")),
                Ipv6Check.run(folder.resolve("none"), "hxb0", "ip hxb0", false, true));
    }
}
