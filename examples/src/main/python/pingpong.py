#!/usr/bin/env python3
"""Ping-pong between two nodes, as pingpong.c: `pingpong.py NODE [COUNT]`, or `pingpong.py` alone to answer.

Needs libhxb.so where the loader finds it, or its path in HXB_LIBRARY.
"""
import ctypes
import os
import sys
import time

CONTEXT = 1
PINGER = 4
SECOND_NS = 1_000_000_000
OK = 0
EVENT = -12
FIRST_ERROR = -100


class Address(ctypes.Structure):
    _fields_ = [("node", ctypes.c_int), ("context", ctypes.c_int)]


class Message(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("length", ctypes.c_uint32),
        ("tag", ctypes.c_uint32),
        ("sender", Address),
        ("handle", ctypes.c_int64),
    ]


class Event(ctypes.Structure):
    _fields_ = [
        ("status", ctypes.c_int),
        ("peer", Address),
        ("slot", ctypes.c_int),
        ("cookie", ctypes.c_uint64),
        ("reserved", ctypes.c_uint64 * 2),
    ]


hxb = ctypes.CDLL(os.environ.get("HXB_LIBRARY", "libhxb.so.0"))
hxb.hxb_result_name.restype = hxb.hxb_strerror.restype = hxb.hxb_last_error.restype = ctypes.c_char_p
hxb.hxb_attach.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p)]
hxb.hxb_detach.argtypes = [ctypes.c_void_p]
hxb.hxb_open_context.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p)]
hxb.hxb_send.argtypes = [
    ctypes.c_void_p, Address, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint32, ctypes.c_int64,
]
hxb.hxb_receive_wait.argtypes = [ctypes.c_void_p, ctypes.POINTER(Message), ctypes.c_int64]
hxb.hxb_poll_event.argtypes = [ctypes.c_void_p, ctypes.POINTER(Event)]
hxb.hxb_release.argtypes = [ctypes.c_void_p, ctypes.POINTER(Message)]


def check(result, what):
    if result < OK:
        details = hxb.hxb_last_error() if result <= FIRST_ERROR else hxb.hxb_strerror(result)
        raise OSError(f"{what}: {hxb.hxb_result_name(result).decode()}: {details.decode()}")


def receive(context, timeout_ns):
    """The next message, as its bytes, its sender and its tag."""
    message = Message()
    status = hxb.hxb_receive_wait(context, message, timeout_ns)
    while status == EVENT:  # something happened to a peer: it has ended, for example
        event = Event()
        while hxb.hxb_poll_event(context, event) == OK:
            print(f"context {event.peer.context} of node {event.peer.node}: "
                  + hxb.hxb_strerror(event.status).decode(), file=sys.stderr)
        status = hxb.hxb_receive_wait(context, message, timeout_ns)
    check(status, "waiting")
    payload = ctypes.string_at(message.data, message.length)
    check(hxb.hxb_release(context, message), "releasing")
    return payload, Address(message.sender.node, message.sender.context), message.tag


def ping(context, node, count):
    for i in range(count + 1):
        check(hxb.hxb_send(context, Address(node, CONTEXT), b"ping", 4, i, SECOND_NS), "sending")
        receive(context, 20 * SECOND_NS)
        if i == 0:
            start = time.monotonic()  # the first one waits for the peer to be started
    print(f"{count} round trips, {(time.monotonic() - start) * 1e6 / count:.1f} us each")


def pong(context):
    print("answering", flush=True)
    while True:
        payload, sender, tag = receive(context, 3600 * SECOND_NS)
        check(hxb.hxb_send(context, sender, payload, len(payload), tag, SECOND_NS), "answering")


def main():
    device = ctypes.c_void_p()
    context = ctypes.c_void_p()
    check(hxb.hxb_attach(None, device), "attaching")
    check(hxb.hxb_open_context(device, PINGER if sys.argv[1:] else CONTEXT, None, context), "opening a context")
    if sys.argv[1:]:
        ping(context, int(sys.argv[1]), int((sys.argv[2:] or ["10000"])[0]))
    else:
        pong(context)
    hxb.hxb_detach(device)


if __name__ == "__main__":
    main()
