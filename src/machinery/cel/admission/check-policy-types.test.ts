import assert from "node:assert/strict";
import { test } from "node:test";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { declareKind } from "../schema/api-schema.ts";
import { checkPolicyTypes, type KindLookups } from "./check-policy-types.ts";

const lookups: KindLookups = {
  kindsOf(group, version, resource) {
    const kind = new Map([["deployments", "Deployment"]]).get(resource);
    const schema = kind && findSchema(group, version, kind);
    if (!kind || !schema) return [];
    const type = declareKind(schema, kind);
    return [{ group, version, kind, ...(type ? { type } : {}) }];
  },
  paramType: () => undefined,
};

const policy = (resources: string[], ...validations: { expression: string }[]) => ({
  spec: {
    matchConstraints: {
      resourceRules: [
        { operations: ["*" as const], apiGroups: ["apps"], apiVersions: ["v1"], resources },
      ],
    },
    validations,
  },
});

test("checkPolicyTypes() warns of what doesn't fit", () => {
  const given = policy(
    ["deployments"],
    { expression: "object.spec.replicas > 1" },
    { expression: "object.spec.foo == 1" },
  );
  assert.deepEqual(checkPolicyTypes(given, lookups), [
    {
      fieldRef: "spec.validations[1].expression",
      warning:
        "apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'foo'\n | object.spec.foo == 1\n | ...........^\n",
    },
  ]);
});

test("checkPolicyTypes() knows nothing of resources that aren't served or named", () => {
  for (const resource of ["foos", "*", "deployments/status"]) {
    assert.deepEqual(
      checkPolicyTypes(policy([resource], { expression: "object.x.y" }), lookups),
      [],
    );
  }
});
