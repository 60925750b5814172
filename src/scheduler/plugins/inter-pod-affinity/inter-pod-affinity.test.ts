import assert from "node:assert/strict";
import { test } from "node:test";
import { type Affinity, namespaces, type PodAffinityTerm } from "#/api/core/v1.ts";
import {
  filterTexts,
  occupied,
  scoresOf,
  testContext,
  testNode,
  testPlugin,
  testPod,
} from "#/testing/scheduler-objects.ts";
import { interPodAffinity } from "./inter-pod-affinity.ts";

const term = (app: string, more: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
  topologyKey: "zone",
  labelSelector: { matchLabels: { app } },
  ...more,
});
const near = (...terms: PodAffinityTerm[]): Affinity => ({
  podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms },
});
const apart = (...terms: PodAffinityTerm[]): Affinity => ({
  podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms },
});
const prefers = (weight: number, podAffinityTerm: PodAffinityTerm): Affinity => ({
  podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm }] },
});
const avoids = (weight: number, podAffinityTerm: PodAffinityTerm): Affinity => ({
  podAntiAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm }],
  },
});
const labelled = (app: string, affinity?: Affinity, namespace = "default") =>
  testPod(app, {
    metadata: { name: app, namespace, uid: `uid-${app}`, labels: { app } },
    spec: affinity ? { affinity } : {},
  });
const zone = (name: string, value: string, ...pods: ReturnType<typeof labelled>[]) =>
  occupied(testNode(name, { metadata: { labels: { zone: value } } }), pods);

const context = testContext([
  [
    namespaces,
    [{ metadata: { name: "default" } }, { metadata: { name: "other", labels: { team: "x" } } }],
  ],
]);
const plugin = testPlugin(interPodAffinity, {}, context);
const notNear = "node(s) didn't match pod affinity rules";
const notApart = "node(s) didn't match pod anti-affinity rules";
const refused = "node(s) didn't satisfy existing pods anti-affinity rules";

for (const { name, pod, nodes, texts } of [
  {
    name: "applies required affinity",
    pod: labelled("web", near(term("db"))),
    nodes: [
      zone("a1", "a", labelled("db")),
      zone("a2", "a"),
      zone("b1", "b"),
      occupied(testNode("bare")),
    ],
    texts: { a1: "", a2: "", b1: notNear, bare: notNear },
  },
  {
    name: "accepts every node for the first pod of a group",
    pod: labelled("web", near(term("web"))),
    nodes: [zone("a1", "a"), occupied(testNode("bare"))],
    texts: { a1: "", bare: notNear },
  },
  {
    name: "applies required anti-affinity",
    pod: labelled("web", apart(term("web"))),
    nodes: [zone("a1", "a", labelled("web")), zone("a2", "a"), zone("b1", "b")],
    texts: { a1: notApart, a2: notApart, b1: "" },
  },
  {
    name: "applies the required anti-affinity of other pods",
    pod: labelled("web"),
    nodes: [zone("a1", "a", labelled("db", apart(term("web")))), zone("b1", "b")],
    texts: { a1: refused, b1: "" },
  },
  {
    name: "matches pods of the pod's own namespace only",
    pod: labelled("web", apart(term("db"))),
    nodes: [zone("a1", "a", labelled("db", undefined, "other"))],
    texts: { a1: "" },
  },
  {
    name: "matches pods of the namespaces that a selector selects",
    pod: labelled("web", apart(term("db", { namespaceSelector: { matchLabels: { team: "x" } } }))),
    nodes: [zone("a1", "a", labelled("db", undefined, "other")), zone("b1", "b", labelled("db"))],
    texts: { a1: notApart, b1: "" },
  },
  {
    name: "reports invalid terms",
    pod: labelled(
      "web",
      near(term("db", { labelSelector: { matchExpressions: [{ key: "a", operator: "Odd" }] } })),
    ),
    nodes: [zone("a1", "a")],
    texts: 'parsing pod: requiredAffinityTerms: "Odd" is not a valid label selector operator',
  },
]) {
  test(`InterPodAffinity ${name}`, () => {
    assert.deepEqual(filterTexts(plugin, pod, nodes), texts);
  });
}

for (const { name, pod, nodes, scores } of [
  {
    name: "scores preferred affinity",
    pod: labelled("web", prefers(10, term("db"))),
    nodes: [zone("a1", "a", labelled("db")), zone("b1", "b")],
    scores: { a1: 100, b1: 0 },
  },
  {
    name: "scores preferred anti-affinity",
    pod: labelled("web", avoids(10, term("db"))),
    nodes: [zone("a1", "a", labelled("db")), zone("b1", "b")],
    scores: { a1: 0, b1: 100 },
  },
  {
    name: "scores the preferences of pods on the nodes",
    pod: labelled("web"),
    nodes: [
      zone("a1", "a", labelled("db", prefers(4, term("web")))),
      zone("b1", "b", labelled("cache", near(term("web")))),
      zone("c1", "c"),
    ],
    scores: { a1: 100, b1: 25, c1: 0 },
  },
  {
    name: "skips scoring if no pod has a preference",
    pod: labelled("web"),
    nodes: [zone("a1", "a", labelled("db"))],
    scores: undefined,
  },
]) {
  test(`InterPodAffinity ${name}`, () => {
    assert.deepEqual(scoresOf(plugin, pod, nodes), scores);
  });
}
