import assert from "node:assert/strict";
import { test } from "node:test";
import { Registry as Metrics } from "#/std/metrics/metrics.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { type Exchange, type Reply, textReply } from "../model/exchange.ts";
import { parseRequestInfo } from "../model/request-info.ts";
import { RequestMetrics } from "./request-metrics.ts";

function exchange(method: string, url: string, contentType = "application/json"): Exchange {
  const [path = "", search = ""] = url.split("?");
  const query = new URLSearchParams(search);
  const info = parseRequestInfo({ method, path, query });
  return { method, path, query, info, headers: { "content-type": contentType } } as never;
}

function open() {
  const metrics = new Metrics();
  const known = {
    isResource: (_: string, __: string, name: string) => name === "pods",
    isDeprecated: (_: string, version: string) => version === "v1beta1",
    isPath: (path: string) => path === "/healthz",
  };
  const requests = new RequestMetrics(metrics, new FakeClock(), known);
  return { filter: requests.filter(), text: () => [...metrics.expose()].join("") };
}

const cases = [
  {
    method: "GET",
    url: "/api/v1/namespaces/a/pods/b",
    shown: 'resource="pods",scope="resource",subresource="",verb="GET",version="v1"',
  },
  {
    method: "GET",
    url: "/api/v1/pods",
    shown: 'resource="pods",scope="cluster",subresource="",verb="LIST",version="v1"',
  },
  {
    method: "POST",
    url: "/api/v1/namespaces/a/pods?dryRun=All",
    shown: 'dry_run="All",group="",resource="pods",scope="resource",subresource="",verb="POST"',
  },
  { method: "GET", url: "/healthz", shown: 'subresource="/healthz",verb="GET",version=""' },
  {
    method: "GET",
    url: "/apis/evil/v1/namespaces/a/x1/y",
    shown: 'group="",resource="",scope="",subresource="",verb="GET",version=""',
  },
];
for (const { method, url, shown } of cases) {
  test(`RequestMetrics counts ${method} ${url}`, async () => {
    const { filter, text } = open();
    await filter(exchange(method, url), async () => textReply(201, ""));
    const line = text()
      .split("\n")
      .find((one) => one.startsWith("apiserver_request_total{"));
    assert.ok(
      line?.includes(shown) && line.includes('code="201"') && line.endsWith(" 1"),
      line ?? "",
    );
  });
}

test("RequestMetrics counts a watch while it is open", async () => {
  const { filter, text } = open();
  const end = Promise.withResolvers<void>();
  const stream: Reply = {
    status: 200,
    headers: {},
    body: { type: "stream", write: () => end.promise },
  };
  const watch = exchange("GET", "/api/v1/pods?watch=1");
  const reply = await filter(watch, () => Promise.resolve(stream));
  assert.match(text(), /apiserver_longrunning_requests\{.*verb="WATCH".*\} 1/);
  assert.equal(reply.body.type, "stream");
  const written = reply.body.type === "stream" && reply.body.write({} as never);
  end.resolve();
  await written;
  assert.match(text(), /apiserver_longrunning_requests\{.*verb="WATCH".*\} 0/);
});

test("RequestMetrics names the deprecated APIs in use, once each", async () => {
  const { filter, text } = open();
  for (const url of ["/apis/a/v1beta1/pods", "/apis/a/v1beta1/pods", "/api/v1/pods"])
    await filter(exchange("GET", url), async () => textReply(200, "ok"));
  const lines = text().split("\n");
  const found = lines.filter((line) => line.startsWith("apiserver_requested_deprecated_apis{"));
  assert.deepEqual(found, [
    'apiserver_requested_deprecated_apis{group="a",removed_release="",resource="pods",subresource="",version="v1beta1"} 1',
  ]);
});
