/** ValidatingAdmissionPolicies whose expressions do or don't fit the objects that they are about, and custom kinds. */

/** A policy, by the name it gets. */
export interface PolicyCase {
  readonly name: string;
  readonly spec: object;
}

const group = "types.example.com";
const text = { type: "string" };

const widgetSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["size"],
      properties: {
        size: { type: "integer", minimum: 0, default: 1 },
        ratio: { type: "number" },
        color: { type: "string", enum: ["red", "blue"] },
        port: { "x-kubernetes-int-or-string": true },
        due: { type: "string", format: "date-time" },
        wait: { type: "string", format: "duration" },
        blob: { type: "string", format: "byte" },
        names: { type: "array", items: text },
        notes: { type: "object", additionalProperties: text },
        parts: {
          type: "array",
          items: { type: "object", properties: { name: text, weight: { type: "integer" } } },
        },
        "with-dash": text,
        namespace: text,
        open: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        template: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
      },
    },
    status: { type: "object", properties: { ready: { type: "boolean" } } },
  },
};

const openSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

function definition(kind: string, openAPIV3Schema: object): object {
  const singular = kind.toLowerCase();
  const plural = `${singular}s`;
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, singular, kind },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

/** The kinds that policies are about, besides those that are built in. */
export const definitions: readonly object[] = [
  definition("Widget", widgetSchema),
  definition("Loose", openSchema),
];

const rule = (apiGroup: string, version: string, ...resources: readonly string[]) => ({
  apiGroups: [apiGroup],
  apiVersions: [version],
  operations: ["*"],
  resources,
});

const deployments = rule("apps", "v1", "deployments");
const configMaps = rule("", "v1", "configmaps");
const pods = rule("", "v1", "pods");
const widgets = rule(group, "v1", "widgets");

/** A policy of some expressions. */
function checks(
  name: string,
  rules: object | readonly object[],
  ...expressions: readonly string[]
): PolicyCase {
  const validations = expressions.map((expression) => ({ expression }));
  return policy(name, rules, { validations });
}

function policy(name: string, rules: object | readonly object[], spec: object): PolicyCase {
  const resourceRules = Array.isArray(rules) ? rules : [rules];
  return { name, spec: { matchConstraints: { resourceRules }, ...spec } };
}

/** A policy of one expression, and something it uses. */
const using = (name: string, rules: object, expression: string, spec: object): PolicyCase =>
  policy(name, rules, { validations: [{ expression }], ...spec });

const kinds: readonly PolicyCase[] = [
  checks("fits", deployments, "object.spec.replicas > 1", "has(object.spec.replicas)"),
  checks("no-such-field", deployments, "object.spec.foo == 1", "object.foo.bar == 1"),
  checks("other-type", deployments, "object.spec.replicas > '1'", "object.spec.paused == 'no'"),
  checks(
    "one-of-two",
    [rule("apps", "v1", "deployments", "daemonsets")],
    "object.spec.replicas > 1",
  ),
  checks("all-of-two", [deployments, rule("batch", "v1", "jobs")], "object.spec.nothing > 1"),
  checks("singular", rule("apps", "v1", "deployment"), "object.spec.foo > 1"),
  checks("capitals", rule("apps", "v1", "Deployments"), "object.spec.foo > 1"),
  checks("not-served", rule("apps", "v1", "foos"), "object.spec.foo > 1"),
  checks("other-version", rule("apps", "v1beta1", "deployments"), "object.spec.foo > 1"),
  checks("wildcard-group", rule("*", "v1", "deployments"), "object.spec.foo > 1"),
  checks("wildcard-version", rule("apps", "*", "deployments"), "object.spec.foo > 1"),
  checks("wildcard-resource", rule("apps", "v1", "*"), "object.spec.foo > 1"),
  checks("subresource", rule("apps", "v1", "deployments/status"), "object.spec.foo > 1"),
  checks("subresource-too", rule("apps", "v1", "*/scale", "deployments"), "object.spec.foo > 1"),
  checks("core-means-any-group", rule("", "v1", "events"), "object.message.foo > 1"),
  checks(
    "too-many-kinds",
    [
      rule(
        "",
        "v1",
        "pods",
        "configmaps",
        "secrets",
        "services",
        "nodes",
        "namespaces",
        "endpoints",
      ),
      rule("apps", "v1", "deployments", "daemonsets", "statefulsets", "replicasets"),
    ],
    "object.foo == 1",
  ),
  checks(
    "ten-kinds-of-a-rule",
    [
      rule(
        ...([
          "",
          "v1",
          "pods",
          "configmaps",
          "secrets",
          "services",
          "nodes",
          "namespaces",
        ] as const),
        ...([
          "endpoints",
          "limitranges",
          "podtemplates",
          "resourcequotas",
          "serviceaccounts",
        ] as const),
      ),
      deployments,
    ],
    "object.foo == 1",
  ),
  checks(
    "recursive",
    rule("apiextensions.k8s.io", "v1", "customresourcedefinitions"),
    "object.spec.versions[0].schema.openAPIV3Schema.type == 1",
    "object.spec.versions[0].schema.openAPIV3Schema.items.type == 1",
    "object.spec.versions.all(v, v.schema.openAPIV3Schema.properties['a'].type == '')",
  ),
  checks("aggregated", rule("apiregistration.k8s.io", "v1", "apiservices"), "object.spec.foo == 1"),
  checks(
    "beta-kinds",
    rule("admissionregistration.k8s.io", "v1", "mutatingadmissionpolicies"),
    "object.spec.foo == 1",
  ),
];

const expressions: readonly PolicyCase[] = [
  checks(
    "lists",
    deployments,
    "object.spec.template.spec.containers.all(c, c.image.startsWith('a'))",
    "object.spec.template.spec.containers.all(c, c.imag.startsWith('a'))",
    "object.spec.template.spec.containers.exists(c, c.image > 1)",
    "object.spec.template.spec.containers.name == 'a'",
    "object.spec[0] == 1",
    "1 in object.metadata.finalizers",
    "object.spec.template.spec.containers + object.metadata.finalizers == []",
    "object.metadata.finalizers.map(f, f + 1).size() > 0",
  ),
  checks(
    "maps",
    configMaps,
    "object.data.x == 1",
    "object.data['x'] == 1",
    "object.data[1] == 'x'",
    "'x' in object.data && 1 in object.data",
    "object.metadata.labels.all(k, k > 1)",
    "object.metadata.labels.foo.bar == ''",
  ),
  checks(
    "quantities",
    pods,
    "object.spec.containers[0].resources.limits.cpu == '1'",
    "has(object.spec.containers[0].resources.requests)",
  ),
  checks(
    "int-or-string",
    deployments,
    "object.spec.strategy.rollingUpdate.maxSurge == 1",
    "object.spec.strategy.rollingUpdate.maxSurge.startsWith('1')",
  ),
  checks(
    "times",
    deployments,
    "object.metadata.creationTimestamp > '2020-01-01T00:00:00Z'",
    "object.metadata.creationTimestamp > timestamp('2020-01-01T00:00:00Z')",
    "object.metadata.creationTimestamp.getFullYear() == object.metadata.name",
  ),
  checks(
    "bytes",
    rule("", "v1", "secrets"),
    "object.data['a'] == 'b'",
    "object.data['a'] == b'b'",
    "object.stringData.a == b'b'",
  ),
  checks(
    "any-fields",
    rule("apps", "v1", "controllerrevisions"),
    "object.data.foo == 1",
    "object.revision == ''",
    "object.metadata.managedFields[0].fieldsV1.foo == 1",
  ),
  checks(
    "old-object",
    deployments,
    "oldObject.spec.foo == 1",
    "oldObject == null || oldObject.spec.replicas == ''",
    "object == oldObject",
  ),
  checks(
    "optionals",
    deployments,
    "object.?spec.?foo.orValue(1) == 1",
    "object.?spec.?replicas.orValue('') == ''",
    "object.spec.?replicas.hasValue() == object.spec.replicas",
  ),
  checks("presence", deployments, "has(object.spec.foo)", "has(object.metadata.labels.foo)"),
  checks(
    "choices",
    deployments,
    "(object.spec.replicas > 0 ? object.metadata.name : object.spec.replicas) == ''",
  ),
  checks(
    "members",
    deployments,
    "object.spec.replicas.startsWith('1')",
    "object.metadata.name.size() == object.kind",
    "object.metadata.name.matches(object.spec.replicas)",
  ),
  checks(
    "types",
    deployments,
    "type(object.spec.replicas) == string",
    "type(object.spec) == object.spec.replicas",
    "string(object.spec) == ''",
    "int(object.spec.paused) == 1",
  ),
  checks("dynamic", deployments, "dyn(object).foo == 1", "dyn(object.spec.replicas) == ''"),
  checks(
    "several-errors",
    deployments,
    "object.spec.foo == 1 && object.spec.bar == 2 || object.metadata.name > 1",
  ),
  checks("several-lines", deployments, "object.spec.replicas > 1 &&\n  object.spec.foo\n    == 1"),
  checks("wide-letters", deployments, "object.metadata.name == 'äöü日本' && object.spec.foo == 1"),
  checks(
    "arithmetic",
    deployments,
    "object.spec.replicas + 1.5 > 2.0",
    "-object.metadata.name == ''",
    "!object.spec.replicas",
    "object.spec.replicas == 1 || object.metadata.name",
  ),
  checks(
    "reserved-words",
    rule("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations"),
    "object.webhooks[0].clientConfig.service.namespace == 1",
    "object.webhooks[0].clientConfig.service.__namespace__ == 1",
  ),
  checks(
    "quantity-library",
    pods,
    "quantity(object.spec.nodeName).isGreaterThan(object.spec.priority)",
    "object.spec.containers.map(c, c.name).isSorted() == object.spec.nodeName",
  ),
];

const surroundings: readonly PolicyCase[] = [
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

const custom: readonly PolicyCase[] = [
  checks(
    "widgets",
    widgets,
    "object.spec.size > 1",
    "object.spec.size > ''",
    "object.spec.ratio > 1",
    "object.spec.color == 1",
    "object.spec.port.startsWith('a')",
    "object.spec.due > '2020-01-01T00:00:00Z'",
    "object.spec.wait > duration('1s') && object.spec.wait == '1s'",
    "object.spec.blob == 'a'",
    "object.spec.names.all(n, n == 1)",
    "object.spec.notes['a'] == 1",
    "object.spec.parts.all(p, p.weight == '')",
    "object.spec.parts.all(p, p.height == 1)",
    "object.spec.with__dash__dash == 1",
    "object.spec.namespace == 1",
    "object.status.ready == 1",
  ),
  checks(
    "open-widgets",
    widgets,
    "object.spec.open.anything == 1",
    "object.spec.template.kind == 1",
    "object.spec.template.metadata.name == 1",
    "object.spec.template.metadata.labels.a == 1",
    "object.spec.template.spec.a == 1",
  ),
  checks(
    "metadata-of-widgets",
    widgets,
    "object.metadata.labels.a == 1",
    "object.metadata.foo == 1",
    "object.kind == 1",
    "object.apiVersion == 1",
  ),
  checks("loose", rule(group, "v1", "looses"), "object.spec.foo == 1", "object.metadata.name == 1"),
  checks(
    "custom-and-built-in",
    [widgets, deployments],
    "object.spec.size == object.spec.replicas",
    "object.metadata.name == 1",
  ),
];

export const policies: readonly PolicyCase[] = [
  ...kinds,
  ...expressions,
  ...surroundings,
  ...custom,
];

/** A status without what differs between runs: upstream puts a moment's number behind the name of each type. */
export function settled(status: unknown): unknown {
  const withoutNumbers = JSON.stringify(status).replaceAll(/\b([A-Z][A-Za-z]+)\d+\b/g, "$1#");
  return JSON.parse(withoutNumbers) as unknown;
}
