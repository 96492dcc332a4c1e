package io.hxb.config;

/**
 * One link of one node, resolved. Immutable.
 *
 * @param index number of the link in its node, from 0: links of dimension 0 first.
 * @param dimension its dimension, 0 to 7.
 * @param number its number in the dimension's trunk, from 0.
 * @param nic selector of its NIC, which is its name, MAC address or path (see {@link
 *     io.hxb.os.nic.NicFinder}); empty for UDP.
 * @param host name or address of its UDP socket; empty for raw links.
 * @param port port of its UDP socket; 0 for raw links.
 */
public record LinkConfig(int index, int dimension, int number, String nic, String host, int port) {

    /** Its name in messages: {@code x.0}. */
    public String label() {
        return Dimensions.name(dimension) + "." + number;
    }
}
