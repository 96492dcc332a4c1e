package io.hxb.vlan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.bpf.BpfCode;
import io.hxb.os.bpf.BpfProgram;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;

/** The program that tags, run by the kernel on frames that are on no NIC. */
@Tag("system")
class TagProgramsTest {
    private static final int[] PLAN = {100, 200};
    private static final int OWN = 1;
    private static final int OF_ANOTHER = 2;
    private static final long MAC = 0x0605_0403_0202L;
    private static final long OTHER_MAC = 0x1615_1413_1202L;

    @BeforeEach
    void assumeRoot() {
        TestNamespaces.assumeRoot();
    }

    /** Frames that have left with a VID. */
    private static long sent(final TagMaps maps, final int number) {
        return Memory.getLong(maps.vids().address(number) + TagTable.SENT_FRAMES_OFFSET);
    }

    private static TagMaps sendOne(final Consumer<BpfCode> meanwhile) throws LinuxException {
        final TagMaps maps = TagMaps.create(PLAN, 8);
        assertTrue(maps.table().add(MAC, 0, OWN));
        try (BpfProgram program =
                BpfProgram.load(TagPrograms.egress(maps, meanwhile), BpfProgram.Hook.EGRESS)) {
            final byte[] frame = new byte[128];
            ByteBuffer.wrap(frame).order(ByteOrder.nativeOrder()).putLong(0, MAC);
            frame[6] = 2; // its source
            frame[7] = 0;
            frame[12] = 0x08;
            frame[13] = 0;
            program.run(frame);
        }
        return maps;
    }

    /** Another peer, of another VID, is put where the frame's was found. */
    private static void replace(final BpfCode code) {
        code.setLong(BpfCode.R2, OTHER_MAC)
                .store(BpfCode.DOUBLE, BpfCode.R7, TagTable.MAC_OFFSET, BpfCode.R2)
                .set(BpfCode.R2, OF_ANOTHER)
                .store(BpfCode.HALF, BpfCode.R7, TagTable.PATHS_OFFSET, BpfCode.R2)
                .store(BpfCode.HALF, BpfCode.R7, TagTable.PATHS_OFFSET + Short.BYTES, BpfCode.R2);
    }

    @Test
    void shouldTagAFrameWithTheVidOfItsPeer() throws Exception {
        try (TagMaps maps = sendOne(code -> {})) {
            assertEquals(1, sent(maps, OWN));
            assertEquals(0, sent(maps, OF_ANOTHER));
        }
    }

    @Test
    void shouldNotTagAFrameWithTheVidOfAPeerThatWasPutInItsPlaceMeanwhile() throws Exception {
        try (TagMaps maps = sendOne(TagProgramsTest::replace)) {
            assertEquals(0, sent(maps, OWN));
            assertEquals(0, sent(maps, OF_ANOTHER));
            // it takes the path of others, of which there is none
            final long others = maps.header().address(0) + TagTable.OTHERS_COUNTS_OFFSET;
            assertEquals(1, Memory.getLong(others + TagTable.FRAMES_OFFSET));
        }
    }
}
