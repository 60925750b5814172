import type { Area, Case, Step } from "../case.ts";
import { objectOf } from "./create-each.ts";
import { sequence } from "./sequence.ts";
import { configMaps, create, merge, pods } from "./steps.ts";

const namespace = "/api/v1/namespaces/{ns}";
const container = { name: "c", image: "i", imagePullPolicy: "Never" };
const pod = (spec: object = {}, metadata: object = {}): object =>
  objectOf("v1", "Pod", { spec: { containers: [container], ...spec } }, { name: "a", ...metadata });
const later = (step: Step): Step => ({ ...step, waitSeconds: 1 });
const annotate = (annotations: object): Step => merge(namespace, { metadata: { annotations } });

const cases: Case[] = [
  sequence(
    "images: always pulled",
    create(
      pods,
      pod({
        initContainers: [{ ...container, name: "i" }],
        volumes: [{ name: "v", image: { reference: "r", pullPolicy: "Never" } }],
      }),
    ),
    merge(`${pods}/a`, { metadata: { labels: { a: "b" } } }),
  ),
  sequence(
    "nodes: selected by the namespace",
    annotate({ "scheduler.alpha.kubernetes.io/node-selector": "a=b,c=d" }),
    later(create(pods, pod({ nodeSelector: { e: "f" } }))),
    create(pods, pod({ nodeSelector: { a: "x" } }, { name: "b" })),
  ),
  sequence(
    "nodes: selector makes no sense",
    annotate({ "scheduler.alpha.kubernetes.io/node-selector": "a" }),
    later(create(pods, pod())),
  ),
  sequence(
    "tolerations: of the namespace",
    annotate({
      "scheduler.alpha.kubernetes.io/defaultTolerations":
        '[{"key":"a","operator":"Exists","effect":"NoSchedule"}]',
    }),
    later(create(pods, pod())),
    create(
      pods,
      pod(
        { tolerations: [{ key: "a", operator: "Equal", value: "b", effect: "NoSchedule" }] },
        { name: "b" },
      ),
    ),
  ),
  sequence(
    "tolerations: outside the whitelist",
    annotate({
      "scheduler.alpha.kubernetes.io/tolerationsWhitelist":
        '[{"key":"a","operator":"Exists","effect":"NoSchedule"}]',
    }),
    later(create(pods, pod())),
    create(pods, pod({ tolerations: [{ key: "b", operator: "Exists" }] }, { name: "b" })),
  ),
  sequence(
    "tolerations: memory pressure",
    create(pods, pod({ containers: [{ ...container, resources: { requests: { cpu: "1" } } }] })),
  ),
  sequence(
    "namespaces: made where missing",
    create("/api/v1/namespaces/made-{ns}/configmaps", objectOf("v1", "ConfigMap", {})),
    create(configMaps, objectOf("v1", "ConfigMap", {})),
  ),
];

/** Plugins that are off by default and apply to every pod. */
export const admissionExtrasArea: Area = {
  name: "admission-extras",
  flags: [
    "--authorization-mode=AlwaysAllow",
    "--disable-admission-plugins=ServiceAccount",
    "--enable-admission-plugins=AlwaysPullImages,PodNodeSelector,PodTolerationRestriction,NamespaceExists,NamespaceAutoProvision",
  ],
  cases,
};
