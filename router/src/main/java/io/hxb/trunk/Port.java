package io.hxb.trunk;

import io.hxb.link.Link;
import io.hxb.topology.Shape;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * One link in its place: the number it has in the trunk of its dimension, and which neighbours can
 * be reached over it. {@link Discovery} writes, every loop reads.
 */
public final class Port {
    private static final VarHandle USABLE = MethodHandles.arrayElementVarHandle(byte[].class);
    private static final String DIMENSION_NAMES = "xyzuvwst";

    private final Link link;
    private final int dimension;
    private final int number;
    private final byte[] usable = new byte[Shape.MAX_EXTENT];

    /**
     * Puts a link in its place.
     *
     * @param link the link.
     * @param dimension dimension its segment lies in, 0 to 7.
     * @param number its number in that dimension's trunk, from 0.
     */
    public Port(final Link link, final int dimension, final int number) {
        this.link = link;
        this.dimension = dimension;
        this.number = number;
    }

    /** The link. */
    public Link link() {
        return link;
    }

    /** Dimension, 0 to 7. */
    public int dimension() {
        return dimension;
    }

    /** Number in the trunk, from 0. */
    public int number() {
        return number;
    }

    /**
     * True while frames can be sent to a neighbour over this link: it has been heard lately and the
     * link is up.
     *
     * @param neighbour its coordinate in this dimension, 0 to 255.
     */
    public boolean isUsable(final int neighbour) {
        return (byte) USABLE.getOpaque(usable, neighbour) != 0 && link.isUp();
    }

    void setUsable(final int neighbour, final boolean isUsable) {
        USABLE.setOpaque(usable, neighbour, (byte) (isUsable ? 1 : 0));
    }

    /** As people write it: {@code x.0}. */
    public String label() {
        return label(dimension, number);
    }

    /** As people write the port with that dimension and number: {@code x.0}. */
    public static String label(final int dimension, final int number) {
        final String name =
                dimension < DIMENSION_NAMES.length()
                        ? DIMENSION_NAMES.substring(dimension, dimension + 1)
                        : Integer.toString(dimension);
        return name + "." + number;
    }
}
