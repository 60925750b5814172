import { Agent, request } from "node:https";
import { parseArgs } from "node:util";

/**
 * The client of the benchmark, in a process of its own: `node load.ts --port=P --token=T --count=N`. Runs the same
 * operations against whatever server it is pointed at and prints one JSON line with what it measured.
 */
const { values } = parseArgs({
  options: {
    port: { type: "string", default: "6443" },
    token: { type: "string", default: "" },
    count: { type: "string", default: "3000" },
    clients: { type: "string", default: "16" },
    watchers: { type: "string", default: "50" },
  },
});
const count = Number(values.count);
const clients = Number(values.clients);
const agent = new Agent({ keepAlive: true, maxSockets: clients, rejectUnauthorized: false });
const namespace = "bench";
const pods = `/api/v1/namespaces/${namespace}/pods`;

interface Answer {
  readonly status: number;
  readonly bytes: number;
}

function send(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: "127.0.0.1",
        port: Number(values.port),
        agent,
        method,
        path,
        headers: {
          authorization: `Bearer ${values.token}`,
          accept: "application/json",
          ...(payload === undefined
            ? {}
            : {
                "content-type": "application/json",
                "content-length": String(Buffer.byteLength(payload)),
              }),
          ...headers,
        },
      },
      (response) => {
        let bytes = 0;
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, bytes }));
        response.on("error", reject);
      },
    );
    outgoing.on("error", reject);
    outgoing.end(payload);
  });
}

/** A Pod such as a Deployment makes them, about 3.5 KB when stored. */
function pod(index: number): object {
  const name = `web-${String(index).padStart(5, "0")}`;
  const probe = { httpGet: { path: "/healthz", port: 8080 }, periodSeconds: 10 };
  const container = (id: string) => ({
    name: id,
    image: `registry.example.com/team/${id}:v1.2.3`,
    args: ["--config=/etc/app/config.yaml", "--verbose"],
    env: [
      { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      { name: "MODE", value: "production" },
    ],
    ports: [{ name: "http", containerPort: id === "app" ? 8080 : 9090 }],
    resources: {
      requests: { cpu: "100m", memory: "128Mi" },
      limits: { cpu: "500m", memory: "512Mi" },
    },
    livenessProbe: probe,
    readinessProbe: probe,
    volumeMounts: [{ name: "config", mountPath: "/etc/app" }],
  });
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      labels: { app: `app-${index % 100}`, tier: "web", "pod-template-hash": "5d8f6b7c9" },
    },
    spec: {
      automountServiceAccountToken: false,
      containers: [container("app"), container("sidecar")],
      volumes: [{ name: "config", configMap: { name: "config" } }],
      tolerations: [
        {
          key: "node.kubernetes.io/not-ready",
          operator: "Exists",
          effect: "NoExecute",
          tolerationSeconds: 300,
        },
      ],
    },
  };
}

interface Measured {
  readonly perSecond: number;
  readonly p99Ms: number;
}

/** Runs an operation `total` times with all clients at once. */
async function measure(
  total: number,
  expected: number,
  operation: (index: number) => Promise<Answer>,
): Promise<Measured> {
  const times: number[] = [];
  let next = 0;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (next < total) {
        const index = next++;
        const began = performance.now();
        const { status } = await operation(index);
        times.push(performance.now() - began);
        if (status !== expected)
          throw new Error(`operation ${index}: status ${status}, expected ${expected}`);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  times.sort((a, b) => a - b);
  return { perSecond: total / seconds, p99Ms: times[Math.floor(times.length * 0.99)] ?? 0 };
}

const nameOf = (index: number): string => `web-${String(index % count).padStart(5, "0")}`;

/** Opens watches and resolves, for each, once it has seen so many events. */
async function watchAll(events: number): Promise<{ ready: Promise<void>; done: Promise<void> }> {
  const watchAgent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const opened: Promise<void>[] = [];
  const finished: Promise<void>[] = [];
  for (let watcher = 0; watcher < Number(values.watchers); watcher++) {
    const ready = Promise.withResolvers<void>();
    const done = Promise.withResolvers<void>();
    opened.push(ready.promise);
    finished.push(done.promise);
    const path = `/api/v1/namespaces/${namespace}/configmaps?watch=1&resourceVersion=0`;
    const outgoing = request(
      {
        host: "127.0.0.1",
        port: Number(values.port),
        agent: watchAgent,
        path,
        headers: { authorization: `Bearer ${values.token}` },
      },
      (response) => {
        ready.resolve();
        let seen = 0;
        response.on("data", (chunk: Buffer) => {
          for (const byte of chunk) if (byte === 10) seen++;
          if (seen >= events) {
            done.resolve();
            outgoing.destroy();
          }
        });
        response.on("error", () => undefined);
      },
    );
    outgoing.on("error", () => undefined);
    outgoing.end();
  }
  return {
    ready: Promise.all(opened).then(() => undefined),
    done: Promise.all(finished).then(() => undefined),
  };
}

async function fanOut(events: number): Promise<Measured> {
  const { ready, done } = await watchAll(events);
  await ready;
  const start = performance.now();
  const made = measure(events, 201, (index) =>
    send("POST", `/api/v1/namespaces/${namespace}/configmaps`, {
      metadata: { name: `event-${index}` },
      data: { text: "x".repeat(500) },
    }),
  );
  await Promise.all([made, done]);
  const seconds = (performance.now() - start) / 1000;
  return { perSecond: (events * Number(values.watchers)) / seconds, p99Ms: 0 };
}

const statusPatch = (index: number): object => ({
  status: {
    phase: "Running",
    podIP: `10.0.${index % 250}.7`,
    conditions: [
      {
        type: "Ready",
        status: index % 2 ? "True" : "False",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      },
    ],
  },
});
const strategic = { "content-type": "application/strategic-merge-patch+json" };
const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };

await send("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
const results: Record<string, Measured> = {};
results["create"] = await measure(count, 201, (index) => send("POST", pods, pod(index)));
results["get"] = await measure(count * 3, 200, (index) =>
  send("GET", `${pods}/${nameOf(index * 7)}`),
);
results["list"] = await measure(32, 200, () => send("GET", pods));
results["list with selector"] = await measure(160, 200, (index) =>
  send("GET", `${pods}?labelSelector=app%3Dapp-${index % 100}`),
);
results["list as Table"] = await measure(32, 200, () => send("GET", pods, undefined, table));
results["status patch"] = await measure(count, 200, (index) =>
  send("PATCH", `${pods}/${nameOf(index)}/status`, statusPatch(index), strategic),
);
results["fan-out"] = await fanOut(1000);
results["delete"] = await measure(count, 200, (index) =>
  send("DELETE", `${pods}/${nameOf(index)}?gracePeriodSeconds=0`),
);
process.stdout.write(`${JSON.stringify(results)}\n`);
agent.destroy();
process.exitCode = 0;
