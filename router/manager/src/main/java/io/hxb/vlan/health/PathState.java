package io.hxb.vlan.health;

/** What a host knows of the frames that come from another host in one VID. */
enum PathState {
    /** None has come yet, none was missed. */
    UNKNOWN(0),
    /** They come. */
    HEARD(1),
    /** They do not, though the other host sends there. */
    DEAD(2);

    private final int code;

    PathState(final int code) {
        this.code = code;
    }

    /** As it stands in a {@link Probe}. */
    int code() {
        return code;
    }

    static PathState of(final int code) {
        return switch (code) {
            case 1 -> HEARD;
            case 2 -> DEAD;
            default -> UNKNOWN;
        };
    }
}
