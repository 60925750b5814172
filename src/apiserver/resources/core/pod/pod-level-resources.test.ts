import assert from "node:assert/strict";
import { test } from "node:test";
import type { PodSpec, ResourceRequirements } from "#/api/core/v1.ts";
import { setPodLevelDefaults } from "./pod-level-resources.ts";

const pod = (resources: ResourceRequirements, ...containers: ResourceRequirements[]): PodSpec => ({
  resources,
  containers: containers.map((own, index) => ({ name: `c${index}`, resources: own })),
});

const cases: readonly (readonly [name: string, spec: PodSpec, resources: ResourceRequirements])[] =
  [
    [
      "requests what it limits",
      pod({ limits: { cpu: "1" } }, {}),
      { limits: { cpu: "1" }, requests: { cpu: "1" } },
    ],
    [
      "requests what its containers request",
      pod(
        { limits: { cpu: "4" } },
        { requests: { cpu: "1" } },
        { requests: { cpu: "2", memory: "1Gi" } },
      ),
      { limits: { cpu: "4" }, requests: { cpu: "3", memory: "1Gi" } },
    ],
    [
      "limits what all its containers limit",
      pod({ requests: { cpu: "1" } }, { limits: { cpu: "2" } }, { limits: { cpu: "1" } }),
      { requests: { cpu: "1" }, limits: { cpu: "3" } },
    ],
    [
      "limits nothing that a container leaves open",
      pod({ requests: { cpu: "1" } }, { limits: { cpu: "2" } }, {}),
      { requests: { cpu: "1" } },
    ],
    [
      "limits no less than it requests",
      pod({ requests: { cpu: "9" } }, { limits: { cpu: "2" } }),
      { requests: { cpu: "9" }, limits: { cpu: "9" } },
    ],
    ["stays unchanged without Pod-level resources", pod({}, { limits: { cpu: "1" } }), {}],
  ];

for (const [name, spec, resources] of cases) {
  test(`setPodLevelDefaults(): a pod ${name}`, () => {
    const given = structuredClone(spec.resources);
    const { resources: shared } = spec;
    setPodLevelDefaults(spec, { enabled: () => true });
    assert.deepEqual(spec.resources, resources);
    assert.deepEqual(shared, given, "what others may have is left alone");
  });
}
