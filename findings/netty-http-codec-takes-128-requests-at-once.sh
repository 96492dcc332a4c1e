#!/usr/bin/env bash
# Guess: HttpServerCodec decodes as many pipelined requests (RFC 9112, 9.3.2) as a client sends; a server that is slow
#   to answer delays them.
# Seen: it counts requests that have no answer yet, and with the 129th raises IllegalStateException "maxPipelineDepth
#   exceeded" as an exception of the decoder, which servers answer by closing the connection. One read of 64 KiB may bring
#   thousands of short requests, however fast the server answers. The limit is an argument of the constructors with an
#   HttpDecoderConfig only.
# Met by: servers whose clients pipeline, such as load generators and programs that change many paths in one write.
# Version: io.netty:netty-codec-http 4.2.18.Final
set -euo pipefail
version=4.2.18.Final
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for name in common buffer resolver transport codec-base codec-compression handler transport-native-unix-common codec-http; do
  mvn -q -B dependency:copy -Dartifact=io.netty:netty-$name:$version -DoutputDirectory="$folder"
done
cat >"$folder/Depth.java" <<'JAVA'
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import java.nio.charset.StandardCharsets;

public class Depth {
    public static void main(final String[] arguments) {
        for (final int count : new int[] {128, 129}) {
            final EmbeddedChannel channel = new EmbeddedChannel(new HttpServerCodec());
            final String requests = "GET / HTTP/1.1\r\nHost: h\r\n\r\n".repeat(count);
            try {
                channel.writeInbound(Unpooled.copiedBuffer(requests, StandardCharsets.US_ASCII));
                System.out.println(count + " taken");
            } catch (final Exception e) {
                System.out.println(count + " " + e.getCause().getMessage());
            }
        }
    }
}
JAVA
seen=$(java -cp "$folder/*" "$folder/Depth.java" 2>/dev/null)
echo "netty-codec-http $version, requests in one write: $seen"
[ "$seen" = $'128 taken\n129 maxPipelineDepth exceeded: 128' ]
