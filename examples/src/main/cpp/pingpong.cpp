// Ping-pong between two nodes, as pingpong.c: `pingpong NODE [COUNT]`, or `pingpong` alone to answer.
//   c++ -std=c++17 pingpong.cpp $(pkg-config --cflags --libs hxb)
#include <hxb.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

constexpr int kContext = 1;
constexpr int kPinger = 3;

int check(int result, const std::string &what) {
    if (result < 0) {
        const char *details = result <= HXB_E_ARGUMENT ? hxb_last_error() : hxb_strerror(result);
        throw std::runtime_error(what + ": " + hxb_result_name(result) + ": " + details);
    }
    return result;
}

// Waits for a message, and prints events of peers meanwhile: that one has ended, for example.
int receive(hxb_context *context, hxb_message &message, std::int64_t timeout_ns) {
    int status = hxb_receive_wait(context, &message, timeout_ns);
    while (status == HXB_STATUS_EVENT) {
        hxb_event event;
        while (hxb_poll_event(context, &event) == HXB_OK) {
            std::cerr << "context " << event.peer.context << " of node " << event.peer.node << ": "
                      << hxb_strerror(event.status) << '\n';
        }
        status = hxb_receive_wait(context, &message, timeout_ns);
    }
    return status;
}

// A message that is released when it goes out of scope.
class Message {
public:
    Message(hxb_context *context, std::int64_t timeout_ns) : context_(context) {
        check(receive(context, message_, timeout_ns), "waiting");
    }
    ~Message() { hxb_release(context_, &message_); }
    Message(const Message &) = delete;
    Message &operator=(const Message &) = delete;
    const hxb_message *operator->() const { return &message_; }

private:
    hxb_context *context_;
    hxb_message message_{};
};

void ping(hxb_context *context, int node, int count) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i <= count; i++) {
        check(hxb_send(context, hxb_address{node, kContext}, &i, sizeof i, 0, HXB_SECOND), "sending");
        const Message answer(context, 20 * HXB_SECOND);
        if (i == 0) {
            start = std::chrono::steady_clock::now();  // the first one waits for the peer to be started
        }
    }
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    std::cout << count << " round trips, " << time.count() / count << " us each\n";
}

[[noreturn]] void pong(hxb_context *context) {
    std::cout << "answering" << std::endl;
    for (;;) {
        const Message message(context, HXB_FOREVER);
        check(hxb_send(context, message->from, message->data, message->length, message->tag,
                       HXB_SECOND),
              "answering");
    }
}

}  // namespace

int main(int count, char **arguments) try {
    hxb_device *attached = nullptr;
    check(hxb_attach(nullptr, &attached), "attaching");
    const std::unique_ptr<hxb_device, int (*)(hxb_device *)> device(attached, hxb_detach);
    hxb_context *context = nullptr;
    check(hxb_open_context(device.get(), count > 1 ? kPinger : kContext, nullptr, &context), "opening a context");
    if (count > 1) {
        ping(context, std::atoi(arguments[1]), count > 2 ? std::atoi(arguments[2]) : 10000);
    } else {
        pong(context);
    }
    return 0;
} catch (const std::exception &e) {
    std::cerr << e.what() << '\n';
    return 1;
}
