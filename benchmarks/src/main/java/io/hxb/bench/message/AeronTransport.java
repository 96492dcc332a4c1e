package io.hxb.bench.message;

import io.aeron.Aeron;
import io.aeron.CommonContext;
import io.aeron.ExclusivePublication;
import io.aeron.FragmentAssembler;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.FragmentHandler;

import org.agrona.IoUtil;
import org.agrona.concurrent.AgentInvoker;

import java.io.File;

/**
 * Messages over Aeron's UDP transport in its invoker layout: driver and client run on the
 * application's thread, as they do in a spinning HXB end. Owned by one thread.
 */
final class AeronTransport implements Transport {
    private static final int STREAM = 1001;

    private final MediaDriver driver;
    private final AgentInvoker driverInvoker;
    private final Aeron aeron;
    private final AgentInvoker clientInvoker;
    private final ExclusivePublication publication;
    private final Subscription subscription;
    private final BufferClaim claim = new BufferClaim();
    private final FragmentHandler handler;
    private Receiver receiver = (sequence, lengthBytes) -> {};

    /**
     * Starts driver and client.
     *
     * @param own address and port to receive at.
     * @param peer address and port to send to.
     * @param mtuBytes longest UDP payload, a multiple of 32.
     * @param windowBytes what a receiver lets its sender have on the way; Aeron's default is 128
     *     KiB.
     */
    AeronTransport(final String own, final String peer, final int mtuBytes, final int windowBytes) {
        final String directory = CommonContext.generateRandomDirName();
        // An end that answers until it is told to stop never closes the driver.
        final Runnable deletion = () -> IoUtil.delete(new File(directory), true);
        Runtime.getRuntime().addShutdownHook(new Thread(deletion));
        driver =
                MediaDriver.launchEmbedded(
                        new MediaDriver.Context()
                                .aeronDirectoryName(directory)
                                .threadingMode(ThreadingMode.INVOKER)
                                .mtuLength(mtuBytes)
                                .socketSndbufLength(2 << 20)
                                .socketRcvbufLength(2 << 20)
                                .initialWindowLength(windowBytes)
                                .dirDeleteOnStart(true)
                                .dirDeleteOnShutdown(true));
        driverInvoker = driver.sharedAgentInvoker();
        aeron =
                Aeron.connect(
                        new Aeron.Context()
                                .aeronDirectoryName(driver.aeronDirectoryName())
                                .useConductorAgentInvoker(true)
                                .driverAgentInvoker(driverInvoker));
        clientInvoker = aeron.conductorAgentInvoker();
        subscription = aeron.addSubscription("aeron:udp?endpoint=" + own, STREAM);
        publication = aeron.addExclusivePublication("aeron:udp?endpoint=" + peer, STREAM);
        handler =
                new FragmentAssembler(
                        (buffer, offset, length, header) ->
                                receiver.onMessage(buffer.getInt(offset), length));
    }

    @Override
    public boolean offer(final int sequence, final int lengthBytes) {
        if (publication.tryClaim(lengthBytes, claim) < 0) {
            return false;
        }
        claim.buffer().putInt(claim.offset(), sequence);
        claim.commit();
        return true;
    }

    @Override
    public int receive(final Receiver to, final int limit) {
        receiver = to;
        return subscription.poll(handler, limit);
    }

    @Override
    public void idle() {
        driverInvoker.invoke();
        clientInvoker.invoke();
    }

    @Override
    public int unfinished() {
        return 0;
    }

    @Override
    public void close() {
        aeron.close();
        driver.close();
    }
}
