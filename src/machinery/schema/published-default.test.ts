import assert from "node:assert/strict";
import { test } from "node:test";
import { findDefinitionByName } from "./definitions.ts";
import { publishedDefault } from "./published-default.ts";

const cases: readonly [definition: string, field: string, expected: unknown][] = [
  ["io.k8s.api.core.v1.ContainerPort", "protocol", "TCP"],
  ["io.k8s.api.core.v1.ContainerPort", "containerPort", 0],
  ["io.k8s.api.core.v1.ContainerPort", "hostPort", undefined],
  ["io.k8s.api.core.v1.Container", "name", ""],
  ["io.k8s.api.core.v1.Container", "resources", {}],
  ["io.k8s.api.core.v1.Container", "livenessProbe", undefined],
  ["io.k8s.api.core.v1.PodSpec", "containers", undefined],
  ["io.k8s.apimachinery.pkg.apis.meta.v1.APIResource", "namespaced", false],
];

for (const [definition, name, expected] of cases) {
  test(`publishedDefault() of ${definition}.${name} is ${JSON.stringify(expected)}`, () => {
    const schema = findDefinitionByName(definition);
    const field = schema?.type === "struct" ? schema.fields.get(name) : undefined;
    assert.ok(field);
    assert.deepEqual(publishedDefault(field), expected);
  });
}
