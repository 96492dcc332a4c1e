package io.hxb.vlan;

import java.util.HashMap;
import java.util.Map;

/** Remembers what holds, and what is named. */
public final class RememberingTagger implements Tagger {
    private final Map<Integer, Integer> prepared = new HashMap<>();
    private final Map<Integer, Integer> holding = new HashMap<>();
    private final Map<Long, Integer> named = new HashMap<>();

    @Override
    public void name(final int host, final long mac, final int vid) {
        named.put(mac, host);
        holding.put(host, vid);
    }

    @Override
    public void forget(final int host) {
        named.values().remove(host);
    }

    @Override
    public void path(final int host, final int vid) {
        prepared.put(host, vid);
    }

    @Override
    public void commit() {
        holding.putAll(prepared);
        prepared.clear();
    }

    @Override
    public int hostOf(final long mac) {
        return named.getOrDefault(mac, OTHERS);
    }

    @Override
    public long mac(final int host) {
        return named.entrySet().stream()
                .filter(entry -> entry.getValue() == host)
                .findAny()
                .map(Map.Entry::getKey)
                .orElse(0L);
    }

    @Override
    public int vid(final int host) {
        return holding.getOrDefault(host, UNTAGGED);
    }

    @Override
    public int heardVid(final int host) {
        return UNTAGGED;
    }

    @Override
    public long sentBytes(final int host) {
        return 0;
    }

    @Override
    public long sentFrames(final int host) {
        return 0;
    }

    @Override
    public VidTraffic traffic(final int vid) {
        return VidTraffic.NONE;
    }

    @Override
    public void close() {}

    boolean isUntouched() {
        return named.isEmpty() && holding.isEmpty() && prepared.isEmpty();
    }

    int vidOf(final long mac) {
        return vid(named.getOrDefault(mac, OTHERS));
    }
}
