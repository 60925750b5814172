import { checks, deployments, type PolicyCase, rule } from "./policy-case.ts";

/** Rules that name kinds in several ways. */
export const policiesOfKinds: readonly PolicyCase[] = [
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
