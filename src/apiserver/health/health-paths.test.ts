import assert from "node:assert/strict";
import { test } from "node:test";
import { HealthMetrics } from "#/std/metrics/health-metrics.ts";
import { callInProcess, collectBody } from "../http/in-process.ts";
import { Paths } from "../http/paths.ts";
import { type Handler, textReply } from "../model/exchange.ts";
import { addHealth } from "./health-paths.ts";

const ping = { name: "ping", check: () => undefined };
const etcd = {
  name: "etcd",
  check: () => {
    throw new Error("no leader");
  },
};

const checks = { healthz: [ping], livez: [ping], readyz: [ping, etcd] };

async function ask(paths: Paths, url: string) {
  const handler: Handler = async (exchange) =>
    (await paths.find(exchange.path)?.(exchange)) ?? textReply(404, "");
  const reply = await callInProcess(handler, { method: "GET", url });
  return [reply.status, (await collectBody(reply)).toString()];
}

test("addHealth() counts the results of checks", async () => {
  const paths = new Paths();
  const slis = new HealthMetrics();
  addHealth(paths, checks, slis, () => undefined);
  for (const url of ["/readyz", "/readyz", "/livez", "/readyz/etcd", "/readyz?exclude=etcd"]) {
    await ask(paths, url);
  }
  assert.deepEqual([...slis.expose()].join("").match(/^kubernetes_.*$/gm), [
    'kubernetes_healthcheck{name="etcd",type="readyz"} 0',
    'kubernetes_healthcheck{name="ping",type="livez"} 1',
    'kubernetes_healthcheck{name="ping",type="readyz"} 1',
    'kubernetes_healthchecks_total{name="etcd",status="error",type="readyz"} 2',
    'kubernetes_healthchecks_total{name="ping",status="success",type="livez"} 1',
    'kubernetes_healthchecks_total{name="ping",status="success",type="readyz"} 3',
  ]);
});

const cases = [
  { url: "/livez", status: 200, text: "ok" },
  { url: "/livez?verbose", status: 200, text: "[+]ping ok\nlivez check passed\n" },
  {
    url: "/readyz",
    status: 500,
    text: "[+]ping ok\n[-]etcd failed: reason withheld\nreadyz check failed\n",
  },
  { url: "/readyz?exclude=etcd", status: 200, text: "ok" },
  {
    url: "/readyz?verbose&exclude=etcd&exclude=x",
    status: 200,
    text: '[+]ping ok\n[+]etcd excluded: ok\nwarn: some health checks cannot be excluded: no matches for "x"\nreadyz check passed\n',
  },
  { url: "/readyz/ping", status: 200, text: "ok" },
  { url: "/readyz/etcd", status: 500, text: "internal server error: no leader\n" },
];
for (const { url, status, text } of cases) {
  test(`addHealth() answers ${url}`, async () => {
    const paths = new Paths();
    addHealth(paths, checks, new HealthMetrics(), () => undefined);
    assert.deepEqual(await ask(paths, url), [status, text]);
  });
}
