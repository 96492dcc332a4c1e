package io.hxb.remote;

import io.hxb.pm.PmStatus;
import io.hxb.pm.rma.PmAccess;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * A key by which others use a region. Loops enter it for each access and leave it behind that; once
 * it is revoked nobody enters any more, and when it is quiet nobody is inside.
 */
public final class Grant {
    private static final int REVOKED = 1 << 30;

    private final LentRegion region;
    private final long key;
    private final int rights;
    private final AtomicInteger users = new AtomicInteger();

    Grant(final LentRegion region, final long key, final int rights) {
        this.region = region;
        this.key = key;
        this.rights = rights;
    }

    long key() {
        return key;
    }

    LentRegion region() {
        return region;
    }

    /** Address of the region's first byte. */
    long address() {
        return region.address();
    }

    /**
     * Begins an access.
     *
     * @param right of {@link PmAccess} that it takes.
     * @return OK, and {@link #leave} has to follow; otherwise BAD_KEY, NO_ACCESS or BAD_RANGE.
     */
    int enter(final int right, final long offset, final long lengthBytes) {
        if ((rights & right) == 0) {
            return PmStatus.NO_ACCESS;
        }
        if (offset < 0 || lengthBytes < 0 || offset > region.lengthBytes() - lengthBytes) {
            return PmStatus.BAD_RANGE;
        }
        if (users.getAndIncrement() >= REVOKED || !region.use(offset, lengthBytes)) {
            users.decrementAndGet();
            return PmStatus.BAD_KEY;
        }
        return PmStatus.OK;
    }

    /** Ends an access. */
    void leave() {
        region.unuse();
        users.decrementAndGet();
    }

    /** Lets nobody enter any more. */
    void revoke() {
        users.getAndUpdate(count -> count | REVOKED);
    }

    /** True when, after {@link #revoke}, nobody is inside. */
    public boolean isQuiet() {
        return users.get() == REVOKED;
    }
}
