package io.hxb.observe.view;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A headless Chromium with one page, driven over the DevTools protocol. Used by one thread. Source:
 * chromedevtools.github.io/devtools-protocol.
 */
final class Browser implements AutoCloseable {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final long ANSWER_SECONDS = 60;
    private static final double WAIT_SECONDS = 30;
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Process process;
    private final Path profile;
    private final WebSocket socket;
    private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
    private final List<String> complaints = Collections.synchronizedList(new ArrayList<>());
    private final List<String> urls = Collections.synchronizedList(new ArrayList<>());
    private final StringBuilder heap = new StringBuilder();
    private int lastId;

    /** Starts it, with a profile of its own. */
    Browser() throws IOException {
        profile =
                Files.createTempDirectory(
                        Files.createDirectories(Path.of("target").toAbsolutePath()), "chromium");
        process =
                new ProcessBuilder(
                                "chromium",
                                "--headless",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--no-first-run",
                                "--disable-background-networking",
                                "--disable-breakpad",
                                "--disable-component-update",
                                "--disable-sync",
                                "--hide-scrollbars",
                                "--remote-debugging-port=0",
                                "--user-data-dir=" + profile,
                                "about:blank")
                        .redirectErrorStream(true)
                        .redirectOutput(profile.resolve("log").toFile())
                        .start();
        socket = connect();
        call("Page.enable", Map.of());
        call("Runtime.enable", Map.of());
        call("Network.enable", Map.of());
        call("Log.enable", Map.of());
    }

    /** True if there is a Chromium to start. */
    static boolean isThere() {
        return List.of(System.getenv("PATH").split(":", -1)).stream()
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "chromium")));
    }

    private WebSocket connect() throws IOException {
        final Path file = profile.resolve("DevToolsActivePort");
        await("the port of Chromium", ANSWER_SECONDS, () -> hasTwoLines(file));
        final String port = Files.readAllLines(file).getFirst();
        final HttpClient client = HttpClient.newHttpClient();
        final JsonNode[] page = new JsonNode[1];
        await(
                "a page of Chromium",
                ANSWER_SECONDS,
                () -> {
                    page[0] = firstPage(client, port);
                    return page[0] != null;
                });
        return client.newWebSocketBuilder()
                .buildAsync(
                        URI.create(page[0].get("webSocketDebuggerUrl").asString()), new Listener())
                .join();
    }

    private static boolean hasTwoLines(final Path file) {
        try {
            return Files.exists(file) && Files.readAllLines(file).size() >= 2;
        } catch (final IOException e) {
            return false;
        }
    }

    private static JsonNode firstPage(final HttpClient client, final String port) {
        try {
            final String text =
                    client.send(
                                    HttpRequest.newBuilder(
                                                    URI.create(
                                                            "http://127.0.0.1:"
                                                                    + port
                                                                    + "/json/list"))
                                            .build(),
                                    HttpResponse.BodyHandlers.ofString())
                            .body();
            for (final JsonNode page : JSON.readTree(text)) {
                if (page.get("type").asString().equals("page")) {
                    return page;
                }
            }
            return null;
        } catch (final IOException e) {
            return null;
        } catch (final InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(
                final WebSocket from, final CharSequence data, final boolean isLast) {
            text.append(data);
            if (isLast) {
                onMessage(JSON.readTree(text.toString()));
                text.setLength(0);
            }
            from.request(1);
            return null;
        }
    }

    private void onMessage(final JsonNode message) {
        if (message.has("id")) {
            answers.remove(message.get("id").asInt()).complete(message);
            return;
        }
        final JsonNode content = message.get("params");
        switch (message.get("method").asString()) {
            case "Network.requestWillBeSent" ->
                    urls.add(content.get("request").get("url").asString());
            case "Runtime.exceptionThrown" -> complaints.add(content.toString());
            case "Runtime.consoleAPICalled" -> complaints.add(content.toString());
            case "HeapProfiler.addHeapSnapshotChunk" ->
                    heap.append(content.get("chunk").asString());
            case "Log.entryAdded" -> complaints.add(content.get("entry").toString());
            default -> {
                // Of no interest.
            }
        }
    }

    JsonNode call(final String method, final Map<String, ?> arguments) {
        final int id = ++lastId;
        final ObjectNode request = JSON.createObjectNode();
        request.put("id", id).put("method", method).set("params", JSON.valueToTree(arguments));
        final CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        answers.put(id, answer);
        socket.sendText(request.toString(), true).join();
        final JsonNode message = answer.orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS).join();
        if (message.has("error")) {
            throw new IllegalStateException(method + ": " + message.get("error"));
        }
        return message.get("result");
    }

    void open(final String url) {
        call("Page.navigate", Map.of("url", url));
    }

    /** The value of an expression, as JSON. */
    JsonNode evaluate(final String expression) {
        final JsonNode result =
                call(
                        "Runtime.evaluate",
                        Map.of(
                                "expression",
                                expression,
                                "returnByValue",
                                true,
                                "awaitPromise",
                                true));
        if (result.has("exceptionDetails")) {
            throw new IllegalStateException(expression + ": " + result.get("exceptionDetails"));
        }
        return result.get("result").path("value");
    }

    /** Waits until an expression is true; on a busy machine that may take a while. */
    void await(final String expression) {
        await(expression, WAIT_SECONDS);
    }

    /** The same for at most {@code seconds}. */
    void await(final String expression, final double seconds) {
        await(expression, seconds, () -> evaluate("!!(" + expression + ")").asBoolean());
    }

    static void await(final String what, final double seconds, final BooleanSupplier condition) {
        final long endNs = System.nanoTime() + (long) (seconds * 1e9);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - endNs > 0) {
                throw new AssertionError("not within " + seconds + " s: " + what);
            }
            LockSupport.parkNanos(POLL_NS);
        }
    }

    void press(final String key) {
        final String text = key.length() == 1 ? key : "";
        call("Input.dispatchKeyEvent", Map.of("type", "keyDown", "key", key, "text", text));
        call("Input.dispatchKeyEvent", Map.of("type", "keyUp", "key", key));
    }

    /** Chooses a file in an element of the page, as its dialog does. */
    void choose(final String selector, final Path file) {
        final int root =
                call("DOM.getDocument", Map.of("depth", 0)).get("root").get("nodeId").asInt();
        final int element =
                call("DOM.querySelector", Map.of("nodeId", root, "selector", selector))
                        .get("nodeId")
                        .asInt();
        call(
                "DOM.setFileInputFiles",
                Map.of("nodeId", element, "files", List.of(file.toAbsolutePath().toString())));
    }

    void size(final int width, final int height, final boolean isDark) {
        call(
                "Emulation.setDeviceMetricsOverride",
                Map.of(
                        "width",
                        width,
                        "height",
                        height,
                        "deviceScaleFactor",
                        1,
                        "mobile",
                        width < 500));
        call(
                "Emulation.setEmulatedMedia",
                Map.of(
                        "features",
                        List.of(
                                Map.of(
                                        "name",
                                        "prefers-color-scheme",
                                        "value",
                                        isDark ? "dark" : "light"))));
    }

    byte[] screenshot() {
        return Base64.getDecoder()
                .decode(
                        call("Page.captureScreenshot", Map.of("format", "png"))
                                .get("data")
                                .asString());
    }

    /** A snapshot of the JavaScript heap after a garbage collection, in the format of DevTools. */
    JsonNode heap() {
        heap.setLength(0);
        call("HeapProfiler.takeHeapSnapshot", Map.of("reportProgress", false));
        return JSON.readTree(heap.toString());
    }

    /** Errors, warnings and everything else in the console. */
    List<String> complaints() {
        return List.copyOf(complaints);
    }

    /** Everything that the page has asked for. */
    List<String> urls() {
        return List.copyOf(urls);
    }

    @Override
    public void close() {
        socket.abort();
        final List<ProcessHandle> all = process.descendants().collect(Collectors.toList());
        all.add(process.toHandle());
        process.destroy();
        try {
            process.waitFor(ANSWER_SECONDS, TimeUnit.SECONDS);
        } catch (final InterruptedException e) {
            throw new IllegalStateException(e);
        }
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(each -> each.onExit().join());
        // Whoever is no descendant may still write there for a moment.
        await("the end of " + profile, ANSWER_SECONDS, () -> isRemoved(profile));
    }

    private static boolean isRemoved(final Path folder) {
        try (Stream<Path> content = Files.walk(folder)) {
            for (final Path path : content.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
            return true;
        } catch (final NoSuchFileException e) {
            return !Files.exists(folder);
        } catch (final IOException | UncheckedIOException e) {
            return false;
        }
    }
}
