package io.hxb.frame;

/**
 * The tenant of the source context, in the two frames that open a flow; it lies in a field of the
 * header that has no other meaning there. Tenants are numbers that their names give, see
 * TenantConfig. Stateless.
 */
public final class TenantField {
    private TenantField() {}

    /** The tenant in an OPEN: that of the context that wants to send. */
    public static int ofOpen(final FrameHeaderFlyweight open) {
        return open.acknowledgement();
    }

    /** Writes the tenant into an OPEN. */
    public static void intoOpen(final FrameHeaderFlyweight open, final int tenant) {
        open.acknowledgement(tenant);
    }

    /** The tenant in an ACCEPT: that of the context that will receive. */
    public static int ofAccept(final FrameHeaderFlyweight accept) {
        return accept.sequence();
    }

    /** Writes the tenant into an ACCEPT. */
    public static void intoAccept(final FrameHeaderFlyweight accept, final int tenant) {
        accept.sequence(tenant);
    }
}
