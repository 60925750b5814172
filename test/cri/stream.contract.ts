import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { openPortForward } from "#/client/streaming/port-forward.ts";
import { exitCodeOf, openRemoteCommand } from "#/client/streaming/remote-command.ts";
import { HttpsTransport } from "#/client/transport/https-transport.ts";
import { type StreamTarget, serveStream, streamUrl } from "#/kubelet/server/stream-proxy.ts";
import { until } from "#/testing/until.ts";
import { polite, script } from "./node.ts";
import type { Suite } from "./runtime.contract.ts";

const streams = { stdin: true, stdout: true, stderr: true, tty: false };
const request = { method: "POST", path: "/", headers: { accept: "*/*" } };

/** exec, attach and port-forward through the kubelet's proxy, with each protocol of clients. */
export function streamTests({ tested, node }: Suite): void {
  for (const upgrade of ["websocket", "spdy"] as const) {
    test(`exec over ${upgrade} carries input, both outputs and the exit code`, async () => {
      const { id } = await node().run(`exec-${upgrade}`, polite());
      const cmd = script("cat; echo err >&2; exit 5");
      const { url } = await node().cri.runtime.Exec({ containerId: id, cmd, ...streams });
      await using server = await serving({ url: streamUrl(url), streams });
      const upgrades = [upgrade];
      const command = await openRemoteCommand(server.transport, request, streams, { upgrades });
      command.stdin?.on("error", () => undefined);
      command.stdin?.end("hello\n");
      const check = async () => {
        const [out, err, status] = await Promise.all([
          command.stdout && text(command.stdout),
          command.stderr && text(command.stderr),
          command.status,
        ]);
        assert.deepEqual([out, err, exitCodeOf(status)], ["hello\n", "err\n", 5]);
      };
      const reset = tested.lacks["streams end without a reset"];
      // What arrives before the reset depends on the time.
      if (upgrade === "spdy" && reset)
        await check().catch((error) => assert.match(`${error}`, reset));
      else await check();
    });

    test(`attach over ${upgrade} carries the input and output of the first process`, async () => {
      const command = script("while read line; do echo got $line; done");
      const { id } = await node().run(`attach-${upgrade}`, command, { stdin: true });
      const wanted = { stdin: true, stdout: true, stderr: false, tty: false };
      const { url } = await node().cri.runtime.Attach({ containerId: id, ...wanted });
      await using server = await serving({ url: streamUrl(url), streams: wanted });
      const upgrades = [upgrade];
      const attached = await openRemoteCommand(server.transport, request, wanted, { upgrades });
      let said = "";
      attached.stdout?.on("data", (chunk: Buffer) => {
        said += chunk;
      });
      attached.stdin?.write("one\n");
      await until("the process answers", () => said.includes("got one\n"));
      attached.status.catch(() => undefined);
      attached.close();
    });

    test(`port-forward over ${upgrade} reaches a port of the Pod`, async () => {
      using peer = await listening("hello from the port\n");
      const { id } = await node().runSandbox(`forward-${upgrade}`);
      const asked = { podSandboxId: id, port: [peer.port] };
      const { url } = await node().cri.runtime.PortForward(asked);
      await using server = await serving({ url: streamUrl(url) });
      const webSocket = upgrade === "websocket";
      const forward = await openPortForward(server.transport, request, { webSocket });
      const { data } = await forward.connect(peer.port);
      data.end("GET / HTTP/1.0\r\n\r\n");
      assert.match(await text(data), /hello from the port/);
      forward.close();
    });
  }
}

/** The kubelet's proxy for one stream, and a transport to it. */
async function serving(target: StreamTarget) {
  const server = createServer((_request, response) => response.writeHead(400).end("no"));
  server.on("upgrade", (incoming, socket, head) => {
    serveStream(incoming, socket, head, target).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const transport = new HttpsTransport({ server: `http://127.0.0.1:${port}` });
  return {
    transport,
    async [Symbol.asyncDispose]() {
      await transport[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** An HTTP server in the network of this machine, which Pods of these tests share. */
async function listening(body: string) {
  const server = createServer((_request, response) => response.end(body));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
