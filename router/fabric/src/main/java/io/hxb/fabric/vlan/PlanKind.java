package io.hxb.fabric.vlan;

/** Who puts frames into VLANs. */
public enum PlanKind {
    /**
     * The switch, by the PVID of the host's port: hosts know nothing of VLANs, all frames of a host
     * are in one, MAC addresses are set statically. Source: Otsuka et al. 2006.
     */
    SWITCH_TAGGED("switch-tagged"),

    /**
     * The host, by a tag for each destination, the same in both directions. Source: Miura et al.
     * 2007 (VFREC-Net).
     */
    HOST_TAGGED("host-tagged");

    private final String word;

    PlanKind(final String word) {
        this.word = word;
    }

    /** The kind as text. */
    public String word() {
        return word;
    }

    /**
     * The kind with that name.
     *
     * @throws IllegalArgumentException listing the valid words.
     */
    public static PlanKind parse(final String word) {
        for (final PlanKind kind : values()) {
            if (kind.word.equals(word)) {
                return kind;
            }
        }
        throw new IllegalArgumentException(
                "a plan is switch-tagged or host-tagged, not '" + word + "'");
    }

    @Override
    public String toString() {
        return word;
    }
}
