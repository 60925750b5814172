import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:https";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { systemClock as clock } from "#/std/clock.ts";
import { LmdbStorage } from "#/storage/lmdb/lmdb-storage.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { type Credentials, makeCredentials, ours } from "./apiserver/contender.ts";

/**
 * `node bench/scale.ts`: our API server with very many objects: so many Pods, and a twentieth of that Nodes, are written
 * into an embedded store; then the server is started on it and asked. Runs for each of --pods; what a step takes per
 * object must not grow with their number.
 */
const { values: flags } = parseArgs({
  options: {
    pods: { type: "string", default: "25000,50000,100000" },
    directory: { type: "string", default: "." },
  },
});

const podsPerNode = 20;
const namespaces = 50;
const applications = 1000;

using stack = new DisposableStack();
const directory = mkdtempSync(join(resolve(flags.directory), ".bench-scale-"));
stack.defer(() => rmSync(directory, { recursive: true }));
const credentials = makeCredentials(join(directory, "pki"));
const templates = await storedForms();

/** A Pod, a Node and a Namespace as the server stores them. */
async function storedForms(): Promise<Record<"pod" | "node" | "namespace", string>> {
  await using server = await startApiServer();
  const container = (name: string) => ({
    name,
    image: `images.example.com/team/${name}:v1`,
    env: [{ name: "MODE", value: "production" }],
    resources: { requests: { cpu: "100m", memory: "128Mi" } },
    readinessProbe: { httpGet: { path: "/readyz", port: 8080 } },
    volumeMounts: [{ name: "config", mountPath: "/etc/app" }],
  });
  const pod = {
    metadata: { name: "template", labels: { app: "app-template" } },
    spec: {
      nodeName: "node-template",
      containers: [container("app"), container("sidecar")],
      volumes: [{ name: "config", configMap: { name: "config" } }],
    },
  };
  const pods = "/api/v1/namespaces/default/pods";
  await server.call("POST", "/api/v1/namespaces", { metadata: { name: "default" } });
  await server.call("POST", pods, pod);
  await server.call("POST", "/api/v1/nodes", { metadata: { name: "node-template" } });
  const stored = async (key: string): Promise<string> => {
    const { entry } = await server.registry.storage.get(key);
    return Buffer.from(entry?.value ?? []).toString();
  };
  return {
    pod: await stored("/registry/pods/default/template"),
    node: await stored("/registry/minions/node-template"),
    namespace: await stored("/registry/namespaces/default"),
  };
}

/** Writes the objects into a store, as they would be after requests. */
async function fill(where: string, count: number): Promise<number> {
  await using storage = await LmdbStorage.open({ directory: where });
  const put = (key: string, text: string) =>
    storage.put(key, Buffer.from(text), { expect: "absent" });
  for (let index = 0; index < namespaces; index++) {
    const text = templates.namespace.replaceAll('"default"', `"team-${index}"`);
    await put(`/registry/namespaces/team-${index}`, text);
  }
  const numbers = Array.from({ length: count }, (_, index) => index);
  for (let start = 0; start < count; start += 1000) {
    await Promise.all(
      numbers.slice(start, start + 1000).flatMap((index) => {
        const namespace = `team-${index % namespaces}`;
        const name = `web-${String(index).padStart(7, "0")}`;
        const node = `node-${Math.floor(index / podsPerNode)}`;
        const text = templates.pod
          .replace('"name":"template"', `"name":"${name}"`)
          .replace('"namespace":"default"', `"namespace":"${namespace}"`)
          .replace(/"uid":"[^"]*"/, `"uid":"${randomUUID()}"`)
          .replace("app-template", `app-${index % applications}`)
          .replace("node-template", node);
        const pod = put(`/registry/pods/${namespace}/${name}`, text);
        if (index % podsPerNode !== 0) return [pod];
        const own = templates.node
          .replaceAll("node-template", node)
          .replace(/"uid":"[^"]*"/, `"uid":"${randomUUID()}"`);
        return [pod, put(`/registry/minions/${node}`, own)];
      }),
    );
  }
  return storage.sizeBytes();
}

async function measure(count: number): Promise<void> {
  const own = join(directory, `run-${count}`);
  mkdirSync(own);
  const size = await fill(join(own, "store"), count);
  const server = await ours().start({ directory: own, credentials, cpus: "" });
  try {
    const client = new Client(server.url, credentials);
    const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
    print(`\n${count} Pods, ${Math.ceil(count / podsPerNode)} Nodes: ${mebibytes(size)} on disk`);
    report("start to /readyz", server.readyMs, count, `${server.residentMiB().toFixed(0)} MiB`);
    const all = "/api/v1/pods";
    await client.timed("first list", `${all}?resourceVersion=0`, count);
    await client.timed("list", all, count);
    await client.timed("list again", all, count);
    await client.pages("list in pages of 500", `${all}?limit=500`, count);
    await client.timed("list by label", `${all}?labelSelector=app%3Dapp-7`, count);
    await client.timed("list of a node", `${all}?fieldSelector=spec.nodeName%3Dnode-7`, count);
    await client.timed("get", "/api/v1/namespaces/team-7/pods/web-0000007", 1);
    await client.watchStart("watch start to first event", 1);
    print(`  resident after all: ${server.residentMiB().toFixed(0)} MiB`);
    client.close();
  } finally {
    await server.stop();
  }
}

/** Makes requests one after the other. */
class Client {
  readonly #url: string;
  readonly #agent: Agent;

  constructor(url: string, { admin }: Credentials) {
    this.#url = url;
    this.#agent = new Agent({
      keepAlive: true,
      rejectUnauthorized: false,
      cert: readFileSync(admin.cert),
      key: readFileSync(admin.key),
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  async timed(name: string, path: string, count: number): Promise<void> {
    const began = clock.monotonicMs();
    const { length } = await this.#get(path, "gzip");
    report(name, clock.monotonicMs() - began, count, `${length} bytes`);
  }

  async pages(name: string, path: string, count: number): Promise<void> {
    const began = clock.monotonicMs();
    let pages = 0;
    for (let token = "", more = true; more; pages++) {
      const text = (await this.#get(`${path}&continue=${token}`, "identity")).toString();
      token = /"continue":"([^"]*)"/.exec(text.slice(0, 1000))?.[1] ?? "";
      more = token !== "";
    }
    report(name, clock.monotonicMs() - began, count, `${pages} pages`);
  }

  /** From the request for a watch to the event that a write, made once it has begun, causes. */
  async watchStart(name: string, count: number): Promise<void> {
    const page = await this.#get("/api/v1/pods?limit=1", "identity");
    const version = /"resourceVersion":"(\d+)"/.exec(page.toString())?.[1] ?? "";
    const began = clock.monotonicMs();
    const seen = Promise.withResolvers<void>();
    const outgoing = request(`${this.#url}/api/v1/pods?watch=1&resourceVersion=${version}`, {
      agent: this.#agent,
    });
    outgoing.on("response", (response) => {
      response.once("data", () => seen.resolve());
      const patch = request(`${this.#url}/api/v1/namespaces/team-7/pods/web-0000007`, {
        agent: this.#agent,
        method: "PATCH",
        headers: { "content-type": "application/merge-patch+json" },
      });
      patch.on("response", (answer) => answer.resume());
      patch.on("error", () => undefined); // The agent may be gone before the answer.
      patch.end(JSON.stringify({ metadata: { annotations: { seen: "yes" } } }));
    });
    outgoing.on("error", () => undefined);
    outgoing.end();
    await seen.promise;
    report(name, clock.monotonicMs() - began, count, "");
    outgoing.destroy();
  }

  #get(path: string, encoding: string): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const options = { agent: this.#agent, headers: { "accept-encoding": encoding } };
      const outgoing = request(this.#url + path, options, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const body = Buffer.concat(chunks);
          if (response.statusCode === 200) resolve(body);
          else reject(new Error(`${path}: ${response.statusCode} ${body}`));
        });
      });
      outgoing.on("error", reject);
      outgoing.end();
    });
  }
}

function report(name: string, ms: number, count: number, detail: string): void {
  const each = `${((ms * 1000) / count).toFixed(2)} µs each`;
  print(`  ${name.padEnd(28)} ${ms.toFixed(0).padStart(7)} ms ${each.padStart(16)}  ${detail}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

for (const count of flags.pods.split(",").map(Number)) await measure(count);
