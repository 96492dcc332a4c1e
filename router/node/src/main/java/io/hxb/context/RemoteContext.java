package io.hxb.context;

import io.hxb.remote.LentRegion;
import io.hxb.remote.RemoteHost;

/** A context as its use of remote memory sees it. Owned by the loop of the context. */
final class RemoteContext implements RemoteHost {
    private final ContextEndpoint endpoint;
    private final AttachedProcess attachedProcess;
    private final MessageRateLimiter rate;

    RemoteContext(final ContextEndpoint endpoint) {
        this.endpoint = endpoint;
        attachedProcess = endpoint.application();
        rate = attachedProcess.account().messageRate();
    }

    @Override
    public LentRegion region(final int regionId) {
        return attachedProcess.region(regionId);
    }

    @Override
    public void wake() {
        endpoint.wakeForRemote();
    }

    @Override
    public int permits(final int max, final long nowNs) {
        return rate == null ? max : rate.take(max, nowNs);
    }

    @Override
    public void giveBackPermits(final int messages) {
        if (rate != null) {
            rate.giveBack(messages);
        }
    }

    @Override
    public long nextPermitNs(final long nowNs) {
        return rate == null ? nowNs : rate.nextNs(nowNs);
    }

    @Override
    public void wakeAt(final long atNs) {
        endpoint.wakeAt(atNs);
    }
}
