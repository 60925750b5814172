import { type Random, randomInt, seededRandom } from "#/std/base/random.ts";
import { hostileInput } from "#/testing/hostile/mutate.ts";
import { readVectors, type Vector } from "#/testing/vectors.ts";
import { changeValues } from "./change-values.ts";

/** A request with a changed body. */
export interface LiveInput {
  readonly method: "POST" | "PUT" | "PATCH";
  readonly path: string;
  readonly type: string;
  readonly body: Buffer;
}

/** Kinds with their resources. Each has a vector with every field set. */
const resources: Readonly<Record<string, string>> = {
  "v1 Pod": "/api/v1/namespaces/default/pods",
  "v1 Service": "/api/v1/namespaces/default/services",
  "v1 Node": "/api/v1/nodes",
  "v1 PersistentVolume": "/api/v1/persistentvolumes",
  "v1 ConfigMap": "/api/v1/namespaces/default/configmaps",
  "apps/v1 Deployment": "/apis/apps/v1/namespaces/default/deployments",
  "batch/v1 CronJob": "/apis/batch/v1/namespaces/default/cronjobs",
  "networking.k8s.io/v1 Ingress": "/apis/networking.k8s.io/v1/namespaces/default/ingresses",
  "certificates.k8s.io/v1 CertificateSigningRequest":
    "/apis/certificates.k8s.io/v1/certificatesigningrequests",
  "apiextensions.k8s.io/v1 CustomResourceDefinition":
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  "admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy":
    "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
  "rbac.authorization.k8s.io/v1 ClusterRole": "/apis/rbac.authorization.k8s.io/v1/clusterroles",
  "resource.k8s.io/v1 ResourceClaim": "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims",
};

const nameOf = ({ group, version, kind }: Vector): string =>
  `${group === "" ? version : `${group}/${version}`} ${kind}`;
const vectors = [...readVectors()].filter((vector) => Object.hasOwn(resources, nameOf(vector)));

/** Formats of created objects. */
const formats = [
  ["application/json", ({ json }: Vector) => Buffer.from(json)],
  ["application/yaml", ({ yaml }: Vector) => Buffer.from(yaml)],
  ["application/vnd.kubernetes.protobuf", ({ pb }: Vector) => pb],
] as const;

/** An object that exists, and is patched. */
export const patchedName = "live";
const patchedPath = `/api/v1/namespaces/default/services/${patchedName}`;
export const patched = {
  kind: "Service",
  apiVersion: "v1",
  metadata: { name: patchedName, labels: { a: "b" }, finalizers: ["k8ts.test/a"] },
  spec: {
    ports: [
      { name: "a", port: 80 },
      { name: "b", port: 81, protocol: "UDP" },
    ],
    selector: {},
  },
};
const patchedJson = Buffer.from(JSON.stringify(patched));
const operations = Buffer.from(
  JSON.stringify([
    { op: "test", path: "/metadata/labels/a", value: "b" },
    { op: "add", path: "/spec/ports/-", value: { name: "c", port: 82 } },
    { op: "copy", from: "/spec/ports/0", path: "/spec/ports/1" },
    { op: "move", from: "/metadata/labels", path: "/metadata/annotations" },
    { op: "remove", path: "/spec/ports/0" },
  ]),
);
const directives = Buffer.from(
  JSON.stringify({
    spec: {
      "$setElementOrder/ports": [{ port: 81 }, { port: 80 }],
      "$deleteFromPrimitiveList/x": ["a"],
      ports: [{ port: 80, $patch: "delete" }, { $patch: "replace" }],
      selector: { $retainKeys: ["a"], a: null },
    },
  }),
);
const patches = [
  ["application/json-patch+json", operations],
  ["application/merge-patch+json", patchedJson],
  ["application/strategic-merge-patch+json", directives],
  ["application/apply-patch+yaml", patchedJson],
] as const;

/** The input of a seed and a number. Nothing is stored: every request is a dry run. */
export function liveInput(seed: number, index: number): LiveInput {
  const random = seededRandom(seed * 7919 + index);
  for (let skipped = 0; skipped < 5; skipped++) random();
  return random() < 0.5 ? patchInput(random) : createInput(random);
}

function createInput(random: Random): LiveInput {
  const vector = pick(random, vectors);
  const [type, read] = pick(random, formats);
  const isJson = type === "application/json" && random() < 0.8;
  const path = `${resources[nameOf(vector)]}?dryRun=All&fieldValidation=${pick(random, ["Strict", "Warn", "Ignore"])}`;
  return {
    method: "POST",
    path,
    type,
    body: isJson ? changeValues(random, vector.json) : hostileInput(random, [read(vector)], []),
  };
}

function patchInput(random: Random): LiveInput {
  const [type, body] = pick(random, patches);
  const apply = type.includes("apply") ? `&fieldManager=m&force=${random() < 0.5}` : "";
  const path = `${patchedPath}?dryRun=All${apply}`;
  return {
    method: "PATCH",
    path,
    type,
    body: random() < 0.7 ? changeValues(random, body.toString()) : hostileInput(random, [body], []),
  };
}

function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[randomInt(random, items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}
