package io.hxb.linux;

/** Error numbers of Linux on x86-64 that HXB distinguishes. Source: errno(3). */
public final class Errno {
    /** Operation not permitted. */
    public static final int EPERM = 1;

    /** No such file. */
    public static final int ENOENT = 2;

    /** No such process, or no such route. */
    public static final int ESRCH = 3;

    /** Interrupted by a signal. */
    public static final int EINTR = 4;

    /** Input or output failed. */
    public static final int EIO = 5;

    /** No such device or address. */
    public static final int ENXIO = 6;

    /** Try again. */
    public static final int EAGAIN = 11;

    /** Out of memory. */
    public static final int ENOMEM = 12;

    /** Permission denied. */
    public static final int EACCES = 13;

    /** Busy. */
    public static final int EBUSY = 16;

    /** There is a file of that name. */
    public static final int EEXIST = 17;

    /** No such device. */
    public static final int ENODEV = 19;

    /** Not a folder. */
    public static final int ENOTDIR = 20;

    /** Invalid argument. */
    public static final int EINVAL = 22;

    /** Too many open files in the system. */
    public static final int ENFILE = 23;

    /** Too many open files in this process. */
    public static final int EMFILE = 24;

    /** No space left on the device. */
    public static final int ENOSPC = 28;

    /** The file system is mounted for reading only. */
    public static final int EROFS = 30;

    /** Too many symbolic links, or one where none is followed. */
    public static final int ELOOP = 40;

    /** Message too long. */
    public static final int EMSGSIZE = 90;

    /** Not supported. */
    public static final int EOPNOTSUPP = 95;

    /** Address in use. */
    public static final int EADDRINUSE = 98;

    /** Address not on this machine. */
    public static final int EADDRNOTAVAIL = 99;

    /** Network is down. */
    public static final int ENETDOWN = 100;

    /** Network cannot be reached. */
    public static final int ENETUNREACH = 101;

    /** No buffer space. */
    public static final int ENOBUFS = 105;

    /** Connection refused. */
    public static final int ECONNREFUSED = 111;

    /** No route to the host. */
    public static final int EHOSTUNREACH = 113;

    private Errno() {}

    /** Name and meaning, such as {@code ENETDOWN (network is down)}. */
    public static String describe(final int errno) {
        return switch (errno) {
            case EPERM -> "EPERM (not permitted: needs a capability or root)";
            case ENOENT -> "ENOENT (no such file)";
            case ESRCH -> "ESRCH (no such process, or no such route)";
            case EINTR -> "EINTR (interrupted)";
            case EIO -> "EIO (input or output failed)";
            case ENXIO -> "ENXIO (no such device or address)";
            case EAGAIN -> "EAGAIN (would block)";
            case ENOMEM -> "ENOMEM (out of memory)";
            case EACCES -> "EACCES (permission denied)";
            case EBUSY -> "EBUSY (busy)";
            case EEXIST -> "EEXIST (there is a file of that name)";
            case ENODEV -> "ENODEV (no such device)";
            case ENOTDIR -> "ENOTDIR (not a folder)";
            case EINVAL -> "EINVAL (invalid argument)";
            case ENFILE -> "ENFILE (too many open files in the system: raise fs.file-max)";
            case EMFILE ->
                    "EMFILE (this process has too many open files: raise its limit, ulimit -n or"
                            + " LimitNOFILE= in a systemd unit)";
            case ENOSPC -> "ENOSPC (no space left)";
            case EROFS -> "EROFS (the file system is mounted for reading only)";
            case ELOOP -> "ELOOP (symbolic links are not followed here, or there are too many)";
            case EMSGSIZE -> "EMSGSIZE (message too long)";
            case EOPNOTSUPP -> "EOPNOTSUPP (not supported)";
            case EADDRINUSE -> "EADDRINUSE (address in use)";
            case EADDRNOTAVAIL -> "EADDRNOTAVAIL (no such address on this machine)";
            case ENETDOWN -> "ENETDOWN (network is down)";
            case ENETUNREACH -> "ENETUNREACH (network cannot be reached)";
            case EHOSTUNREACH -> "EHOSTUNREACH (host cannot be reached)";
            case ENOBUFS -> "ENOBUFS (no buffer space)";
            case ECONNREFUSED -> "ECONNREFUSED (connection refused: nobody listens there)";
            default -> "errno " + errno;
        };
    }
}
