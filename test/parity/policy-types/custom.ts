import { checks, deployments, group, type PolicyCase, rule, widgets } from "./policy-case.ts";

/** Expressions about custom kinds. */
export const policiesOfCustomKinds: readonly PolicyCase[] = [
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
