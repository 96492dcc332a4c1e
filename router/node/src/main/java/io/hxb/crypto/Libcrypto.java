package io.hxb.crypto;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/**
 * The functions of OpenSSL 3 that HXB uses. Stateless; any thread may call it.
 *
 * <p>Source: EVP_EncryptInit(3ssl).
 */
final class Libcrypto {
    static final int CONTROL_GET_TAG = 0x10;
    static final int CONTROL_SET_TAG = 0x11;

    private static final SymbolLookup LIBRARY = open();

    private Libcrypto() {}

    @SuppressWarnings("restricted")
    private static SymbolLookup open() {
        try {
            final SymbolLookup library =
                    SymbolLookup.libraryLookup("libcrypto.so.3", Arena.global());
            return library.find("EVP_aes_128_gcm").isPresent() ? library : null;
        } catch (final IllegalArgumentException e) {
            return null;
        }
    }

    /** True if this machine has the library. */
    static boolean isPresent() {
        return LIBRARY != null;
    }

    @SuppressWarnings("restricted")
    private static MethodHandle bind(final String name, final FunctionDescriptor function) {
        final MemorySegment symbol =
                LIBRARY.find(name)
                        .orElseThrow(() -> new UnsatisfiedLinkError("libcrypto has no " + name));
        return Linker.nativeLinker()
                .downcallHandle(symbol, function, Linker.Option.critical(false));
    }

    /** The functions, bound on first use. */
    static final class Calls {
        static final MethodHandle NEW =
                bind("EVP_CIPHER_CTX_new", FunctionDescriptor.of(JAVA_LONG));
        static final MethodHandle FREE =
                bind("EVP_CIPHER_CTX_free", FunctionDescriptor.ofVoid(JAVA_LONG));
        static final MethodHandle AES_128_GCM =
                bind("EVP_aes_128_gcm", FunctionDescriptor.of(JAVA_LONG));
        static final MethodHandle INIT =
                bind(
                        "EVP_CipherInit_ex",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
                                JAVA_INT));
        static final MethodHandle UPDATE =
                bind(
                        "EVP_CipherUpdate",
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT));
        static final MethodHandle FINAL =
                bind(
                        "EVP_CipherFinal_ex",
                        FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
        static final MethodHandle CONTROL =
                bind(
                        "EVP_CIPHER_CTX_ctrl",
                        FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG));

        private Calls() {}
    }
}
