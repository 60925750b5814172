import assert from "node:assert/strict";
import { test } from "node:test";
import { textReply } from "../http/exchange.ts";
import { callInProcess, collectBody } from "../http/in-process.ts";
import { Paths } from "../http/paths.ts";
import { addHealth } from "./health-paths.ts";

const ping = { name: "ping", check: () => undefined };
const etcd = {
  name: "etcd",
  check: () => {
    throw new Error("no leader");
  },
};

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
    addHealth(paths, { healthz: [ping], livez: [ping], readyz: [ping, etcd] }, () => undefined);
    const handler = async (exchange: Parameters<NonNullable<ReturnType<Paths["find"]>>>[0]) =>
      (await paths.find(exchange.path)?.(exchange)) ?? textReply(404, "");
    const reply = await callInProcess(handler, { method: "GET", url });
    assert.deepEqual([reply.status, (await collectBody(reply)).toString()], [status, text]);
  });
}
