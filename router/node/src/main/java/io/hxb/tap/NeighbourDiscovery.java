package io.hxb.tap;

import io.hxb.linux.Memory;

/**
 * Messages of neighbour discovery, and what they say of MACs. Stateless; reads no byte beyond the
 * length that it is given. Source: RFC 4861, 4.
 */
final class NeighbourDiscovery {
    /** No message of neighbour discovery. */
    static final int NONE = 0;

    static final int SOLICITATION = 135;
    static final int ADVERTISEMENT = 136;

    private static final int FIRST = 133;
    private static final int REDIRECT = 137;

    /** Where the options begin, by type from {@link #FIRST}, from the start of the message. */
    private static final int[] OPTIONS = {8, 16, 24, 24, 40};

    private static final int SOURCE_MAC = 6;
    private static final int NEXT_HEADER = VirtioHeader.ETHERNET_LENGTH + 6;
    private static final int MESSAGE = VirtioHeader.ETHERNET_LENGTH + 40;
    private static final int ICMP6 = 58;
    private static final int SOURCE_OPTION = 1;
    private static final int TARGET_OPTION = 2;
    private static final int UNIT_BYTES = 8;

    private NeighbourDiscovery() {}

    /**
     * The type of the message in a frame with a whole header of IPv6, {@link #NONE} if it is
     * something else.
     */
    static int type(final long frame, final int lengthBytes) {
        int header = Memory.getUnsignedByte(frame + NEXT_HEADER);
        int offset = MESSAGE;
        while (Ipv6Extension.is(header) && offset + UNIT_BYTES <= lengthBytes) {
            if (Ipv6Extension.isLaterFragment(header, frame + offset)) {
                return NONE;
            }
            final int bytes = Ipv6Extension.bytes(header, frame + offset);
            header = Memory.getUnsignedByte(frame + offset);
            offset += bytes;
        }
        if (header != ICMP6 || offset >= lengthBytes) {
            return NONE;
        }
        final int type = Memory.getUnsignedByte(frame + offset);
        return type >= FIRST && type <= REDIRECT ? type : NONE;
    }

    /**
     * True if a message claims no MAC but that from which its frame comes. One behind extension
     * headers is none that machines send, and redirections go to one machine.
     *
     * @param type of the message, other than {@link #NONE}.
     */
    static boolean isOfItsSender(final long frame, final int lengthBytes, final int type) {
        if (Memory.getUnsignedByte(frame + NEXT_HEADER) != ICMP6) {
            return false;
        }
        if (type == REDIRECT) {
            return (Memory.getUnsignedByte(frame) & 1) == 0;
        }
        int offset = MESSAGE + OPTIONS[type - FIRST];
        while (offset + UNIT_BYTES <= lengthBytes) {
            final int option = Memory.getUnsignedByte(frame + offset);
            final int units = Memory.getUnsignedByte(frame + offset + 1);
            final boolean isMac = option == SOURCE_OPTION || option == TARGET_OPTION;
            if (units == 0 || (isMac && !isSourceMac(frame, frame + offset + 2))) {
                return false;
            }
            offset += units * UNIT_BYTES;
        }
        return true;
    }

    private static boolean isSourceMac(final long frame, final long mac) {
        return Memory.getInt(mac) == Memory.getInt(frame + SOURCE_MAC)
                && Memory.getUnsignedShortBigEndian(mac + Integer.BYTES)
                        == Memory.getUnsignedShortBigEndian(frame + SOURCE_MAC + Integer.BYTES);
    }
}
