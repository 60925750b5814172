/**
 * The time from the change of a route until requests follow it: an API server and the gateway in one process, and a client
 * that asks without pause, over a kept connection.
 *
 *   bench/gateway/route-change.ts [--changes 200] [--routes 0]
 *
 * With --routes there are as many other Ingresses. A change is an Ingress that is created, whose host then gets 503
 * instead of 404: its Service has no Pods.
 */
import { parseArgs } from "node:util";
import { services } from "#/api/core/v1.ts";
import { type Ingress, ingressClasses, ingresses } from "#/api/networking/v1.ts";
import { gatewayFlags } from "#/gateway/flags.ts";
import { serveGateway } from "#/gateway/serve-gateway.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { logger } from "#/std/log/log.ts";
import { Agent, request } from "#/std/net/node-http.ts";
import { systemClock } from "#/std/time/clock.ts";
import { freePort } from "#/testing/free-port.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { until } from "#/testing/until.ts";

const { values } = parseArgs({
  options: {
    changes: { type: "string", default: "200" },
    routes: { type: "string", default: "0" },
  },
});

const ingress = (name: string): Ingress => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  metadata: { name, namespace: "default" },
  spec: {
    ingressClassName: "k8ts",
    rules: [
      {
        host: `${name}.example`,
        http: {
          paths: [
            {
              path: "/",
              pathType: "Prefix",
              backend: { service: { name: "web", port: { number: 80 } } },
            },
          ],
        },
      },
    ],
  },
});

await using server = await startApiServer();
const client = server.client();
await client.create(ingressClasses, {
  apiVersion: "networking.k8s.io/v1",
  kind: "IngressClass",
  metadata: { name: "k8ts" },
  spec: { controller: "k8ts.dev/gateway" },
});
await client.create(services, {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web", namespace: "default" },
  spec: { clusterIP: "None", ports: [{ port: 80, name: "http" }] },
});
for (let index = 0; index < Number(values.routes); index++) {
  await client.create(ingresses, ingress(`other-${index}`));
}

const port = await freePort();
const args = [`--http-port=${port}`, "--bind-address=127.0.0.1", "--status-bind-address="];
const stop = new AbortController();
const flags = parseFlags(gatewayFlags, args).values;
const serving = serveGateway(
  { flags, client, clock: systemClock, log: logger("gateway") },
  stop.signal,
);
const agent = new Agent({ keepAlive: true });

/** The status for a host; 0 without an answer. */
const statusOf = (host: string): Promise<number> =>
  new Promise((resolve) => {
    const sent = request({ port, host: "127.0.0.1", agent, headers: { host } }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode ?? 0));
    });
    sent.once("error", () => resolve(0)).end();
  });

await until("the gateway", async () => (await statusOf("none.example")) === 404);
const times: number[] = [];
for (let index = 0; index < Number(values.changes); index++) {
  const name = `change-${index}`;
  const startMs = systemClock.monotonicMs();
  await client.create(ingresses, ingress(name));
  while ((await statusOf(`${name}.example`)) === 404);
  times.push(systemClock.monotonicMs() - startMs);
}
times.sort((a, b) => a - b);
const at = (part: number): string =>
  `${(times[Math.min(Math.floor(times.length * part), times.length - 1)] ?? 0).toFixed(1)} ms`;
process.stdout.write(`a route is effective after
p50 ${at(0.5)}
p99 ${at(0.99)}
`);
stop.abort();
await serving.catch(() => undefined);
agent.destroy();
