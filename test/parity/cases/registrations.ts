import type { Area, Case } from "../case.ts";
import { createEach, objectOf } from "./create-each.ts";
import { changed, sequence } from "./sequence.ts";
import { create, merge, read, update } from "./steps.ts";

const group = "/apis/admissionregistration.k8s.io/v1";
const apiVersion = "admissionregistration.k8s.io/v1";
const hooks = `${group}/validatingwebhookconfigurations`;
const mutatingHooks = `${group}/mutatingwebhookconfigurations`;
const policies = `${group}/validatingadmissionpolicies`;
const bindings = `${group}/validatingadmissionpolicybindings`;
const mutations = `${group}/mutatingadmissionpolicies`;
const mutationBindings = `${group}/mutatingadmissionpolicybindings`;

const rule = { operations: ["CREATE"], apiGroups: ["a"], apiVersions: ["v1"], resources: ["b"] };
const goodHook = {
  name: "a.example.com",
  clientConfig: { url: "https://127.0.0.1:1/a" },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  rules: [rule],
};
const configured = (...webhooks: object[]): object =>
  objectOf(apiVersion, "ValidatingWebhookConfiguration", { webhooks }, { name: "{ns}" });
const mutating = (...webhooks: object[]): object =>
  objectOf(apiVersion, "MutatingWebhookConfiguration", { webhooks }, { name: "{ns}" });
const hook = (change: object): object => configured({ ...goodHook, ...change });
const ruled = (change: object): object => hook({ rules: [{ ...rule, ...change }] });
const condition = (expression: string, name = "a"): object =>
  hook({ matchConditions: [{ name, expression }] });
const table = (path: string) => ({
  ...read(path),
  headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" },
});

const hookCases: Case[] = [
  ...createEach(hooks, {
    "hook: none": configured(),
    "hook: good": configured(goodHook),
    "hook: empty": configured({}),
    "hook: short name": hook({ name: "a.b" }),
    "hook: bad name": hook({ name: "A_.b.c" }),
    "hook: twice": configured(goodHook, goodHook),
    "hook: no client": hook({ clientConfig: {} }),
    "hook: two clients": hook({
      clientConfig: { url: "https://a", service: { name: "a", namespace: "b" } },
    }),
    "hook: url": hook({ clientConfig: { url: "http://u:p@a/b?c=d#e" } }),
    "hook: url without host": hook({ clientConfig: { url: "https:///a" } }),
    "hook: service": hook({
      clientConfig: { service: { name: "", namespace: "b", port: 0, path: "a//b" } },
    }),
    "hook: service without namespace": hook({
      clientConfig: { service: { name: "a", namespace: "", port: 70000, path: "//" } },
    }),
    "hook: good service": hook({ clientConfig: { service: { name: "a", namespace: "b" } } }),
    "hook: enumerations": hook({
      failurePolicy: "a",
      matchPolicy: "b",
      sideEffects: "Some",
      timeoutSeconds: 31,
    }),
    "hook: no timeout": hook({ timeoutSeconds: 0, sideEffects: undefined }),
    "hook: selectors": hook({
      namespaceSelector: { matchLabels: { "a b": "c d" } },
      objectSelector: { matchExpressions: [{ key: "a", operator: "In" }] },
    }),
    "hook: review versions": hook({ admissionReviewVersions: ["v2", "v2", "A"] }),
    "hook: no review versions": hook({ admissionReviewVersions: [] }),
    "hook: empty rule": hook({ rules: [{}] }),
    "hook: wildcards": ruled({
      operations: ["*", "CREATE"],
      apiGroups: ["*", "a"],
      apiVersions: ["*", ""],
      resources: ["*", "a", "*/*", "b/*", "b/c", "*/d", "e/d", ""],
    }),
    "hook: operation": ruled({ operations: ["FLY"], scope: "World" }),
    "hook: excluded resource": ruled({
      apiGroups: ["authentication.k8s.io"],
      resources: ["tokenreviews"],
    }),
    "hook: static name": objectOf(
      apiVersion,
      "ValidatingWebhookConfiguration",
      { webhooks: [] },
      { name: "{ns}.static.k8s.io" },
    ),
    "condition: good": condition("object.metadata.name == 'a'"),
    "condition: syntax": condition("object.metadata.name =="),
    "condition: type": condition("1"),
    "condition: unknown": condition("foo.bar"),
    "condition: params": condition("params.a == 1"),
    "condition: variables": condition("variables.a == 1"),
    "condition: authorizer": condition("authorizer.requestResource.check('get').allowed()"),
    "condition: empty": condition("  ", ""),
    "condition: name": condition("true", "a b"),
    "condition: twice": hook({
      matchConditions: [
        { name: "a", expression: "true" },
        { name: "a", expression: "false" },
      ],
    }),
    "condition: many": hook({
      matchConditions: Array.from({ length: 65 }, (_, n) => ({
        name: `a${n}`,
        expression: "true",
      })),
    }),
  }),
  ...createEach(mutatingHooks, {
    "mutating hook: good": mutating(goodHook),
    "mutating hook: reinvocation": mutating({ ...goodHook, reinvocationPolicy: "a" }),
  }),
  sequence(
    "hook: changed",
    create(hooks, configured(goodHook)),
    merge(`${hooks}/{ns}`, { metadata: { labels: { a: "b" } } }),
    merge(`${hooks}/{ns}`, { webhooks: [{ ...goodHook, timeoutSeconds: 3 }] }),
    merge(`${hooks}/{ns}`, { webhooks: [{ ...goodHook, sideEffects: "Some" }] }),
    update(`${hooks}/{ns}`, configured(goodHook)),
    table(`${hooks}/{ns}`),
  ),
];

const constraints = { resourceRules: [rule] };
const policy = (spec: object): object =>
  objectOf(
    apiVersion,
    "ValidatingAdmissionPolicy",
    { spec: { matchConstraints: constraints, ...spec } },
    { name: "{ns}" },
  );
const validations = (...list: object[]): object => policy({ validations: list });
const mutation = (spec: object): object =>
  objectOf(
    apiVersion,
    "MutatingAdmissionPolicy",
    { spec: { matchConstraints: constraints, reinvocationPolicy: "Never", ...spec } },
    { name: "{ns}" },
  );
const jsonPatch = (expression: string): object =>
  mutation({ mutations: [{ patchType: "JSONPatch", jsonPatch: { expression } }] });
const applied = (expression: string): object =>
  mutation({
    mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: { expression } }],
  });

const policyCases: Case[] = [
  ...createEach(policies, {
    "policy: empty": objectOf(apiVersion, "ValidatingAdmissionPolicy", {}, { name: "{ns}" }),
    "policy: good": validations({ expression: "object.a == 1" }),
    "policy: nothing": policy({}),
    "policy: enumerations": policy({
      failurePolicy: "a",
      matchConstraints: { ...constraints, matchPolicy: "b" },
      validations: [{ expression: "true", reason: "Because" }],
    }),
    "policy: no rules": policy({ matchConstraints: {}, validations: [{ expression: "true" }] }),
    "policy: rules": policy({
      matchConstraints: {
        resourceRules: [{ ...rule, resourceNames: ["a", "a", "b/c"] }],
        excludeResourceRules: [{}],
        objectSelector: { matchLabels: { "a b": "" } },
      },
      validations: [{ expression: "true" }],
    }),
    "policy: expressions": validations(
      { expression: "" },
      { expression: "object.a ==" },
      { expression: "1" },
      { expression: "foo" },
      { expression: "params.a" },
      { expression: "true", message: " ", messageExpression: " " },
      { expression: "true", message: "a\nb", messageExpression: "1" },
      { expression: "true", messageExpression: "authorizer.a" },
      { expression: "authorizer.requestResource.check('a').allowed()" },
      { expression: "'a'.foo()" },
    ),
    "policy: param kind": policy({
      paramKind: { apiVersion: "a/b/c", kind: "A b" },
      validations: [{ expression: "params.a == 1", messageExpression: "params.b" }],
    }),
    "policy: param kind's parts": policy({
      paramKind: { apiVersion: "A_/", kind: "" },
      validations: [{ expression: "true" }],
    }),
    "policy: no param kind": policy({ paramKind: {}, validations: [{ expression: "true" }] }),
    "policy: variables": policy({
      variables: [
        { name: "a", expression: "1" },
        { name: "b", expression: "variables.a + 1" },
        { name: "for", expression: "variables.c" },
        { name: "a-b", expression: " " },
        { name: "", expression: "object." },
      ],
      validations: [
        { expression: "variables.b == 2" },
        { expression: "variables.b == 'x'" },
        { expression: "variables.z == 1", messageExpression: "variables.a" },
      ],
    }),
    "policy: annotations": policy({
      auditAnnotations: [
        { key: "a", valueExpression: "'b'" },
        { key: "a", valueExpression: "null" },
        { key: "c d", valueExpression: " " },
        { key: "e", valueExpression: "1" },
        { key: "f", valueExpression: "object." },
      ],
    }),
    "policy: many annotations": policy({
      auditAnnotations: Array.from({ length: 21 }, (_, n) => ({
        key: `a${n}`,
        valueExpression: "'b'",
      })),
    }),
    "policy: condition": policy({
      matchConditions: [{ name: "a", expression: "variables.a" }],
      variables: [{ name: "a", expression: "true" }],
      validations: [{ expression: "true" }],
    }),
  }),
  ...createEach(mutations, {
    "mutation: empty": objectOf(apiVersion, "MutatingAdmissionPolicy", {}, { name: "{ns}" }),
    "mutation: nothing": mutation({}),
    "mutation: patch": jsonPatch("[JSONPatch{op: 'add', path: '/a', value: 1}]"),
    "mutation: patch's type": jsonPatch("'a'"),
    "mutation: patch's field": jsonPatch("[JSONPatch{foo: 'add'}]"),
    "mutation: no expression": jsonPatch(" "),
    "mutation: configuration": applied("Object{metadata: Object.metadata{labels: {'a': 'b'}}}"),
    "mutation: configuration's type": applied("{'a': 1}"),
    "mutation: types": mutation({
      mutations: [
        {},
        { patchType: "a" },
        { patchType: "JSONPatch", applyConfiguration: { expression: "Object{}" } },
        { patchType: "ApplyConfiguration", jsonPatch: { expression: "[]" } },
      ],
      reinvocationPolicy: "a",
    }),
    "mutation: operations": mutation({
      matchConstraints: { resourceRules: [{ ...rule, operations: ["DELETE", "a"] }] },
      mutations: [{ patchType: "JSONPatch", jsonPatch: { expression: "[]" } }],
    }),
  }),
  sequence(
    "policy: changed",
    create(policies, validations({ expression: "true" })),
    merge(`${policies}/{ns}`, { metadata: { labels: { a: "b" } } }),
    merge(`${policies}/{ns}`, { spec: { validations: [{ expression: "false" }] } }),
    merge(`${policies}/{ns}/status`, {
      status: { observedGeneration: 1, typeChecking: { expressionWarnings: [{}] } },
    }),
    merge(`${policies}/{ns}/status`, {
      status: {
        observedGeneration: 1,
        typeChecking: { expressionWarnings: [{ fieldRef: "spec.a[0]", warning: "a" }] },
      },
      spec: { validations: [] },
    }),
    table(`${policies}/{ns}`),
  ),
  sequence(
    "mutation: table",
    create(mutations, jsonPatch("[JSONPatch{op: 'remove', path: '/a'}]")),
    table(`${mutations}/{ns}`),
    update(
      `${mutations}/{ns}`,
      changed(0, ({ spec }) => {
        spec["reinvocationPolicy"] = "IfNeeded";
      }),
    ),
  ),
];

const binding = (spec: object): object =>
  objectOf(apiVersion, "ValidatingAdmissionPolicyBinding", { spec }, { name: "{ns}" });
const bound = (spec: object): object => binding({ policyName: "a", ...spec });
const mutationBinding = (spec: object): object =>
  objectOf(apiVersion, "MutatingAdmissionPolicyBinding", { spec }, { name: "{ns}" });
const validationActions = ["Deny"];

const bindingCases: Case[] = [
  ...createEach(bindings, {
    "binding: empty": binding({}),
    "binding: good": bound({ validationActions }),
    "binding: name": binding({ policyName: "A_", validationActions }),
    "binding: actions": bound({ validationActions: ["Deny", "Warn", "Deny", "Fly"] }),
    "binding: no actions": bound({ validationActions: [] }),
    "binding: empty params": bound({ validationActions, paramRef: {} }),
    "binding: params": bound({
      validationActions,
      paramRef: { name: "a/b", selector: {}, parameterNotFoundAction: "a" },
    }),
    "binding: selector": bound({
      validationActions,
      paramRef: { selector: { matchLabels: { "a b": "" } }, parameterNotFoundAction: "Allow" },
    }),
    "binding: resources": bound({ validationActions, matchResources: { resourceRules: [{}] } }),
  }),
  ...createEach(mutationBindings, {
    "mutation binding: empty": mutationBinding({}),
    "mutation binding: operations": mutationBinding({
      policyName: "a",
      matchResources: { resourceRules: [{ ...rule, operations: ["DELETE"] }] },
    }),
  }),
  sequence(
    "binding: changed",
    create(bindings, bound({ validationActions })),
    merge(`${bindings}/{ns}`, {
      spec: { paramRef: { name: "c", namespace: "d", parameterNotFoundAction: "Deny" } },
    }),
    table(`${bindings}/{ns}`),
    merge(`${bindings}/{ns}`, {
      spec: { paramRef: { name: null, selector: { matchLabels: { a: "b" } } } },
    }),
    table(`${bindings}/{ns}`),
  ),
];

/** Configurations of webhooks, and policies: which content is valid. */
export const registrationsArea: Area = {
  name: "registrations",
  cases: [...hookCases, ...policyCases, ...bindingCases],
};
