package io.hxb.manager;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Committed paths in a file of text: a header line, and one line for each host with its MAC address
 * and VID. A new file replaces the old one as a whole or not at all. Used by one thread.
 */
public final class PathFile implements PathStore {
    private static final String HEAD = "hxb-paths-1";
    private static final String LINE = "[0-9a-f]{2}(:[0-9a-f]{2}){5} [1-9]\\d{0,3}";
    private static final int MAX_BYTES = 4 << 20;
    private static final int HEXADECIMAL = 16;

    private final Path file;

    /** Paths in that file, which need not exist yet; its folder must. */
    public PathFile(final Path file) {
        this.file = file;
    }

    @Override
    public Map<Long, Integer> load() throws IOException {
        final String text;
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw damaged("it is larger than 4 MiB");
            }
            text = Files.readString(file, StandardCharsets.US_ASCII);
        } catch (final NoSuchFileException e) {
            return Map.of();
        } catch (final java.nio.charset.CharacterCodingException e) {
            throw damaged("it is no text");
        }
        final List<String> lines = text.lines().toList();
        if (lines.isEmpty() || !lines.getFirst().equals(HEAD)) {
            throw damaged("its first line is not " + HEAD);
        }
        final Map<Long, Integer> vids = new LinkedHashMap<>();
        for (final String line : lines.subList(1, lines.size())) {
            if (!line.matches(LINE)) {
                throw damaged("there is a line that is no address and VID: '" + line + "'");
            }
            final long mac = Long.parseLong(line.substring(0, 17).replace(":", ""), HEXADECIMAL);
            vids.put(mac, Integer.parseInt(line.substring(18)));
        }
        return vids;
    }

    private IOException damaged(final String why) {
        return new IOException(
                "the committed paths in "
                        + file
                        + " cannot be used: "
                        + why
                        + "; remove the file to begin with the plan");
    }

    @Override
    public void save(final Map<Long, Integer> vidOfMac) throws IOException {
        final StringBuilder text = new StringBuilder(HEAD).append('\n');
        vidOfMac.forEach(
                (mac, vid) -> text.append(PeerName.text(mac)).append(' ').append(vid).append('\n'));
        final Path next = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(
                next,
                text,
                StandardCharsets.US_ASCII,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE,
                StandardOpenOption.SYNC);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
