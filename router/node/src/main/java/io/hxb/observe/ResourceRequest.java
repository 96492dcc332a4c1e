package io.hxb.observe;

import java.util.Map;

/**
 * What is asked. Immutable.
 *
 * @param method GET or HEAD.
 * @param path as it was registered.
 * @param query parameters, the first of each name.
 * @param accept the kinds of text that are accepted; empty for all.
 * @param viewer what may be shown.
 */
public record ResourceRequest(
        String method, String path, Map<String, String> query, String accept, Viewer viewer) {
    /** Copies the map. */
    public ResourceRequest {
        query = Map.copyOf(query);
    }
}
