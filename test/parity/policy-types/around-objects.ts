import {
  checks,
  configMaps,
  deployments,
  group,
  type PolicyCase,
  pods,
  policy,
  using,
} from "./policy-case.ts";

/** Variables of expressions besides the object: the request, variables, parameters. */
export const policiesAroundObjects: readonly PolicyCase[] = [
  checks(
    "request",
    pods,
    "request.userInfo.username == object.spec.priority",
    "request.operation == object.spec.hostNetwork",
    "request.userInfo.groups.exists(g, g == object.spec.priority)",
    "request.userInfo.extra['a'] == object.spec.nodeName",
    "request.kind == object.spec",
    "request.dryRun == object.spec.nodeName",
  ),
  checks(
    "namespace",
    pods,
    "namespaceObject == object",
    "namespaceObject.metadata.labels.a == object.spec.priority",
    "namespaceObject.spec.finalizers == object.metadata.labels",
    "namespaceObject.metadata.creationTimestamp == object.metadata.name",
  ),
  checks(
    "authorizer",
    pods,
    "authorizer.group('').resource('pods').check('get').allowed() == object.spec.priority",
    "authorizer.requestResource.check('get').allowed()",
    "authorizer.group(object.spec.priority).resource('pods').check('get').allowed()",
  ),
  policy("messages", deployments, {
    validations: [
      {
        expression: "object.spec.replicas > 1",
        messageExpression: "'replicas: ' + object.spec.replicas",
      },
      { expression: "object.spec.foo > 1", messageExpression: "'foo: ' + object.spec.foo" },
      { expression: "true", messageExpression: "'name: ' + object.metadata.name", message: "m" },
      { expression: "true", messageExpression: "object.metadata.name + object.spec.replicas + ''" },
    ],
  }),
  using("conditions-are-not-checked", deployments, "true", {
    matchConditions: [{ name: "a", expression: "object.spec.foo == 1" }],
  }),
  using("annotations-are-not-checked", deployments, "true", {
    auditAnnotations: [{ key: "a", valueExpression: "object.spec.foo + ''" }],
  }),
  using("variable", deployments, "variables.replicas > '1'", {
    variables: [{ name: "replicas", expression: "object.spec.replicas" }],
  }),
  using("variable-of-objects", deployments, "variables.spec.foo > 1", {
    variables: [{ name: "spec", expression: "object.spec" }],
  }),
  using("variable-with-an-error", deployments, "variables.foo > 1 && object.spec.bar == 1", {
    variables: [{ name: "foo", expression: "object.spec.foo" }],
  }),
  using(
    "variable-of-names",
    deployments,
    "variables.names.exists(n, n == 1) && variables.labels['a'] == 1",
    {
      variables: [
        { name: "names", expression: "object.spec.template.spec.containers.map(c, c.name)" },
        { name: "labels", expression: "object.metadata.labels" },
      ],
    },
  ),
  using("variables-of-variables", deployments, "variables.b == object.metadata.name", {
    variables: [
      { name: "a", expression: "object.spec.replicas" },
      { name: "b", expression: "variables.a + 1" },
    ],
  }),
  using("variable-of-list-of-objects", deployments, "variables.containers.all(c, c.foo == 1)", {
    variables: [{ name: "containers", expression: "object.spec.template.spec.containers" }],
  }),
  policy("params", deployments, {
    paramKind: { apiVersion: "v1", kind: "ConfigMap" },
    failurePolicy: "Fail",
    validations: [
      { expression: "params.data.max == object.spec.replicas" },
      { expression: "params.foo == 1" },
      { expression: "params == null || params.data['x'] == 'y'" },
    ],
  }),
  policy("custom-params", deployments, {
    paramKind: { apiVersion: `${group}/v1`, kind: "Widget" },
    validations: [
      { expression: "object.spec.replicas < params.spec.size" },
      { expression: "object.metadata.name == params.spec.size" },
      { expression: "params.spec.foo == 1" },
    ],
  }),
  policy("unknown-params", deployments, {
    paramKind: { apiVersion: "nowhere.example.com/v1", kind: "Nothing" },
    validations: [{ expression: "params.anything == object.spec.foo" }],
  }),
  policy("params-of-the-same-kind", configMaps, {
    paramKind: { apiVersion: "v1", kind: "ConfigMap" },
    validations: [{ expression: "params == object" }, { expression: "params.data == object.data" }],
  }),
];
