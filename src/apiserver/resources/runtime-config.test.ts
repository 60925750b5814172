import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInResources } from "./index.ts";
import { enabledResources } from "./runtime-config.ts";

const cases = [
  {
    name: "serves stable versions only",
    config: {},
    served: { deployments: ["v1"], leasecandidates: [] },
  },
  {
    name: "turns a group version on",
    config: { "coordination.k8s.io/v1beta1": "true" },
    served: { leasecandidates: ["v1beta1"] },
  },
  {
    name: "turns everything on",
    config: { "api/all": "true" },
    served: { leasecandidates: ["v1beta1", "v1alpha2"] },
  },
  {
    name: "turns a resource off",
    config: { "apps/v1/deployments": "false" },
    served: { deployments: [] },
  },
  {
    name: "prefers the more specific key",
    config: { "api/all": "false", "apps/v1": "true" },
    served: { deployments: ["v1"] },
  },
];
for (const { name, config, served } of cases) {
  test(`enabledResources() ${name}`, () => {
    const enabled = enabledResources(
      builtInResources(),
      config as unknown as Record<string, string>,
    );
    for (const [resource, versions] of Object.entries(served)) {
      const found = enabled.find(({ handle }) => handle.name === resource)?.versions ?? [];
      assert.deepEqual(
        found.map(({ handle }) => handle.version),
        versions,
      );
    }
  });
}
