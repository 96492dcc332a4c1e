package io.hxb.link;

/**
 * Reports that links may have changed, so that they are refreshed immediately. Owned by one loop.
 */
public interface LinkWatch extends AutoCloseable {
    /** For links whose changes are not reported: they are refreshed from time to time. */
    LinkWatch NONE =
            new LinkWatch() {
                @Override
                public int descriptor() {
                    return -1;
                }

                @Override
                public boolean poll() {
                    return false;
                }

                @Override
                public void close() {}
            };

    /** Readable when something has changed; -1 if nothing is ever reported. */
    int descriptor();

    /**
     * Takes the news, without waiting.
     *
     * @return true if a link has changed, or may have.
     */
    boolean poll();

    @Override
    void close();
}
