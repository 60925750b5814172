import assert from "node:assert/strict";
import { test } from "node:test";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { runSteps } from "#/std/base/steps.ts";
import { declareKind } from "../schema/api-schema.ts";
import { checkPolicyTypes, type KindName, kindsToCheck } from "./check-policy-types.ts";

const deployment = { group: "apps", version: "v1", kind: "Deployment" };

const policy = (resources: readonly string[], ...expressions: readonly string[]) => ({
  spec: {
    matchConstraints: {
      resourceRules: [
        {
          operations: ["*" as const],
          apiGroups: ["apps"],
          apiVersions: ["v1"],
          resources: [...resources],
        },
      ],
    },
    validations: expressions.map((expression) => ({ expression })),
  },
});

test("checkPolicyTypes() warns about type errors", () => {
  const schema = findSchema("apps", "v1", "Deployment");
  const type = schema && declareKind(schema, "Deployment");
  const given = policy(["deployments"], "object.spec.replicas > 1", "object.spec.foo == 1");
  assert.deepEqual(runSteps(checkPolicyTypes(given, { kinds: [{ ...deployment, type }] })), [
    {
      fieldRef: "spec.validations[1].expression",
      warning:
        "apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'foo'\n | object.spec.foo == 1\n | ...........^\n",
    },
  ]);
});

test("kindsToCheck() omits resources that are not served or not named", () => {
  const known = new Map([["deployments", [deployment]]]);
  const kindsOf = (_: string, __: string, resource: string) => known.get(resource) ?? [];
  const cases: readonly (readonly [readonly string[], readonly KindName[]])[] = [
    [["deployments"], [deployment]],
    [["foos"], []],
    [["*"], []],
    [["deployments/status"], []],
    [["*/scale", "deployments", "foos"], [deployment]],
  ];
  for (const [resources, want] of cases) {
    assert.deepEqual(kindsToCheck(policy(resources), kindsOf), want, resources.join());
  }
});
