package io.hxb.session;

import io.hxb.crypto.Gcm;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.SealFlyweight;
import io.hxb.linux.Memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Opens encrypted frames of captures in place. Unlike a node it takes each frame as often as it
 * comes, and those that the nodes dropped, too. Owned by one thread.
 */
public final class CaptureOpener implements AutoCloseable {
    /** What became of a frame. */
    public enum Result {
        /** Its body can be read without a key, or it is no frame. */
        READABLE,

        /** It was opened: its body is plain text now, header and seal are as they were. */
        OPENED,

        /** There are no keys of a session that it can be of; it is as it was. */
        NO_KEYS,

        /** Its seal does not fit: it is damaged or forged, or of another session of the nodes. */
        SEAL,

        /** A part of it was not captured, so that its seal cannot be checked. */
        CUT
    }

    private static final int MAX_BYTES = 1 << 17;

    private final CaptureKeys keys;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment plain = arena.allocate(MAX_BYTES, 8);
    private final long associated = arena.allocate(SealedPart.HEADER_BYTES, 8).address();
    private final Map<String, Gcm> ciphers = new HashMap<>();
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private String session = "";

    /** Makes one with these keys. */
    public CaptureOpener(final CaptureKeys keys) {
        this.keys = keys;
    }

    /**
     * Opens a frame.
     *
     * @param address of its header.
     * @param lengthBytes from there on that were captured.
     */
    public Result open(final long address, final int lengthBytes) {
        if (lengthBytes < FrameHeaderFlyweight.LENGTH
                || header.wrap(address).version() != FrameHeaderFlyweight.VERSION
                || header.type() != FrameType.DATA
                || !header.hasFlag(FrameHeaderFlyweight.FLAG_SEALED)) {
            return Result.READABLE;
        }
        final int body = header.bodyLength();
        if (body > MAX_BYTES
                || FrameHeaderFlyweight.LENGTH + body + SealFlyweight.LENGTH > lengthBytes) {
            return Result.CUT;
        }
        final long trailer = header.bodyAddress() + body;
        final List<CaptureKeys.Entry> candidates =
                candidates(SealFlyweight.mark(SealFlyweight.counterAt(trailer)));
        for (final CaptureKeys.Entry entry : candidates) {
            if (isOpened(entry, body, trailer)) {
                session = entry.toString();
                return Result.OPENED;
            }
        }
        return candidates.isEmpty() ? Result.NO_KEYS : Result.SEAL;
    }

    // A few sessions have the same mark.
    private List<CaptureKeys.Entry> candidates(final int mark) {
        final List<CaptureKeys.Entry> candidates = new ArrayList<>();
        for (final CaptureKeys.Entry entry : keys.entries()) {
            if (key(entry, mark).isPresent()) {
                candidates.add(entry);
            }
        }
        return candidates;
    }

    private Optional<String> key(final CaptureKeys.Entry entry, final int mark) {
        return CaptureKeys.key(
                entry, header.clusterId(), mark, header.source(), header.destination());
    }

    private boolean isOpened(final CaptureKeys.Entry entry, final int body, final long trailer) {
        final long counter = SealFlyweight.counterAt(trailer);
        final Gcm cipher =
                ciphers.computeIfAbsent(
                        key(entry, SealFlyweight.mark(counter)).orElseThrow(),
                        key -> Gcm.decrypting(HexFormat.of().parseHex(key)));
        SealedPart.write(header.address(), counter, associated);
        cipher.begin(counter, associated, SealedPart.HEADER_BYTES);
        cipher.update(header.bodyAddress(), plain.address(), body);
        if (!cipher.verify(SealFlyweight.tagAddress(trailer))) {
            return false;
        }
        Memory.copy(plain.address(), header.bodyAddress(), body);
        return true;
    }

    /** The session of the frame that was opened last, in words. */
    public String session() {
        return session;
    }

    @Override
    public void close() {
        ciphers.values().forEach(Gcm::close);
        arena.close();
    }
}
