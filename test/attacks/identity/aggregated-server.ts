import type { RequestListener } from "node:http";
import { until } from "#/testing/until.ts";
import type { RawAnswer, Target } from "../../parity/reference.ts";
import { SurroundingsBuilder } from "../../parity/surroundings.ts";

/** A target, and an aggregated server behind it that records the paths of requests and trusts its caller. */
export interface AggregatedServer extends AsyncDisposable {
  readonly target: Target;
  /** Paths of requests for things, as they arrived. */
  readonly arrived: string[];
  /** Sends a request of bob, who may get things of the namespace t1, and no others. */
  ask(path: string): Promise<RawAnswer>;
}

const json = { "content-type": "application/json" };

/** Starts an API server (this one, or the reference) and registers the API things.example.com with it. */
export async function startAggregated(
  start: (flags: readonly string[]) => Promise<Target>,
): Promise<AggregatedServer> {
  await using starting = new AsyncDisposableStack();
  const builder = starting.use(await SurroundingsBuilder.open());
  const arrived: string[] = [];
  const url = await builder.serve(thingServer(arrived));
  const target = starting.use(await start([]));
  const create = async (path: string, body: object) => {
    const answer = await target.send({
      method: "POST",
      path,
      headers: json,
      body: JSON.stringify(body),
    });
    if (answer.status >= 300) throw new Error(answer.text);
  };
  await create("/api/v1/namespaces/default/services", {
    metadata: { name: "things" },
    spec: { type: "ExternalName", externalName: "127.0.0.1" },
  });
  await create("/apis/apiregistration.k8s.io/v1/apiservices", {
    metadata: { name: "v1.example.com" },
    spec: {
      group: "example.com",
      version: "v1",
      groupPriorityMinimum: 1000,
      versionPriority: 10,
      service: { namespace: "default", name: "things", port: Number(new URL(url).port) },
      insecureSkipTLSVerify: true,
    },
  });
  const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/t1";
  await create("/api/v1/namespaces", { metadata: { name: "t1" } });
  await create(`${rbac}/roles`, {
    metadata: { name: "things" },
    rules: [{ apiGroups: ["example.com"], resources: ["things"], verbs: ["get"] }],
  });
  await create(`${rbac}/rolebindings`, {
    metadata: { name: "things" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "things" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "bob" }],
  });
  const bob = { headers: { authorization: "Bearer bobtoken" } };
  const ask = (path: string) => target.send({ method: "GET", path, headers: {}, credential: bob });
  const ready = "/apis/example.com/v1/namespaces/t1/things/ready";
  await until("the API is served", async () => (await ask(ready)).status === 200);
  const stack = starting.move();
  return { target, arrived, ask, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

function thingServer(arrived: string[]): RequestListener {
  return ({ url = "" }, response) => {
    response.writeHead(200, json);
    if (url.includes("things")) arrived.push(url);
    const list = { kind: "APIResourceList", groupVersion: "example.com/v1", resources: [] };
    response.end(JSON.stringify(url.includes("things") ? { url } : list));
  };
}
