import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { connectRuntime } from "#/kubelet/cri/runtime-service.ts";
import { GrpcError } from "#/std/grpc/grpc.ts";

/** The socket of a runtime that accepts connections and never answers. */
async function silentRuntime() {
  const directory = await mkdtemp(join(tmpdir(), "k8ts-silent-"));
  const path = join(directory, "runtime.sock");
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on("error", () => undefined)));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    endpoint: `unix://${path}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rm(directory, { recursive: true });
    },
  };
}

type Call = (request: object, options?: { signal: AbortSignal }) => unknown;

test("a runtime that never answers holds up no call", async (context) => {
  await using runtime = await silentRuntime();
  using cri = connectRuntime(runtime.endpoint, { requestMs: 50 });
  const streams = new Set(["GetContainerEvents"]);
  const unlimited = new Set(["PullImage", "ExecSync"]);
  for (const [name, call] of Object.entries({ ...cri.runtime, ...cri.images })) {
    if (streams.has(name) || unlimited.has(name)) continue;
    await context.test(`${name} ends at its deadline`, async () => {
      await assert.rejects(
        (call as Call)({}) as Promise<unknown>,
        (error) => error instanceof GrpcError && error.code === "DEADLINE_EXCEEDED",
      );
    });
  }
  for (const name of unlimited) {
    await context.test(`${name} ends when it is cancelled`, async () => {
      const ending = new AbortController();
      const calls: Record<string, unknown> = { ...cri.runtime, ...cri.images };
      const calling = (calls[name] as Call)({}, { signal: ending.signal }) as Promise<unknown>;
      ending.abort();
      await assert.rejects(calling, (error) => (error as GrpcError).code === "CANCELLED");
    });
  }
});
