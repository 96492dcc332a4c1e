package io.hxb.manager;

import java.io.IOException;
import java.util.Map;

/** Where committed paths outlive the manager. Used by one thread at a time. */
public interface PathStore {
    /**
     * What was saved last; empty if nothing was.
     *
     * @return VID by MAC address, first byte highest.
     * @throws IOException if there is something that cannot be read, with what to do.
     */
    Map<Long, Integer> load() throws IOException;

    /**
     * Saves all of it in place of what was saved, or none.
     *
     * @param vidOfMac VID by MAC address, first byte highest.
     */
    void save(Map<Long, Integer> vidOfMac) throws IOException;
}
