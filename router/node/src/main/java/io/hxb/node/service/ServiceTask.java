package io.hxb.node.service;

import io.hxb.context.ContextManager;
import io.hxb.counter.CounterBlock;
import io.hxb.forward.Tracer;
import io.hxb.node.collective.GroupMembers;
import io.hxb.node.loop.Interest;
import io.hxb.node.loop.Loop;
import io.hxb.node.loop.LoopTask;
import io.hxb.node.loop.Registration;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.topology.Shape;

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
            final ContextManager contexts,
            final Tracer tracer,
            final CounterBlock counters) {
        this.loop = loop;
        this.device = device;
        this.context = context;
        service =
                new NodeService(
                        context,
                        new PortTable(device.nodeId(), contexts::incarnation),
                        new NodeService.Place(Shape.parse(device.shape()), device.nodeId()),
                        contexts.incarnation(ServiceProtocol.CONTEXT),
                        tracer,
                        new Members(contexts),
                        counters);
    }

    /**
     * Opens the node's own context; the caller adds the task to the loop.
     *
     * @param loop that serves it.
     * @param device of the node; closed with the task.
     * @param contexts of the node, which tell to whom a port belongs.
     * @param tracer of the node's share of that loop.
     * @param counters of collective operations.
     * @throws IOException if the context cannot be opened.
     */
    public static ServiceTask open(
            final Loop loop,
            final PmDevice device,
            final ContextManager contexts,
            final Tracer tracer,
            final CounterBlock counters)
            throws IOException {
        final PmContext context;
        try {
            context = device.openContext(ServiceProtocol.CONTEXT, OPTIONS);
        } catch (final IOException | RuntimeException e) {
            device.close();
            throw e;
        }
        return new ServiceTask(loop, device, context, contexts, tracer, counters);
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
        return service.doWork(nowNs);
    }

    @Override
    public int flush() {
        return 0;
    }

    @Override
    public long nextDeadlineNs(final long nowNs) {
        return service.nextDeadlineNs(nowNs);
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

    /** The contexts of the node, as far as groups have to know them. */
    private record Members(ContextManager contexts) implements GroupMembers {
        @Override
        public int incarnation(final int context) {
            return contexts.incarnation(context);
        }

        @Override
        public int tenant(final int context) {
            return contexts.tenant(context);
        }

        @Override
        public boolean mayJoin(final int context) {
            return contexts.mayTalkWithItself(context);
        }
    }
}
