/** Cases: staging/src/k8s.io/apiextensions-apiserver/pkg/controller/{establish,nonstructuralschema,apiapproval}. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  JSONSchemaProps,
} from "#/api/apiextensions/v1.ts";
import { planStatus } from "./plan-status.ts";

const now = "2001-09-09T01:46:40Z";
const names: CustomResourceDefinitionNames = {
  plural: "tests",
  singular: "test",
  kind: "Test",
  listKind: "TestList",
};

interface Facts {
  readonly group?: string;
  readonly annotations?: Record<string, string>;
  readonly schema?: JSONSchemaProps;
  readonly status?: CustomResourceDefinition["status"];
}

const crd = ({
  group = "example.com",
  annotations,
  schema,
  status,
}: Facts): CustomResourceDefinition => ({
  metadata: { name: `tests.${group}`, ...(annotations ? { annotations } : {}) },
  spec: {
    group,
    names,
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: schema ?? { type: "object" } },
      },
    ],
  },
  ...(status ? { status } : {}),
});

/** Conditions as text: "Established=True InitialNamesAccepted". */
const conditionsOf = (
  object: CustomResourceDefinition,
  taken: readonly CustomResourceDefinitionNames[] = [],
): string[] =>
  (planStatus(object, taken, now).conditions ?? []).map(
    ({ type, status, reason }) => `${type}=${status} ${reason}`,
  );

const accepted = "NamesAccepted=True NoConflicts";
const established = "Established=True InitialNamesAccepted";
const approval = "api-approved.kubernetes.io";

const cases: readonly {
  readonly name: string;
  readonly facts: Facts;
  readonly taken?: readonly CustomResourceDefinitionNames[];
  readonly conditions: readonly string[];
}[] = [
  { name: "is new", facts: {}, conditions: [accepted, established] },
  {
    name: "requests a name that is taken",
    facts: {},
    taken: [{ plural: "other", kind: "Test" }],
    conditions: ["NamesAccepted=False KindConflict", "Established=False NotAccepted"],
  },
  {
    name: "has a schema without a type",
    facts: { schema: {} },
    conditions: [accepted, established, "NonStructuralSchema=True Violations"],
  },
  {
    name: "is in a protected group without approval",
    facts: { group: "test.k8s.io" },
    conditions: [
      accepted,
      established,
      "KubernetesAPIApprovalPolicyConformant=False MissingAnnotation",
    ],
  },
  {
    name: "is in a protected group with approval",
    facts: {
      group: "test.k8s.io",
      annotations: { [approval]: "https://github.com/kubernetes/kubernetes/pull/78458" },
    },
    conditions: [
      accepted,
      established,
      "KubernetesAPIApprovalPolicyConformant=True ApprovedAnnotation",
    ],
  },
  {
    name: "is in a protected group and says that it is not approved",
    facts: { group: "test.k8s.io", annotations: { [approval]: "unapproved, experimental-only" } },
    conditions: [
      accepted,
      established,
      "KubernetesAPIApprovalPolicyConformant=False UnapprovedAnnotation",
    ],
  },
  {
    name: "is in a protected group with an invalid annotation",
    facts: { group: "test.k8s.io", annotations: { [approval]: "yes" } },
    conditions: [
      accepted,
      established,
      "KubernetesAPIApprovalPolicyConformant=False InvalidAnnotation",
    ],
  },
];

for (const { name, facts, taken, conditions } of cases) {
  test(`planStatus() of a CRD that ${name}`, () => {
    assert.deepEqual(conditionsOf(crd(facts), taken), conditions);
  });
}

test("planStatus() changes nothing of a CRD that is up to date", () => {
  const first = planStatus(crd({}), [], now);
  assert.deepEqual(planStatus(crd({ status: first }), [], "2002-02-02T02:02:02Z"), first);
});

test("planStatus() removes a condition that no longer holds", () => {
  const broken = planStatus(crd({ schema: {} }), [], now);
  assert.deepEqual(conditionsOf(crd({ status: broken })), [accepted, established]);
});
