import assert from "node:assert/strict";
import { test } from "node:test";
import { type DiscoveredGroup, fromAggregated, fromResourceList } from "./discovered-group.ts";
import { ResourceCatalog } from "./resource-catalog.ts";

const aggregated = {
  items: [
    {
      metadata: { name: "apps" },
      versions: [
        {
          version: "v1",
          resources: [
            {
              resource: "deployments",
              responseKind: { group: "apps", version: "v1", kind: "Deployment" },
              scope: "Namespaced",
              singularResource: "deployment",
              verbs: ["get", "list", "watch", "delete"],
              shortNames: ["deploy"],
              categories: ["all"],
              subresources: [
                {
                  subresource: "scale",
                  responseKind: { group: "autoscaling", version: "v1", kind: "Scale" },
                  verbs: ["get"],
                },
              ],
            },
          ],
        },
        {
          version: "v1beta1",
          freshness: "Stale",
          resources: [
            { resource: "deployments", responseKind: { kind: "Deployment" }, scope: "Namespaced" },
          ],
        },
      ],
    },
  ],
};

const deployments = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  name: "deployments",
  singular: "deployment",
  namespaced: true,
  shortNames: ["deploy"],
  categories: ["all"],
  verbs: ["get", "list", "watch", "delete"],
  subresources: [
    { name: "scale", group: "autoscaling", version: "v1", kind: "Scale", verbs: ["get"] },
  ],
};

test("fromAggregated() makes resource handles", () => {
  const [apps] = fromAggregated(aggregated);
  assert.deepEqual(apps?.versions[0], { version: "v1", stale: false, resources: [deployments] });
});

test("fromResourceList() makes the same handles from unaggregated discovery", () => {
  const list = {
    resources: [
      {
        name: "deployments",
        singularName: "deployment",
        namespaced: true,
        kind: "Deployment",
        verbs: deployments.verbs,
        shortNames: ["deploy"],
        categories: ["all"],
      },
      {
        name: "deployments/scale",
        group: "autoscaling",
        version: "v1",
        kind: "Scale",
        verbs: ["get"],
      },
    ],
  };
  assert.deepEqual(fromResourceList({ group: "apps", version: "v1" }, list), [deployments]);
});

test("ResourceCatalog finds resources by kind, and uses the server's preferred version", () => {
  const groups: DiscoveredGroup[] = fromAggregated(aggregated);
  const catalog = new ResourceCatalog(groups);
  assert.deepEqual(catalog.preferred, [deployments]);
  assert.deepEqual(catalog.stale, ["apps/v1beta1"]);
  const find = (apiVersion: string, kind = "Deployment") => catalog.findKind({ apiVersion, kind });
  assert.equal(find("apps/v1beta1")?.version, "v1beta1");
  assert.equal(find("apps/v9")?.version, "v1");
  assert.equal(find("apps/v1", "Pod"), undefined);
  assert.deepEqual(catalog.withVerbs("list", "delete"), [deployments]);
  assert.deepEqual(catalog.withVerbs("deletecollection"), []);
});
