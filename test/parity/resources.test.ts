import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Attributes } from "#/apiserver/registry/admission.ts";
import { coordinationResources } from "#/apiserver/resources/coordination/index.ts";
import { coreResources, defaultCoreOptions } from "#/apiserver/resources/core/index.ts";
import { discoveryResources } from "#/apiserver/resources/discovery/index.ts";
import { networkingResources } from "#/apiserver/resources/networking/index.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { startApiServer, type TestApiServer } from "#/testing/start-api-server.ts";
import type { Answer, Area } from "./case.ts";
import { coreObjects } from "./cases/core-objects.ts";
import { coreServices } from "./cases/core-services.ts";
import { coreStorage } from "./cases/core-storage.ts";
import { coreTables } from "./cases/core-tables.ts";
import { networkingArea } from "./cases/networking.ts";
import { loadRecordings } from "./recordings.ts";
import type { Target } from "./reference.ts";
import { replayCase } from "./run-case.ts";

const resources = [
  ...coreResources(defaultCoreOptions),
  ...networkingResources,
  ...discoveryResources,
  ...coordinationResources,
];

interface Marked {
  metadata: { finalizers?: string[] };
  spec: { taints?: object[] };
}

/** Fields that upstream's default admission plugins add to these kinds; other tests check them. */
function admit({ operation, resource, subresource, object }: Attributes): undefined {
  if (operation !== "CREATE" || subresource !== "" || !object) return;
  const marked = object as unknown as Marked;
  const protection = new Map([
    ["persistentvolumes", "kubernetes.io/pv-protection"],
    ["persistentvolumeclaims", "kubernetes.io/pvc-protection"],
  ]).get(resource.name);
  if (protection) marked.metadata.finalizers = [...(marked.metadata.finalizers ?? []), protection];
  if (resource.name === "nodes") {
    const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
    marked.spec.taints = [...(marked.spec.taints ?? []), notReady];
  }
}

/** A case whose answers show two different seconds would be run again, and find its node ports in use. */
const clock: Clock = { ...systemClock, now: () => Date.UTC(2026, 0, 1) };

let server: TestApiServer;
before(async () => {
  server = await startApiServer({
    resources,
    clock,
    admission: { mutate: admit, validate: () => undefined },
  });
  const network = {
    apiVersion: "networking.k8s.io/v1",
    kind: "ServiceCIDR",
    metadata: { name: "kubernetes" },
    spec: { cidrs: ["10.0.0.0/16"] },
  };
  const path = "/apis/networking.k8s.io/v1/servicecidrs";
  assert.equal((await server.call("POST", path, network)).status, 201);
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "kubernetes" },
    spec: { clusterIP: "10.0.0.1", ports: [{ port: 443 }] },
  };
  const { status } = await server.call("POST", "/api/v1/namespaces/default/services", service);
  assert.equal(status, 201);
});
after(() => server[Symbol.asyncDispose]());

const target: Target = {
  async send({ method, path, headers, body }) {
    const bytes = Buffer.from(body ?? "");
    const answer = await server.call(method, path, bytes, { headers });
    const named = Object.entries(answer.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : String(value),
    ]);
    return { status: answer.status, headers: Object.fromEntries(named), text: answer.text };
  },
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

function replay(area: Area): void {
  describe(`${area.name} as kube-apiserver`, () => {
    const recorded = loadRecordings(area);
    for (const [index, recording] of recorded.entries()) {
      const { name, steps } = recording;
      test(name, async () => {
        const found = area.cases[index];
        assert.ok(found);
        const answers = await replayCase(target, found, recording);
        assert.deepEqual(
          answers.map(comparable),
          steps.map(({ answer }) => comparable(answer)),
        );
      });
    }
  });
}

/** Texts that describe columns, and ages. */
const isVolatile = (name: string, value: unknown): boolean =>
  name === "managedFields" || name === "description" || /^\d+[smhdy]\w*$/.test(String(value));

/** Another test checks field managers. */
function comparable({ status, headers, body }: Answer): unknown {
  return { status, warning: headers?.["warning"], body: withoutManagers(body) };
}

function withoutManagers(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => (isVolatile("", item) ? "" : withoutManagers(item)));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, part]) => !isVolatile(name, part))
      .map(([name, part]) => [name, withoutManagers(part)]),
  );
}

for (const area of [coreServices, coreObjects, coreStorage, coreTables, networkingArea])
  replay(area);
