package io.hxb.node.service;

import io.hxb.context.ContextManager;
import io.hxb.node.loop.Interest;
import io.hxb.node.loop.Loop;
import io.hxb.node.loop.LoopTask;
import io.hxb.node.loop.Registration;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;

import java.io.IOException;

/** Serves the node's own context on one of its loops. Owned by that loop. */
public final class ServiceTask implements LoopTask {
    private static final PmContextOptions OPTIONS =
            PmContextOptions.DEFAULT.withSendBuffers(64).withSpinNs(0);

    private final Loop loop;
    private final PmDevice device;
    private final PmContext context;
    private final NodeService service;
    private Registration registration = Registration.NONE;

    private ServiceTask(
            final Loop loop,
            final PmDevice device,
            final PmContext context,
            final PortTable ports) {
        this.loop = loop;
        this.device = device;
        this.context = context;
        service = new NodeService(context, ports);
    }

    /**
     * Opens the node's own context; the caller adds the task to the loop.
     *
     * @param loop that serves it.
     * @param device of the node; closed with the task.
     * @param contexts of the node, which tell to whom a port belongs.
     * @throws IOException if the context cannot be opened.
     */
    public static ServiceTask open(
            final Loop loop, final PmDevice device, final ContextManager contexts)
            throws IOException {
        final PmContext context;
        try {
            context = device.openContext(ServiceProtocol.CONTEXT, OPTIONS);
        } catch (final IOException | RuntimeException e) {
            device.close();
            throw e;
        }
        final PortTable ports = new PortTable(device.nodeId(), contexts::incarnation);
        return new ServiceTask(loop, device, context, ports);
    }

    @Override
    public void start() {
        registration =
                loop.register(
                        context.descriptor(),
                        Interest.READABLE,
                        (isReadable, isWritable) -> context.disarm());
    }

    @Override
    public int doWork(final long nowNs) {
        return service.doWork();
    }

    @Override
    public int flush() {
        return 0;
    }

    @Override
    public long nextDeadlineNs(final long nowNs) {
        return NEVER;
    }

    @Override
    public boolean prepareToSleep() {
        return context.arm(service.isWaitingForSends());
    }

    @Override
    public void awake() {
        context.disarm();
    }

    @Override
    public void stop() {
        registration.cancel();
        device.close();
    }
}
