import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { ApiHttpServer } from "#/apiserver/http/server.ts";
import { Connections } from "#/apiserver/proxy/connections.ts";
import { systemClock } from "#/std/time/clock.ts";
import { trustOf } from "#/std/tls/trust.ts";
import { TestAuthority } from "./certificates.ts";
import { admin, startApiServer, type TestApiServer } from "./start-api-server.ts";

/** The behaviour of a test's kubelet. */
export interface KubeletBehaviour {
  request?(request: IncomingMessage, response: ServerResponse): void;
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** An API server on a port of its own, and a TLS server as the kubelet of the node "n". */
export class ProxiedCluster implements AsyncDisposable {
  readonly api: TestApiServer;
  readonly port: number;
  readonly kubeletPort: number;
  readonly #stack: AsyncDisposableStack;

  constructor(
    api: TestApiServer,
    ports: { api: number; kubelet: number },
    stack: AsyncDisposableStack,
  ) {
    this.api = api;
    this.port = ports.api;
    this.kubeletPort = ports.kubelet;
    this.#stack = stack;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}

/** Starts both, with a pod "p" of the containers given on the node; the kubelet's certificate has these names. */
export async function startProxiedCluster(
  behaviour: KubeletBehaviour,
  containers: readonly string[] = ["main"],
  kubeletNames?: readonly string[],
): Promise<ProxiedCluster> {
  await using starting = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "k8ts-proxy-"));
  starting.defer(() => rm(folder, { recursive: true }));
  const authority = await TestAuthority.create(folder);
  const ca = await readFile(authority.caFile);
  const serving = await issue(authority, "kubelet", kubeletNames);
  const client = await issue(authority, "apiserver");
  const kubelet = createServer({ ...serving, ca, requestCert: true, allowHalfOpen: true });
  if (behaviour.request) kubelet.on("request", behaviour.request);
  if (behaviour.upgrade) kubelet.on("upgrade", behaviour.upgrade);
  const kubeletPort = await listen(kubelet);
  starting.defer(() => kubelet.closeAllConnections());
  starting.defer(() => void kubelet.close());
  const connections = starting.use(
    new Connections({ identity: () => ({ ...client, trust: trustOf(ca) }) }),
  );
  const api = starting.use(
    await startApiServer({
      connections,
      authenticators: [{ name: "test", authenticate: () => admin }],
    }),
  );
  const http = starting.use(
    new ApiHttpServer({
      handler: api.handler,
      clock: systemClock,
      onError: (error) => {
        throw error;
      },
    }),
  );
  const port = await http.listen(0, "127.0.0.1");
  await createNode(api, kubeletPort);
  await createPod(api, containers);
  return new ProxiedCluster(api, { api: port, kubelet: kubeletPort }, starting.move());
}

async function issue(authority: TestAuthority, name: string, names?: readonly string[]) {
  const { certFile, keyFile } = await authority.issue(name, names);
  return { cert: await readFile(certFile), key: await readFile(keyFile) };
}

async function createNode(api: TestApiServer, kubeletPort: number): Promise<void> {
  await api.call("POST", "/api/v1/nodes", { metadata: { name: "n" } });
  const status = {
    addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
    daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } },
  };
  const patch = { headers: { "content-type": "application/merge-patch+json" } };
  await api.call("PATCH", "/api/v1/nodes/n/status", { status }, patch);
}

async function createPod(api: TestApiServer, containers: readonly string[]): Promise<void> {
  const spec = { nodeName: "n", containers: containers.map((name) => ({ name, image: "i" })) };
  await api.call("POST", "/api/v1/namespaces/default/pods", { metadata: { name: "p" }, spec });
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  );
}
