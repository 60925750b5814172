import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "#/testing/until.ts";
import { ApiServerProcess } from "../../faults/api-server-process.ts";
import { SurroundingsBuilder } from "../../parity/surroundings.ts";
import { answer, endless, type Misbehave, measureCpu, redirect, silent } from "./hostile-peer.ts";

const services = "/apis/apiregistration.k8s.io/v1/apiservices";
/** Limit of the CPU for one hostile server (ms), of all threads, on a slow machine. Quadratic work needs minutes. */
const maxCpuMs = 6000;
/** Limit of the growth of resident memory by all attacks (MiB): a few copies of the largest answers. */
const maxGrownMiB = 400;

const fruits = {
  name: "fruits",
  singularName: "fruit",
  namespaced: true,
  kind: "Fruit",
  verbs: ["get"],
};
const json = (value: unknown): Misbehave => answer(JSON.stringify(value));
const aggregatedType = {
  "content-type": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
};
const legacy = (resources: unknown): Misbehave =>
  json({ kind: "APIResourceList", apiVersion: "v1", groupVersion: "x/v1", resources });
const aggregated = (versions: unknown, group: string): Misbehave =>
  answer(
    JSON.stringify({
      kind: "APIGroupDiscoveryList",
      apiVersion: "apidiscovery.k8s.io/v2",
      items: [{ metadata: { name: group }, versions }],
    }),
    aggregatedType,
  );
const manyHeaders: Misbehave = (_, reply) => {
  for (let n = 0; n < 2000; n++) reply.setHeader(`x-${n}`, "y".repeat(100));
  reply.end("{}");
};

/** What a server answers to requests whose path begins so; others are answered as by the harmless one. */
interface Peer {
  readonly name: string;
  readonly does: (group: string) => Readonly<Record<string, Misbehave>>;
  /** Whether discovery shows resources of it. */
  readonly shown: boolean;
  /** Whether it is available; clients' requests reach it only then. */
  readonly available: boolean;
}

const peers: readonly Peer[] = [
  { name: "harmless", does: () => ({}), shown: true, available: true },
  {
    name: "endless answers",
    does: () => ({ "/": endless('{"a": "') }),
    shown: false,
    available: true,
  },
  { name: "no answer", does: () => ({ "/": silent }), shown: false, available: false },
  {
    name: "redirects",
    does: () => ({ "/": redirect("https://127.0.0.1:1/", 302) }),
    shown: false,
    available: false,
  },
  { name: "200 KB of headers", does: () => ({ "/": manyHeaders }), shown: false, available: false },
  {
    name: "twenty thousand resources",
    does: () => ({
      "/apis/": legacy(
        Array.from({ length: 20_000 }, (_, n) => ({
          ...fruits,
          name: n % 2 ? `f${n}` : `f${n}/s`,
        })),
      ),
    }),
    shown: true,
    available: true,
  },
  {
    name: "resources that are a text",
    does: (group) => ({ "/apis?": aggregated([{ version: "v1", resources: "text" }], group) }),
    shown: false,
    available: true,
  },
  {
    name: "resources that are null",
    does: () => ({ "/apis/": legacy([null, null]) }),
    shown: true,
    available: true,
  },
  {
    name: "verbs that are numbers",
    does: () => ({ "/apis/": legacy([{ ...fruits, verbs: [7] }]) }),
    shown: false,
    available: true,
  },
  {
    name: "JSON of a million levels",
    does: () => ({ "/": answer("[".repeat(1_000_000)) }),
    shown: false,
    available: true,
  },
  {
    name: "OpenAPI without an end",
    does: () => ({ "/openapi/": endless('{"paths": {"') }),
    shown: true,
    available: true,
  },
  {
    name: "OpenAPI whose parts refer to each other",
    does: (group) => ({
      "/openapi/v2": json({
        paths: { [`/apis/${group}/v1/fruits`]: { $ref: "#/definitions/D0" } },
        definitions: Object.fromEntries(
          Array.from({ length: 20_000 }, (_, n) => [
            `D${n}`,
            { a: { $ref: `#/definitions/D${n + 1}` } },
          ]),
        ),
      }),
    }),
    shown: true,
    available: true,
  },
];

const groupOf = (index: number): string => `g${index}.example.com`;

describe("hostile aggregated API server", () => {
  let builder: SurroundingsBuilder;
  let server: ApiServerProcess;

  before(async () => {
    builder = await SurroundingsBuilder.open();
    server = await ApiServerProcess.start();
    const service = {
      metadata: { name: "peer" },
      spec: { type: "ExternalName", externalName: "127.0.0.1" },
    };
    const { status, text } = await server.send(
      "POST",
      "/api/v1/namespaces/default/services",
      service,
    );
    assert.equal(status, 201, text);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await builder[Symbol.asyncDispose]();
  });

  async function register(index: number, { does }: Peer): Promise<void> {
    const group = groupOf(index);
    const special = Object.entries(does(group));
    const url = await builder.serve((request, reply) => {
      const path = request.url === "/apis" ? "/apis?" : (request.url ?? "");
      const [, misbehave] = special.find(([prefix]) => path.startsWith(prefix)) ?? [];
      if (misbehave) misbehave(request, reply);
      else if (path === "/apis?") reply.writeHead(406).end();
      else if (path === `/apis/${group}/v1`) legacy([fruits])(request, reply);
      else if (path.startsWith("/openapi/")) reply.writeHead(404).end();
      else
        json({ kind: "Fruit", apiVersion: `${group}/v1`, metadata: { name: "a" } })(request, reply);
    });
    const spec = {
      group,
      version: "v1",
      groupPriorityMinimum: 100,
      versionPriority: 10,
      insecureSkipTLSVerify: true,
      service: { namespace: "default", name: "peer", port: Number(new URL(url).port) },
    };
    const { status, text } = await server.send("POST", services, {
      metadata: { name: `v1.${group}` },
      spec,
    });
    assert.equal(status, 201, text);
  }

  async function availability(
    index: number,
  ): Promise<{ status: string; message: string } | undefined> {
    const { text } = await server.send("GET", `${services}/v1.${groupOf(index)}`);
    return JSON.parse(text).status?.conditions?.[0];
  }

  interface Version {
    readonly freshness: string;
    readonly resources?: readonly {
      readonly resource: string;
      readonly verbs: readonly string[];
    }[];
  }
  async function discovered(index: number): Promise<Version | undefined> {
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const { status, text } = await server.send("GET", "/apis", undefined, undefined, { accept });
    assert.equal(status, 200);
    const { items } = JSON.parse(text) as {
      items: { metadata: { name: string }; versions: Version[] }[];
    };
    assert.ok(items.some(({ metadata }) => metadata.name === "apps"));
    return items.find(({ metadata }) => metadata.name === groupOf(index))?.versions[0];
  }

  for (const [index, peer] of peers.entries()) {
    test(peer.name, async () => {
      const before = await server.residentMiB();
      const { cpuMs } = await measureCpu(server, async () => {
        await register(index, peer);
        const wanted = peer.available ? "True" : "False";
        await until("it was probed", async () => (await availability(index))?.status === wanted);
        if (peer.shown) {
          await until("it is shown", async () => (await discovered(index))?.resources?.length);
        } else {
          const { freshness, resources } = (await discovered(index)) ?? {};
          assert.deepEqual({ freshness, resources }, { freshness: "Stale", resources: undefined });
        }
      });
      assert.ok(cpuMs < maxCpuMs, `${cpuMs} ms of CPU`);
      const grownMiB = (await server.residentMiB()) - before;
      assert.ok(grownMiB < maxGrownMiB, `${grownMiB} MiB more`);
      const { status } = await server.send(
        "GET",
        `/apis/${groupOf(0)}/v1/namespaces/default/fruits/a`,
      );
      assert.equal(status, 200, "the harmless one is reached");
      const isUsedLater =
        peer.name === "harmless" || peer.name.startsWith("OpenAPI") || !peer.available;
      if (!isUsedLater) await server.send("DELETE", `${services}/v1.${groupOf(index)}`);
    });
  }

  test("an unavailable one is answered for at once", async () => {
    const index = peers.findIndex(({ available }) => !available);
    const { status, text } = await server.send("GET", `/apis/${groupOf(index)}/v1/fruits`);
    assert.deepEqual({ status, text }, { status: 503, text: "service unavailable\n" });
  });

  test("OpenAPI of all servers is served", async () => {
    const { result, cpuMs } = await measureCpu(server, () => server.send("GET", "/openapi/v2"));
    assert.equal(result.status, 200);
    assert.ok("io.k8s.api.core.v1.Pod" in JSON.parse(result.text).definitions);
    assert.ok(cpuMs < maxCpuMs, `${cpuMs} ms of CPU`);
  });
});
