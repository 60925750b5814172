import assert from "node:assert/strict";
import { rename, rm, writeFile } from "node:fs/promises";
import {
  createServer as createHttp2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { namespaces, nodes, type Pod, pods } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { startKubelet, testNodeName } from "#/testing/start-kubelet.ts";
import { type RuntimeChoice, TestRuntime } from "#/testing/start-runtime.ts";
import { until } from "#/testing/until.ts";

/** Limit of a wait (ms): the kubelet counts a runtime as down after 30 s, and reports each 10 s. */
const limitMs = 120_000;

/** Size of the file system of a runtime and its kubelet (bytes): a small image, and what both write. */
const diskBytes = 64 << 20;

/** A fault of the runtime: it is made, reported by the node, and ended. */
interface Fault {
  readonly name: string;
  /** A condition of the node, and its message as long as the fault lasts; undefined if no condition reports it. */
  readonly says?: readonly [condition: string, message: RegExp];
  make(runtime: TestRuntime): Promise<AsyncDisposable | undefined>;
  end(runtime: TestRuntime): Promise<void>;
}

/** A runtime, and a folder with another version of its programs, if there is one. */
export interface FaultyRuntime extends RuntimeChoice {
  readonly newer?: string | undefined;
}

const isDown = ["Ready", /container runtime is down/] as const;

const socketOf = ({ endpoint }: TestRuntime): string => endpoint.replace("unix://", "");

/** Ends the programs, and moves their socket out of the way. */
async function freeSocket(runtime: TestRuntime): Promise<string> {
  await runtime.stopPrograms("SIGKILL");
  const socket = socketOf(runtime);
  await rename(socket, `${socket}.old`).catch(() => undefined);
  return socket;
}

/** Answers each gRPC call with success and an empty message: no containers, no conditions. */
async function answerEmpty(socket: string): Promise<AsyncDisposable> {
  const sessions = new Set<ServerHttp2Session>();
  const server = createHttp2Server();
  server.on("session", (session) => sessions.add(session.on("error", () => undefined)));
  server.on("stream", (incoming) => {
    const stream = incoming as ServerHttp2Stream;
    stream.on("error", () => undefined);
    stream.respond({ "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.end(Buffer.alloc(5));
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return {
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy();
      server.close();
    },
  };
}

const faults: readonly Fault[] = [
  {
    name: "hangs",
    says: isDown,
    async make(runtime) {
      runtime.signal("SIGSTOP");
      return undefined;
    },
    end: async (runtime) => runtime.signal("SIGCONT"),
  },
  {
    name: "is stopped",
    says: isDown,
    async make(runtime) {
      await runtime.stopPrograms();
      return undefined;
    },
    end: (runtime) => runtime.startPrograms(),
  },
  {
    name: "is killed",
    says: isDown,
    async make(runtime) {
      await runtime.stopPrograms("SIGKILL");
      return undefined;
    },
    end: (runtime) => runtime.startPrograms(),
  },
  {
    name: "answers garbage",
    says: isDown,
    async make(runtime) {
      const socket = await freeSocket(runtime);
      const server = createServer((peer) => {
        peer.on("error", () => undefined);
        peer.end("HTTP/1.1 200 OK\r\n\r\ngarbage", () => peer.destroy());
      });
      await new Promise<void>((resolve) => server.listen(socket, resolve));
      return {
        async [Symbol.asyncDispose]() {
          server.close();
        },
      };
    },
    end: (runtime) => runtime.startPrograms(),
  },
  {
    name: "claims to have no containers",
    says: ["Ready", /container runtime not ready/],
    async make(runtime) {
      return await answerEmpty(await freeSocket(runtime));
    },
    end: (runtime) => runtime.startPrograms(),
  },
  {
    name: "has no disk space left",
    says: ["DiskPressure", /has disk pressure/],
    async make(runtime) {
      await fill(join(runtime.directory, "filler"));
      return undefined;
    },
    end: (runtime) => rm(join(runtime.directory, "filler")),
  },
];

/** Writes a file until the file system is full. */
async function fill(path: string): Promise<void> {
  const chunk = Buffer.alloc(1 << 20);
  for (const size of [chunk.length, 4096, 1]) {
    const some = chunk.subarray(0, size);
    for (let written = 0; written <= diskBytes; written += size) {
      const failure = await writeFile(path, some, { flag: "a" }).catch((error: unknown) => error);
      if ((failure as NodeJS.ErrnoException | undefined)?.code === "ENOSPC") break;
      if (failure !== undefined) throw failure;
    }
  }
}

const upgradeTo = (folder: string): Fault => ({
  name: "is upgraded",
  async make(runtime) {
    await runtime.stopPrograms();
    return undefined;
  },
  end: (runtime) => runtime.startPrograms(folder),
});

const containerOf = (pod: Pod | undefined) => pod?.status?.containerStatuses?.[0];

/** Tests that a node reports each fault of its runtime, that its Pods live, and that it recovers by itself. */
export function runtimeFaults({ newer, ...choice }: FaultyRuntime): void {
  const all = newer === undefined ? faults : [...faults, upgradeTo(newer)];
  for (const fault of all) {
    test(`a runtime that ${fault.name} is reported; its Pods live, and it recovers`, async () => {
      await using runtime = await TestRuntime.start(choice, { diskBytes });
      await using api = await startApiServer();
      await survive(runtime, fault, api);
    });
  }
}

type Api = Awaited<ReturnType<typeof startApiServer>>;

async function survive(runtime: TestRuntime, fault: Fault, api: Api): Promise<void> {
  const client = api.client();
  for (const name of ["default", "kube-node-lease"]) {
    await client.create(namespaces, { metadata: { name }, spec: {} }).catch(() => undefined);
  }
  const thresholds = { "nodefs.available": "10%", "imagefs.available": "10%" };
  const kubelet = await startKubelet(runtime, () => api.client().transport, {
    // A disk that is full is reported, but no Pod is evicted.
    evictionHard: {},
    evictionSoft: thresholds,
    evictionSoftGracePeriod: { "nodefs.available": "1h", "imagefs.available": "1h" },
    evictionPressureTransitionPeriod: "1s",
  });
  await create(client, "kept", runtime.image);
  const before = containerOf(await running(client, "kept"));
  {
    await using _made = await fault.make(runtime);
    if (fault.says) await reported(client, fault.says, true);
  }
  await fault.end(runtime);
  if (fault.says) await reported(client, fault.says, false);
  await create(client, "later", runtime.image);
  await running(client, "later");
  const after = containerOf(await find(client, "kept"));
  assert.equal(after?.containerID, before?.containerID);
  assert.equal(after?.restartCount, 0);
  assert.deepEqual(after?.state?.running, before?.state?.running);
  await kubelet.stop();
}

/** Waits until the node reports a fault, or reports it no longer. */
async function reported(
  client: Client,
  [type, message]: readonly [string, RegExp],
  isFaulty: boolean,
): Promise<void> {
  const what = `the node's ${type} ${isFaulty ? "matches" : "no longer matches"} ${message}`;
  const look = async () => {
    const { status } = await client.get(nodes, { name: testNodeName });
    const found = status?.conditions?.find((condition) => condition.type === type);
    return found && message.test(found.message ?? "") === isFaulty;
  };
  await until(what, look, { limitMs });
}

const find = (client: Client, name: string) =>
  client.get(pods, { name, namespace: "default" }).catch(() => undefined);

const create = (client: Client, name: string, image: string) =>
  client.create(pods, {
    metadata: { name, namespace: "default" },
    spec: {
      nodeName: testNodeName,
      hostNetwork: true,
      dnsPolicy: "Default",
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      containers: [{ name: "main", image }],
    },
  });

const running = (client: Client, name: string) =>
  until(
    `${name} runs`,
    async () => {
      const pod = await find(client, name);
      return containerOf(pod)?.state?.running ? pod : undefined;
    },
    { limitMs },
  );
