package io.hxb.node.service;

import io.hxb.context.ContextManager;
import io.hxb.node.loop.DescriptorHandle;
import io.hxb.node.loop.LoopDriver;
import io.hxb.node.loop.LoopTask;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.netty.channel.IoRegistration;

import org.agrona.ErrorHandler;

import java.io.IOException;

/** Serves the node's own context on one of its loops. Owned by that loop. */
public final class ServiceTask implements LoopTask {
    private static final PmContextOptions OPTIONS =
            PmContextOptions.DEFAULT.withSendBuffers(64).withSpinNs(0);

    private final PmDevice device;
    private final PmContext context;
    private final NodeService service;
    private final ErrorHandler errorHandler;
    private IoRegistration registration;

    private ServiceTask(
            final PmDevice device,
            final PmContext context,
            final PortTable ports,
            final ErrorHandler errorHandler) {
        this.device = device;
        this.context = context;
        this.errorHandler = errorHandler;
        service = new NodeService(context, ports);
    }

    /**
     * Opens the node's own context; the caller adds the task to a loop.
     *
     * @param device of the node; closed with the task.
     * @param contexts of the node, which tell whose a port is.
     * @throws IOException if the context cannot be opened.
     */
    public static ServiceTask open(
            final PmDevice device, final ContextManager contexts, final ErrorHandler errorHandler)
            throws IOException {
        final PmContext context = device.openContext(ServiceProtocol.CONTEXT, OPTIONS);
        final PortTable ports = new PortTable(device.nodeId(), contexts::incarnation);
        return new ServiceTask(device, context, ports, errorHandler);
    }

    @Override
    public void start(final LoopDriver driver) {
        registration =
                driver.register(
                        new DescriptorHandle(context.descriptor(), errorHandler) {
                            @Override
                            protected void onReady(
                                    final boolean isReadable, final boolean isWritable) {
                                context.disarm();
                            }
                        });
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
