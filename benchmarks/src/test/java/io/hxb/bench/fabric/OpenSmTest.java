package io.hxb.bench.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;

@Tag("unit")
class OpenSmTest {
    private static final List<String> LOG =
            """
            Nov 21 16:30:27 366178 [713006C0] 0x04 -> ucast_mgr_route: building routing with 'lash' routing algorithm...
            Nov 21 16:30:27 368801 [713006C0] 0x04 -> connect_switches: LASH connect: 0, 8, 1
            Nov 21 16:30:27 428000 [713006C0] 0x02 -> lash_core: Lanes needed: 7, Balancing
            Nov 21 16:30:27 446178 [713006C0] 0x02 -> osm_ucast_mgr_process: lash tables configured on all switches
            """
                    .lines()
                    .toList();

    @Test
    void shouldReadTimeAndLayersOutOfTheLog() throws IOException {
        // when
        final OpenSm.Run run = OpenSm.parse("lash", LOG);
        // then
        assertEquals(80.0, run.ms(), 1e-9);
        assertEquals(7, run.lanes());
    }

    @Test
    void shouldNotTakeAnotherEngineForTheOneAskedFor() {
        // when: updn gave up, and minhop made the tables
        final List<String> log =
                LOG.stream().map(line -> line.replace("lash tables", "minhop tables")).toList();
        // then
        final IOException thrown = assertThrows(IOException.class, () -> OpenSm.parse("lash", log));
        assertTrue(thrown.getMessage().contains("no routes by lash"), thrown.getMessage());
    }
}
