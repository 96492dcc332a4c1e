package io.hxb.config;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/** The tenants to which the contexts of one tenant may talk. Immutable; asked when flows open. */
public final class TenantRights {
    /** Everybody may send to it, and it to everybody. */
    static final TenantRights ALL = new TenantRights((int[]) null, null);

    /** Sorted numbers of tenants; null for all. */
    private final int[] senders;

    private final int[] receivers;

    /** Rights to receive from {@code senders} and to send to {@code receivers} only. */
    TenantRights(final Collection<Integer> senders, final Collection<Integer> receivers) {
        this(sorted(senders), sorted(receivers));
    }

    private TenantRights(final int[] senders, final int[] receivers) {
        this.senders = senders;
        this.receivers = receivers;
    }

    /** Rights to receive from {@code senders} only, and to send to everybody. */
    static TenantRights toAll(final List<Integer> senders) {
        return new TenantRights(sorted(senders), null);
    }

    private static int[] sorted(final Collection<Integer> ids) {
        return ids.stream().mapToInt(Integer::intValue).sorted().toArray();
    }

    /** True if a context of that tenant may send to one of this tenant. */
    public boolean mayReceiveFrom(final int tenant) {
        return senders == null || Arrays.binarySearch(senders, tenant) >= 0;
    }

    /** True if a context of this tenant may send to one of that tenant. */
    public boolean maySendTo(final int tenant) {
        return receivers == null || Arrays.binarySearch(receivers, tenant) >= 0;
    }
}
