import { customResourceDefinitions } from "#/api/apiextensions/v1.ts";
import { deployments } from "#/api/apps/v1.ts";
import { configMaps, pods, podTemplates } from "#/api/core/v1.ts";
import { clusterRoles } from "#/api/rbac/v1.ts";
import type { Probe } from "./requests.ts";
import { validObject } from "./valid-objects.ts";

/** Requests that no list or map of a schema describes. */

const maps = "/api/v1/namespaces/default/configmaps";
const dryRun = "dryRun=All&fieldManager=probe";
const strategic = "application/strategic-merge-patch+json";
const jsonPatch = "application/json-patch+json";

const range = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

const keys = <T>(count: number, make: (index: number) => T): Record<string, T> =>
  Object.fromEntries(range(count, (index) => [`k${index}`, make(index)]));

const map = (content: object = {}): Record<string, unknown> => ({
  ...validObject(configMaps),
  ...content,
});

const deployment = (count: number): Record<string, unknown> => {
  const object = validObject(deployments) as { metadata: object };
  object.metadata = { ...object.metadata, annotations: keys(count, () => "v") };
  return object;
};

const fieldsOf = (count: number) => ({ "f:data": Object.fromEntries(names(count)) });
const names = (count: number): [string, object][] => range(count, (index) => [`f:k${index}`, {}]);

const managed = (count: number): Record<string, unknown> =>
  map({
    metadata: {
      name: "a",
      namespace: "default",
      managedFields: [
        {
          manager: "other",
          operation: "Apply",
          apiVersion: "v1",
          fieldsType: "FieldsV1",
          fieldsV1: fieldsOf(count),
        },
      ],
    },
    data: keys(count, () => "v"),
  });

const selector = (count: number): string => range(count, (index) => `k${index}=v`).join(",");

const podTemplate = (ports: readonly object[]): Record<string, unknown> => ({
  ...validObject(podTemplates),
  template: { spec: { containers: [{ name: "c", image: "i", ports }] } },
});

const createTemplate = (name: string, port: (index: number) => object): Probe => ({
  name,
  resource: podTemplates,
  request: (count) => ({
    method: "POST",
    url: `/api/v1/namespaces/default/podtemplates?${dryRun}`,
    body: podTemplate(range(count, port)),
  }),
});

export const knownAttacks: readonly Probe[] = [
  createTemplate("ports that conflict with each other", () => ({ containerPort: 80 })),
  createTemplate("one port at many addresses", (index) => ({
    containerPort: 80,
    hostPort: 80,
    hostIP: `10.0.${index >> 8}.${index & 255}`,
  })),
  {
    name: "label selector",
    resource: pods,
    request: (count) => ({
      method: "GET",
      url: `/api/v1/pods?labelSelector=${encodeURIComponent(selector(count))}`,
    }),
  },
  {
    name: "label selector, one key",
    resource: pods,
    request: (count) => ({
      method: "GET",
      url: `/api/v1/pods?labelSelector=${encodeURIComponent(`k in (${range(count, (index) => `v${index}`).join(",")})`)}`,
    }),
  },
  {
    name: "field selector",
    resource: pods,
    request: (count) => {
      const terms = range(count, (index) => `metadata.name!=n${index}`).join(",");
      return { method: "GET", url: `/api/v1/pods?fieldSelector=${encodeURIComponent(terms)}` };
    },
  },
  {
    name: "unknown fields",
    resource: configMaps,
    request: (count) => ({
      method: "POST",
      url: `${maps}?${dryRun}`,
      body: map(keys(count, () => 1)),
    }),
  },
  {
    name: "unknown fields, strict",
    resource: configMaps,
    request: (count) => ({
      method: "POST",
      url: `${maps}?${dryRun}&fieldValidation=Strict`,
      body: map(keys(count, () => 1)),
    }),
  },
  {
    name: "owned fields, apply",
    resource: configMaps,
    stored: managed,
    request: (count) => ({
      method: "PATCH",
      url: `${maps}/a?${dryRun}`,
      type: "application/apply-patch+yaml#force",
      body: map({ data: keys(count, () => "w") }),
    }),
  },
  {
    name: "owned fields, update",
    resource: configMaps,
    stored: managed,
    request: (count) => ({
      method: "PUT",
      url: `${maps}/a?${dryRun}`,
      body: map({ data: keys(count, () => "w") }),
    }),
  },
  {
    name: "$retainKeys",
    resource: deployments,
    stored: deployment,
    request: (count) => ({
      method: "PATCH",
      url: `/apis/apps/v1/namespaces/default/deployments/a?${dryRun}`,
      type: strategic,
      body: {
        spec: { strategy: { $retainKeys: range(count, (index) => `k${index}`), type: "Recreate" } },
      },
    }),
  },
  ...["test", "copy", "add", "replace"].map(
    (op): Probe => ({
      name: `JSON patch of ${op} operations`,
      resource: configMaps,
      stored: (count) => map({ data: keys(count, () => "v") }),
      request: (count) => ({
        method: "PATCH",
        url: `${maps}/a?${dryRun}`,
        type: jsonPatch,
        body: range(count, (index) =>
          op === "copy"
            ? { op, from: `/data/k${index}`, path: `/data/c${index}` }
            : { op, path: `/data/k${index}`, value: "v" },
        ),
      }),
    }),
  ),
  {
    name: "rules of a role",
    resource: clusterRoles,
    request: (count) => ({
      method: "POST",
      url: `/apis/rbac.authorization.k8s.io/v1/clusterroles?${dryRun}`,
      body: {
        ...validObject(clusterRoles),
        rules: range(count, (index) => ({
          verbs: ["get"],
          apiGroups: [""],
          resources: ["pods"],
          resourceNames: [`n${index}`],
        })),
      },
    }),
  },
  {
    name: "schema with many properties and rules",
    resource: customResourceDefinitions,
    request: (count) => ({
      method: "POST",
      url: `/apis/apiextensions.k8s.io/v1/customresourcedefinitions?${dryRun}`,
      body: definition({
        type: "object",
        required: range(count, (index) => `k${index}`),
        properties: keys(count, () => ({ type: "string" })),
      }),
    }),
  },
];

function definition(openAPIV3Schema: object): object {
  const object = validObject(customResourceDefinitions) as {
    spec: { versions: { schema: object }[] };
  };
  for (const version of object.spec.versions) version.schema = { openAPIV3Schema };
  return object;
}
