package io.hxb.tool.chaos.result;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Draws throughput over time with marks for faults. Found by the service loader, because nodes do
 * without the library that draws. Stateless.
 */
public interface ChaosPicture {
    /**
     * Draws one run.
     *
     * @param file ends in {@code .svg} or {@code .png}.
     */
    void draw(Path file, ChaosResult result) throws IOException;
}
