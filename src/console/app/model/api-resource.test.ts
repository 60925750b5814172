import assert from "node:assert/strict";
import { test } from "node:test";
import { checkCases } from "#/testing/check-cases.ts";
import { fieldIs, pluralTitle, resourcePath, resourcesOf } from "./api-resource.ts";
import { kindSections } from "./kind-sections.ts";

checkCases("pluralTitle", pluralTitle, [
  [{ kind: "NetworkPolicy", resource: "networkpolicies" }, "NetworkPolicies"],
  [{ kind: "Pod", resource: "pods" }, "Pods"],
  [{ kind: "Endpoints", resource: "endpoints" }, "Endpoints"],
  [{ kind: "IngressClass", resource: "ingressclasses" }, "IngressClasses"],
]);

const entry = (resource: string, kind: string, scope = "Namespaced") => ({
  resource,
  responseKind: { kind },
  scope,
  verbs: ["list", "get"],
});

const known = resourcesOf({
  items: [
    {
      versions: [
        { version: "v1", resources: [entry("pods", "Pod"), entry("nodes", "Node", "Cluster")] },
      ],
    },
    {
      metadata: { name: "stable.example.com" },
      versions: [
        { version: "v2", resources: [entry("crontabs", "CronTab")] },
        { version: "v1", resources: [entry("crontabs", "CronTab")] },
      ],
    },
  ],
});

test("resourcesOf() takes each kind in the version that the server prefers", () => {
  const paths = known.map((resource) => resourcePath(resource, "a", "x"));
  assert.deepEqual(paths, [
    "/api/v1/namespaces/a/pods/x",
    "/api/v1/nodes/x",
    "/apis/stable.example.com/v2/namespaces/a/crontabs/x",
  ]);
});

test("kindSections() has extensions, and no kind that may not be listed", () => {
  const sections = kindSections(known, ({ resource }) => resource !== "nodes");
  assert.deepEqual(
    sections.map(({ section, kinds }) => [section, kinds.map(({ kind }) => kind)]),
    [
      ["workloads", ["Pod"]],
      ["custom", ["CronTab"]],
    ],
  );
});

test("fieldIs() escapes what separates terms", () => {
  assert.equal(fieldIs("metadata.name", "a=b,c\\d"), "metadata.name=a\\=b\\,c\\\\d");
});
