package io.hxb.vlan;

/**
 * Which VID frames to a host take while the one that is set for it does not carry them. Asked and
 * answered by the thread that owns the paths.
 */
public interface Detours {
    /** No path is ever left. */
    Detours NONE =
            new Detours() {
                @Override
                public int vid(final int host, final int wanted) {
                    return wanted;
                }

                @Override
                public int peerVid(final int host) {
                    return Tagger.UNTAGGED;
                }

                @Override
                public int others(final int wanted) {
                    return wanted;
                }
            };

    /**
     * The VID that frames to a host take.
     *
     * @param wanted the one that was set, or that of the table.
     * @return {@code wanted} unless it is dead and another is not.
     */
    int vid(int host, int wanted);

    /**
     * The VID in which a host reports that it sends to this one; {@link Tagger#UNTAGGED} if that is
     * not known.
     */
    int peerVid(int host);

    /**
     * The VID that broadcasts take, and frames to hosts outside of the plan.
     *
     * @param wanted the default VID of the host.
     * @return {@code wanted} unless it is dead and another is not.
     */
    int others(int wanted);
}
