package io.hxb.tool.top;

import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;
import org.jline.utils.Curses;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;
import org.jline.utils.NonBlockingReader;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A terminal that belongs to this program until it is closed, and is then restored, even when the
 * process is ended by a signal. Owned by the main thread; the thread that ends the process may
 * close it.
 */
final class TopScreen implements AutoCloseable {
    private static final long STEP_MS = 100;
    private static final long ESCAPE_MS = 50;
    private static final int ESCAPE = 27;
    private static final long NS_PER_MS = 1_000_000;

    /** Where samples come from. */
    interface Source {
        /**
         * Samples the nodes.
         *
         * @throws IOException if they cannot be sampled any more.
         */
        TopModel look() throws IOException;

        /** The last sample with what else may have changed since. */
        TopModel again(TopModel last);

        /** Begins a trace, whose lines are in later samples. Does not block. */
        void trace(TopState.TraceWish wish);
    }

    private final Terminal terminal;
    private final boolean isColoured;
    private final OutputStream out;
    private final Attributes before;
    private final Display display;
    private final String leave;
    private final Thread hook = new Thread(this::restore, "hxb-top-restore");
    private boolean isRestored;

    /**
     * On a terminal.
     *
     * @param terminal closed with it.
     * @param isColoured whether text may have colours and other attributes.
     * @param out where the terminal's output goes, also after it was closed.
     */
    TopScreen(final Terminal terminal, final boolean isColoured, final OutputStream out) {
        this.terminal = terminal;
        this.isColoured = isColoured;
        this.out = out;
        display = new Display(terminal, true);
        leave =
                text(Capability.exit_attribute_mode)
                        + text(Capability.keypad_local)
                        + text(Capability.exit_ca_mode)
                        + text(Capability.cursor_normal);
        Runtime.getRuntime().addShutdownHook(hook);
        before = terminal.enterRawMode();
        final Attributes raw = terminal.getAttributes();
        // Ctrl-C and Ctrl-Z are keys: nothing stops this process while the terminal is not as it
        // was.
        raw.setLocalFlag(Attributes.LocalFlag.ISIG, false);
        terminal.setAttributes(raw);
        terminal.puts(Capability.enter_ca_mode);
        // Not every terminal moves the cursor when it changes to its other screen, but the display
        // begins where it assumes the cursor to be: at the upper left.
        terminal.puts(Capability.clear_screen);
        terminal.puts(Capability.cursor_home);
        terminal.puts(Capability.keypad_xmit);
        terminal.puts(Capability.cursor_invisible);
        terminal.flush();
    }

    /**
     * Takes the terminal of this process.
     *
     * @param isColoured whether text may have colours and other attributes.
     * @return null when it cannot place the cursor.
     * @throws IOException if the terminal cannot be used.
     */
    static TopScreen open(final boolean isColoured) throws IOException {
        final Terminal terminal =
                TerminalBuilder.builder()
                        .system(true)
                        .providers("ffm,exec")
                        .graphemeCluster(false)
                        .dumb(true)
                        .build();
        if (terminal.getType().startsWith(Terminal.TYPE_DUMB)
                || terminal.getStringCapability(Capability.cursor_address) == null) {
            terminal.close();
            return null;
        }
        return new TopScreen(terminal, isColoured, new FileOutputStream(FileDescriptor.out));
    }

    private String text(final Capability capability) {
        final String sequence = terminal.getStringCapability(capability);
        if (sequence == null) {
            return "";
        }
        final StringWriter text = new StringWriter();
        Curses.tputs(text, sequence);
        return text.toString();
    }

    /**
     * Shows samples until the user ends it.
     *
     * @param intervalNs time between two samples.
     * @throws IOException if the source fails, or the terminal is gone.
     */
    void run(final Source source, final long intervalNs) throws IOException {
        try {
            showUntilOver(source, intervalNs);
        } catch (final IOException | RuntimeException e) {
            // A signal ends the process, so its terminal is about to go away.
            if (!isRestored()) {
                throw e;
            }
        }
    }

    private synchronized boolean isRestored() {
        return isRestored;
    }

    private void showUntilOver(final Source source, final long intervalNs) throws IOException {
        TopState state = TopState.START;
        TopModel model = source.look();
        long dueNs = System.nanoTime() + intervalNs;
        while (!state.isOver()) {
            final Size size = size();
            state = TopView.settle(model, size.getRows(), state);
            show(draw(model, size, state), size);
            final TopState next = take(model, size, state, dueNs);
            if (!next.trace().equals(state.trace())) {
                next.trace().ifPresent(source::trace);
            }
            state = next;
            final long nowNs = System.nanoTime();
            if (dueNs - nowNs <= 0 && !state.isPaused()) {
                model = source.look();
            }
            if (dueNs - nowNs <= 0) {
                dueNs = nowNs + intervalNs;
            }
            model = source.again(model);
        }
    }

    private List<ScreenLine> draw(final TopModel model, final Size size, final TopState state) {
        if (isColoured) {
            return TopView.draw(model, size.getColumns(), size.getRows(), state);
        }
        final int width = Math.max(1, size.getColumns() - ScreenLine.MARK_COLUMNS);
        return TopView.draw(model, width, size.getRows(), state).stream()
                .map(line -> line.marked().cut(size.getColumns()))
                .toList();
    }

    private Size size() {
        final Size size = terminal.getSize();
        // Terminals over serial lines do not know.
        return size.getColumns() > 0 && size.getRows() > 0 ? size : Size.of(80, 24);
    }

    /** What the next key changes; nothing when something else is due: a sample, or a new size. */
    private TopState take(
            final TopModel model, final Size size, final TopState state, final long dueNs)
            throws IOException {
        int character = NonBlockingReader.READ_EXPIRED;
        // Where samples take longer than the interval, keys are still read.
        do {
            final long leftMs = (dueNs - System.nanoTime()) / NS_PER_MS + 1;
            character = terminal.reader().read(Math.clamp(leftMs, 1, STEP_MS));
        } while (character == NonBlockingReader.READ_EXPIRED
                && dueNs - System.nanoTime() > 0
                && size().equals(size));
        if (character != NonBlockingReader.READ_EXPIRED) {
            final String sequence = character == ESCAPE ? sequence() : "";
            if (state.prompt() == TopState.Prompt.NONE) {
                final TopKey key =
                        character == ESCAPE ? TopKey.ofSequence(sequence) : TopKey.of(character);
                return TopView.press(model, size.getRows(), state, key);
            }
            return sequence.isEmpty()
                    ? TopView.type(model, size.getRows(), state, character)
                    : state;
        }
        return state;
    }

    /** The characters right after an ESC, up to the letter or tilde that ends the sequence. */
    private String sequence() throws IOException {
        final StringBuilder text = new StringBuilder();
        int character = terminal.reader().read(ESCAPE_MS);
        while (character >= ' ') {
            text.append((char) character);
            if (text.length() > 1 && character >= '@') {
                break;
            }
            character = terminal.reader().read(ESCAPE_MS);
        }
        return text.toString();
    }

    private synchronized void show(final List<ScreenLine> lines, final Size size) {
        if (isRestored) {
            return;
        }
        final List<AttributedString> texts = new ArrayList<>();
        lines.forEach(line -> texts.add(styled(line)));
        if (display.getColumns() != size.getColumns() || display.getRows() != size.getRows()) {
            display.resize(size);
            // What a terminal does with its lines when its size changes differs.
            display.clear();
        }
        display.update(texts, 0);
        terminal.flush();
    }

    private AttributedString styled(final ScreenLine line) {
        final AttributedStringBuilder text = new AttributedStringBuilder();
        for (final ScreenLine.Span span : line.spans()) {
            final AttributedStyle style = isColoured ? style(span.tone()) : AttributedStyle.DEFAULT;
            text.styled(isColoured && line.isSelected() ? style.inverse() : style, span.text());
        }
        return text.toAttributedString();
    }

    private static AttributedStyle style(final TextStyle textStyle) {
        final AttributedStyle plain = AttributedStyle.DEFAULT;
        return switch (textStyle) {
            case PLAIN -> plain;
            case TITLE -> plain.foreground(AttributedStyle.CYAN);
            case HEADING -> plain.bold();
            case SORTED -> plain.bold().underline();
            case GOOD -> plain.foreground(AttributedStyle.GREEN);
            case WARNING -> plain.foreground(AttributedStyle.YELLOW);
            case BAD -> plain.foreground(AttributedStyle.RED).bold();
        };
    }

    /** Restores the terminal, once. */
    private synchronized void restore() {
        if (isRestored) {
            return;
        }
        isRestored = true;
        try {
            terminal.setAttributes(before);
        } catch (final RuntimeException e) {
            // The library's own shutdown hook ran earlier and has done it.
        }
        try {
            // Not by the terminal, which may be closed already.
            out.write(leave.getBytes(StandardCharsets.US_ASCII));
            out.flush();
        } catch (final IOException e) {
            // The terminal is gone: nothing is left to restore.
        }
    }

    @Override
    public void close() throws IOException {
        restore();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (final IllegalStateException e) {
            // The process is ending, so the hook has nothing left to do.
        }
        terminal.close();
    }
}
