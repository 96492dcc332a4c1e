package io.hxb.tool.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** With which compiler the provider is built. */
@Tag("unit")
class FabricProviderTest {
    @Test
    void shouldLookForTheFirstWordOfTheCompiler() {
        assertEquals("ccache", FabricProvider.compiler(" ccache gcc -m64"));
        assertEquals("/opt/gcc", FabricProvider.compiler("/opt/gcc"));
        assertEquals("cc", FabricProvider.compiler(null));
        assertEquals("cc", FabricProvider.compiler(" "));
    }
}
