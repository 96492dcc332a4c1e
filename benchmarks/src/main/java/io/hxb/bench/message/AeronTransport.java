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

import org.agrona.DirectBuffer;
import org.agrona.IoUtil;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.File;

/** Messages over Aeron. Owned by one thread. */
final class AeronTransport implements Transport {
    private static final int STREAM = 1001;

    private final Aeron aeron;
    private final Work work;
    private final Contents contents;
    private final Runnable closing;
    private final ExclusivePublication publication;
    private final Subscription subscription;
    private final BufferClaim claim = new BufferClaim();
    private final UnsafeBuffer longMessage = new UnsafeBuffer(new byte[0]);
    private final FragmentHandler handler;
    private Receiver receiver = (sequence, lengthBytes) -> {};

    /** What the application's thread does while there are no messages. */
    private interface Work {
        /** Something was received. */
        default void onMessages() {}

        /** Nothing was. */
        void idle();
    }

    private AeronTransport(
            final Aeron aeron,
            final Work work,
            final Contents contents,
            final Runnable closing,
            final String in,
            final String out,
            final boolean isFirst) {
        this.aeron = aeron;
        this.work = work;
        this.contents = contents;
        this.closing = closing;
        subscription = aeron.addSubscription(in, isFirst ? STREAM : STREAM + 1);
        publication = aeron.addExclusivePublication(out, isFirst ? STREAM + 1 : STREAM);
        handler =
                new FragmentAssembler(
                        (buffer, offset, length, header) -> onMessage(buffer, offset, length));
    }

    private void onMessage(final DirectBuffer buffer, final int offset, final int length) {
        if (buffer.byteArray() == null) {
            contents.read(buffer.addressOffset() + offset);
        }
        receiver.onMessage(buffer.getInt(offset), length);
    }

    /**
     * Starts driver and client in the invoker layout: both run on the application's thread, as they
     * do in a spinning HXB end.
     *
     * @param own address and port to receive at.
     * @param peer address and port to send to.
     * @param isServer true at one of the two ends.
     * @param mtuBytes longest UDP payload, a multiple of 32.
     * @param windowBytes what a receiver lets its sender have on the way; Aeron's default is 128
     *     KiB.
     */
    static AeronTransport embedded(
            final String own,
            final String peer,
            final boolean isServer,
            final int mtuBytes,
            final int windowBytes) {
        final String directory = CommonContext.generateRandomDirName();
        // An end that answers until it is stopped never closes the driver.
        final Runnable deletion = () -> IoUtil.delete(new File(directory), true);
        Runtime.getRuntime().addShutdownHook(new Thread(deletion));
        final MediaDriver driver =
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
        final AgentInvoker driverInvoker = driver.sharedAgentInvoker();
        final Aeron aeron =
                Aeron.connect(
                        new Aeron.Context()
                                .aeronDirectoryName(driver.aeronDirectoryName())
                                .useConductorAgentInvoker(true)
                                .driverAgentInvoker(driverInvoker));
        final AgentInvoker clientInvoker = aeron.conductorAgentInvoker();
        return new AeronTransport(
                aeron,
                () -> {
                    driverInvoker.invoke();
                    clientInvoker.invoke();
                },
                Contents.untouched(),
                driver::close,
                udp(own),
                udp(peer),
                isServer);
    }

    /**
     * Attaches to a driver in a process of its own, as by default, and backs off while there is
     * nothing to do.
     *
     * @param directory of the driver.
     * @param own address and port to receive at; empty for shared memory.
     * @param peer address and port to send to; empty for shared memory.
     * @param isServer true at one of the two ends.
     * @param contents what is done with those of messages of up to a fragment.
     */
    static AeronTransport attached(
            final String directory,
            final String own,
            final String peer,
            final boolean isServer,
            final Contents contents) {
        final IdleStrategy strategy = new BackoffIdleStrategy();
        return new AeronTransport(
                Aeron.connect(new Aeron.Context().aeronDirectoryName(directory)),
                new Work() {
                    @Override
                    public void onMessages() {
                        strategy.reset();
                    }

                    @Override
                    public void idle() {
                        strategy.idle();
                    }
                },
                contents,
                () -> {},
                own.isEmpty() ? "aeron:ipc" : udp(own),
                peer.isEmpty() ? "aeron:ipc" : udp(peer),
                isServer);
    }

    private static String udp(final String endpoint) {
        return "aeron:udp?endpoint=" + endpoint;
    }

    @Override
    public boolean offer(final int sequence, final int lengthBytes) {
        if (lengthBytes > publication.maxPayloadLength()) {
            return offerLong(sequence, lengthBytes);
        }
        if (publication.tryClaim(lengthBytes, claim) < 0) {
            return false;
        }
        contents.write(claim.buffer().addressOffset() + claim.offset());
        claim.buffer().putInt(claim.offset(), sequence);
        claim.commit();
        return true;
    }

    // A claim is one fragment.
    private boolean offerLong(final int sequence, final int lengthBytes) {
        if (longMessage.capacity() != lengthBytes) {
            longMessage.wrap(new byte[lengthBytes]);
        }
        longMessage.putInt(0, sequence);
        return publication.offer(longMessage, 0, lengthBytes) >= 0;
    }

    @Override
    public int receive(final Receiver to, final int limit) {
        receiver = to;
        final int count = subscription.poll(handler, limit);
        if (count > 0) {
            work.onMessages();
        }
        return count;
    }

    @Override
    public void idle() {
        work.idle();
    }

    @Override
    public int unfinished() {
        return 0;
    }

    @Override
    public void close() {
        aeron.close();
        closing.run();
    }
}
