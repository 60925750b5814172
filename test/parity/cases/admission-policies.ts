import type { Area, Case, Step } from "../case.ts";
import { objectOf } from "./create-each.ts";
import { sequence } from "./sequence.ts";
import { configMaps, create, merge } from "./steps.ts";

const group = "/apis/admissionregistration.k8s.io/v1";
const apiVersion = "admissionregistration.k8s.io/v1";
/** The real server takes a second to observe a policy. */
const later = (step: Step): Step => ({ ...step, waitSeconds: 3 });
const map = (data?: object, name = "a"): object =>
  objectOf("v1", "ConfigMap", data ? { data } : {}, { name });
const here = { matchLabels: { "kubernetes.io/metadata.name": "{ns}" } };
const matchConstraints = {
  namespaceSelector: here,
  resourceRules: [
    { operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] },
  ],
};
const policy = (kind: string, spec: object): Step =>
  create(
    `${group}/${kind.toLowerCase()}admissionpolicies`,
    objectOf(
      apiVersion,
      `${kind}AdmissionPolicy`,
      { spec: { matchConstraints, ...spec } },
      { name: "{ns}" },
    ),
  );
const binding = (kind: string, spec: object): Step =>
  create(
    `${group}/${kind.toLowerCase()}admissionpolicybindings`,
    objectOf(
      apiVersion,
      `${kind}AdmissionPolicyBinding`,
      { spec: { policyName: "{ns}", ...spec } },
      { name: "{ns}" },
    ),
  );
const validated = (name: string, spec: object, bound: object, ...steps: Step[]): Case =>
  sequence(
    name,
    policy("Validating", spec),
    binding("Validating", { validationActions: ["Deny"], ...bound }),
    ...steps,
  );
const mutated = (name: string, mutation: object, ...steps: Step[]): Case =>
  sequence(
    name,
    policy("Mutating", { reinvocationPolicy: "Never", ...mutation }),
    binding("Mutating", {}),
    ...steps,
  );
const jsonPatch = (expression: string): object => ({
  mutations: [{ patchType: "JSONPatch", jsonPatch: { expression } }],
});
const applied = (...expressions: string[]): object => ({
  mutations: expressions.map((expression) => ({
    patchType: "ApplyConfiguration",
    applyConfiguration: { expression },
  })),
});

const validatingCases: Case[] = [
  validated(
    "validating: expressions",
    {
      validations: [
        { expression: "object.data.a != 'plain'" },
        { expression: "object.data.a != 'message'", message: "no message" },
        {
          expression: "object.data.a != 'evaluated'",
          message: "no",
          messageExpression: "'got ' + object.data.a",
        },
        { expression: "object.data.a != 'forbidden'", reason: "Forbidden" },
        { expression: "object.data.a != 'large'", reason: "RequestEntityTooLarge" },
        { expression: "object.data.a != 'fault' || object.data.b == ''" },
      ],
    },
    {},
    later(create(configMaps, map({ a: "plain" }))),
    create(configMaps, map({ a: "message" })),
    create(configMaps, map({ a: "evaluated" })),
    create(configMaps, map({ a: "forbidden" })),
    create(configMaps, map({ a: "large" })),
    create(configMaps, map({ a: "fault" })),
    create(configMaps, map()),
    create(configMaps, map({ a: "fine" })),
    merge(`${configMaps}/a`, { data: { a: "plain" } }),
  ),
  validated(
    "validating: deletes",
    { validations: [{ expression: "request.operation != 'DELETE' || oldObject.data.a == 'go'" }] },
    {},
    later(create(configMaps, map({ a: "stay" }))),
    { method: "DELETE", path: `${configMaps}/a` },
    merge(`${configMaps}/a`, { data: { a: "go" } }),
    { method: "DELETE", path: `${configMaps}/a` },
  ),
  validated(
    "validating: warnings",
    { validations: [{ expression: "false", message: "hm" }] },
    { validationActions: ["Warn", "Audit"] },
    later(create(configMaps, map())),
  ),
  validated(
    "validating: parameters",
    {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      matchConditions: [{ name: "others", expression: "object.metadata.name != 'limits'" }],
      validations: [
        {
          expression: "size(object.data) <= int(params.data.most)",
          messageExpression: "'at most ' + params.data.most",
        },
      ],
    },
    { paramRef: { name: "limits", parameterNotFoundAction: "Deny" } },
    later(create(configMaps, map({ a: "b" }))),
  ),
  validated(
    "validating: unknown parameters",
    {
      paramKind: { apiVersion: "example.com/v1", kind: "Nothing" },
      validations: [{ expression: "true" }],
    },
    { paramRef: { name: "limits", parameterNotFoundAction: "Deny" } },
    later(create(configMaps, map({ a: "b" }))),
  ),
  validated(
    "validating: failures ignored",
    { failurePolicy: "Ignore", validations: [{ expression: "object.data.a == 'b'" }] },
    {},
    later(create(configMaps, map())),
    create(configMaps, map({ a: "c" }, "b")),
  ),
  validated(
    "validating: what is known",
    {
      variables: [{ name: "who", expression: "request.userInfo.username" }],
      validations: [
        {
          expression: "object.data.a != 'x'",
          messageExpression:
            "variables.who + ' ' + request.resource.resource + ' ' + string(has(request.subResource)) + ' ' + request.options.kind + ' ' + namespaceObject.metadata.name + ' ' + string(oldObject == null) + ' ' + string(has(request.name)) + ' ' + string(size(request.userInfo.groups)) + ' ' + string(has(request.userInfo.extra)) + ' ' + string(has(request.object)) + ' ' + string(has(object.metadata.uid)) + ' ' + object.kind",
        },
      ],
    },
    {},
    later(create(configMaps, map({ a: "x" }))),
  ),
];

const mutatingCases: Case[] = [
  mutated(
    "mutating: patch",
    jsonPatch("[JSONPatch{op: 'add', path: '/data', value: {'who': request.userInfo.username}}]"),
    later(create(configMaps, map())),
  ),
  mutated(
    "mutating: patch's test",
    jsonPatch(
      "[JSONPatch{op: 'test', path: '/metadata/name', value: 'x'}, JSONPatch{op: 'add', path: '/data', value: {}}]",
    ),
    later(create(configMaps, map())),
  ),
  mutated(
    "mutating: patch does not apply",
    jsonPatch("[JSONPatch{op: 'remove', path: '/data/x'}]"),
    later(create(configMaps, map())),
    create(configMaps, map({ a: "b" })),
  ),
  mutated(
    "mutating: configurations",
    applied(
      "Object{metadata: Object.metadata{labels: {'a': 'b'}}}",
      "Object{data: {'c': object.metadata.labels.a}}",
    ),
    later(create(configMaps, map())),
    merge(`${configMaps}/a`, { data: { c: "d" } }),
  ),
  mutated(
    "mutating: atomic",
    applied(
      "Object{metadata: Object.metadata{ownerReferences: [Object.metadata.ownerReferences{name: 'x', uid: 'y'}]}}",
    ),
    later(create(configMaps, map())),
  ),
  mutated("mutating: unknown field", applied("Object{foo: 'x'}"), later(create(configMaps, map()))),
  mutated(
    "mutating: expression fails",
    applied("Object{data: {'a': object.data.b}}"),
    later(create(configMaps, map())),
  ),
  mutated(
    "mutating: condition fails",
    {
      ...applied("Object{data: {'a': 'b'}}"),
      matchConditions: [{ name: "c", expression: "object.data.x == 'y'" }],
    },
    later(create(configMaps, map())),
    create(configMaps, map({ x: "z" })),
  ),
];

/** Messages and effects of policies written in CEL. */
export const admissionPoliciesArea: Area = {
  name: "admission-policies",
  cases: [...validatingCases, ...mutatingCases],
};
