package io.hxb.link;

/** Tells that links may have changed, so that they are refreshed at once. Owned by one loop. */
public interface LinkWatch extends AutoCloseable {
    /** For links that nobody tells of: they are refreshed now and then. */
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

    /** Readable when something has changed; -1 if nothing is ever told. */
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
