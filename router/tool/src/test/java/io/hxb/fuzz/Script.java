package io.hxb.fuzz;

/** An input as a script: numbers that are taken one after another, 0 after its end. One thread. */
public final class Script {
    private final byte[] bytes;
    private int at;

    /** Begins with the first byte. */
    public Script(final byte[] bytes) {
        this.bytes = bytes;
    }

    /** True while bytes are left. */
    public boolean hasNext() {
        return at < bytes.length;
    }

    /** The next byte, 0 to 255. */
    public int next() {
        return at < bytes.length ? bytes[at++] & 0xFF : 0;
    }

    /** The next eight bytes. */
    public long nextLong() {
        long value = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            value = value << 8 | next();
        }
        return value;
    }

    /**
     * Mostly the valid value, which no guessing finds; else one beside it or any.
     *
     * @param valid what an honest sender would send.
     */
    public long near(final long valid) {
        final int choice = next();
        return choice < 200 ? valid : choice < 240 ? valid + choice - 220 : nextLong();
    }
}
