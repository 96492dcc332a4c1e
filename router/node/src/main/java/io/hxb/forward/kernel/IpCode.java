package io.hxb.forward.kernel;

import static io.hxb.forward.kernel.RelayProgram.ETHERNET_BYTES;
import static io.hxb.forward.kernel.RelayProgram.ETHER_TYPE;
import static io.hxb.forward.kernel.RelayProgram.HEADER;
import static io.hxb.forward.kernel.RelayProgram.SOURCE_MAC;
import static io.hxb.os.bpf.BpfCode.BYTE;
import static io.hxb.os.bpf.BpfCode.HALF;
import static io.hxb.os.bpf.BpfCode.R0;
import static io.hxb.os.bpf.BpfCode.R1;
import static io.hxb.os.bpf.BpfCode.R10;
import static io.hxb.os.bpf.BpfCode.R2;
import static io.hxb.os.bpf.BpfCode.R3;
import static io.hxb.os.bpf.BpfCode.R4;
import static io.hxb.os.bpf.BpfCode.R6;
import static io.hxb.os.bpf.BpfCode.R7;
import static io.hxb.os.bpf.BpfCode.WORD;

import io.hxb.link.raw.IpHeaders;
import io.hxb.os.bpf.BpfCode;

/**
 * Writes the part of a {@link RelayProgram} that knows what comes by IP: the headers before HXB's
 * are read and checked, become what the rest of the program expects of a frame, and are written
 * back with one hop less. Used by one thread.
 */
abstract class IpCode {
    private static final int CHANGED_BYTES = ETHERNET_BYTES + IpHeaders.CHECKSUM_OFFSET + 2;

    // On the stack, below what the rest of the program has there.
    static final int SEGMENT = -176;
    static final int LENGTH = -184;
    static final int IP = -224;
    static final int OTHER = -280;

    final BpfCode code;

    IpCode(final BpfCode code) {
        this.code = code;
    }

    /** Reads the headers and checks those of IP. */
    abstract void readHead();

    /** Takes one of the time to live, checks what has arrived, and counts its frames. */
    abstract void check();

    /** Sets register 7 to the number of a link from 0, below register 1, to be tried first. */
    abstract void chooseFirst();

    /**
     * Checks the header of IPv4 at {@link #IP}, for a packet whose length is in register 7.
     *
     * @param port destination port.
     */
    final void checkIp(final int protocol, final int port) {
        code.load(BYTE, R1, R10, IP)
                .jumpIfNotWord(R1, IpHeaders.VERSION_AND_LENGTH, "pass")
                .load(BYTE, R1, R10, IP + IpHeaders.PROTOCOL_OFFSET)
                .jumpIfNotWord(R1, protocol, "pass")
                .load(HALF, R1, R10, IP + IpHeaders.FRAGMENT_OFFSET)
                .and(R1, RelayProgram.networkOrder(IpHeaders.MORE_FRAGMENTS_AND_OFFSET))
                .jumpIfNotZero(R1, "pass")
                .load(HALF, R1, R10, IP + IpHeaders.DESTINATION_PORT_OFFSET)
                .jumpIfNotWord(R1, RelayProgram.networkOrder(port), "pass")
                .load(BYTE, R1, R10, IP + IpHeaders.TOTAL_LENGTH_OFFSET)
                .shiftLeft(R1, Byte.SIZE)
                .load(BYTE, R2, R10, IP + IpHeaders.TOTAL_LENGTH_OFFSET + 1)
                .orRegister(R1, R2)
                .plus(R1, ETHERNET_BYTES)
                .xorRegister(R1, R7)
                .jumpIfNotZero(R1, "pass");
    }

    void load(final int offset, final int to, final int lengthBytes) {
        code.set(R2, offset);
        loadAt(to, lengthBytes);
    }

    /** Loads from the address in register 2. */
    void loadAt(final int to, final int lengthBytes) {
        code.move(R1, R6)
                .move(R3, R10)
                .plus(R3, to)
                .set(R4, lengthBytes)
                .call(BpfCode.SKB_LOAD_BYTES)
                .jumpIfNotZero(R0, "pass");
    }

    /** The address by which the table knows a NIC, or the one by which that NIC has IP. */
    void invert(final int address) {
        code.load(BYTE, R1, R10, address)
                .xor(R1, IpHeaders.LOCAL_BIT)
                .store(BYTE, R10, address, R1);
    }

    /**
     * Takes one of the time to live. Source: RFC 1141, in one's complement the sum of the header
     * falls as its checksum rises.
     */
    void age() {
        code.load(BYTE, R1, R10, IP + IpHeaders.TIME_TO_LIVE_OFFSET)
                .jumpIfLessValue(R1, 2, "pass")
                .plus(R1, -1)
                .store(BYTE, R10, IP + IpHeaders.TIME_TO_LIVE_OFFSET, R1)
                .load(HALF, R1, R10, IP + IpHeaders.CHECKSUM_OFFSET)
                .plus(R1, RelayProgram.networkOrder(1 << Byte.SIZE))
                .jumpIfLessValue(R1, 0xFFFF, "aged")
                .plus(R1, 1)
                .label("aged")
                .store(HALF, R10, IP + IpHeaders.CHECKSUM_OFFSET, R1);
    }

    /**
     * Puts what is written back, Ethernet header and half of IPv4's, into a row; the first HXB
     * header is not needed any more. Its length is in register 4 then.
     */
    void lineUp() {
        invert(SOURCE_MAC);
        code.storeValue(HALF, R10, ETHER_TYPE, RelayProgram.networkOrder(IpHeaders.ETHER_TYPE));
        for (int offset = 0; offset <= IpHeaders.CHECKSUM_OFFSET; offset += Integer.BYTES) {
            code.load(WORD, R1, R10, IP + offset).store(WORD, R10, HEADER + offset, R1);
        }
        code.set(R4, CHANGED_BYTES);
    }
}
