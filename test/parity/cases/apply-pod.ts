import type { Case, Step } from "../case.ts";
import { sequence } from "./sequence.ts";
import {
  apply,
  autoscalersV1,
  autoscalersV2,
  create,
  merge,
  pods,
  read,
  services,
  strategic,
} from "./steps.ts";

const servicePath = `${services}/s`;
const service = (spec: object) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "s" },
  spec,
});
const onService = (manager: string, spec: object, force?: boolean): Step =>
  apply(servicePath, service(spec), force === undefined ? { manager } : { manager, force });
const headless = { clusterIP: "None" };

/** Services, whose ports have two keys. */
export const serviceCases: readonly Case[] = [
  sequence(
    "service creates",
    onService("a", { ...headless, ports: [{ port: 80 }], selector: { app: "s" } }),
  ),
  sequence(
    "service ports",
    onService("a", { ...headless, ports: [{ port: 80, name: "a" }] }),
    onService("b", { ports: [{ port: 81, name: "b" }] }),
    onService("a", { ...headless, ports: [{ port: 82, name: "a" }] }),
  ),
  sequence(
    "service two protocols",
    onService("a", {
      ...headless,
      ports: [
        { port: 53, name: "t" },
        { port: 53, protocol: "UDP", name: "u" },
      ],
    }),
    onService("b", { ports: [{ port: 53, protocol: "UDP", targetPort: "dns" }] }),
    onService("b", { ports: [{ port: 53, protocol: "UDP", targetPort: "dns" }] }, true),
  ),
  sequence(
    "service selector is atomic",
    onService("a", { ...headless, ports: [{ port: 80 }], selector: { app: "s" } }),
    onService("b", { selector: { tier: "x" } }),
  ),
  sequence(
    "service cluster address is not owned",
    onService("a", { ports: [{ port: 80 }] }),
    onService("a", { ports: [{ port: 80 }], sessionAffinity: "ClientIP" }),
  ),
  sequence(
    "service created by POST",
    create(services, service({ ports: [{ port: 80 }], selector: { app: "s" } }), { manager: "c" }),
    merge(servicePath, { spec: { ports: [{ port: 81 }] } }, { manager: "m" }),
  ),
  sequence(
    "service status",
    create(
      services,
      service({
        type: "LoadBalancer",
        allocateLoadBalancerNodePorts: false,
        ports: [{ port: 80 }],
      }),
      { manager: "c" },
    ),
    merge(
      `${servicePath}/status`,
      { status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } } },
      { manager: "cloud" },
    ),
    apply(
      `${servicePath}/status`,
      {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "s" },
        status: { loadBalancer: { ingress: [{ ip: "1.2.3.5" }] } },
      },
      { manager: "x" },
    ),
  ),
];

const podPath = `${pods}/p`;
const pod = (spec: object, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", ...metadata },
  spec,
});
const plainPod = pod({ containers: [{ name: "a", image: "a:1" }] });
const ready = (status: string) => ({
  type: "Ready",
  status,
  lastProbeTime: null,
  lastTransitionTime: "2019-01-01T00:00:00Z",
});
/** Pods and their subresources. */
export const podCases: readonly Case[] = [
  sequence("pod creates", apply(podPath, plainPod, { manager: "a" })),
  sequence(
    "pod created by POST",
    create(
      pods,
      pod(
        {
          containers: [
            {
              name: "a",
              image: "a:1",
              env: [{ name: "E", value: "1" }],
              ports: [{ containerPort: 80 }],
              volumeMounts: [{ name: "v", mountPath: "/v" }],
              livenessProbe: { httpGet: { path: "/", port: 80 } },
            },
          ],
          volumes: [{ name: "v", emptyDir: {} }],
          tolerations: [{ key: "k", operator: "Exists" }],
        },
        { labels: { a: "1" } },
      ),
      { manager: "c" },
    ),
  ),
  sequence(
    "pod status",
    create(pods, plainPod, { manager: "c" }),
    strategic(
      `${podPath}/status`,
      {
        status: {
          phase: "Running",
          podIP: "10.1.0.1",
          podIPs: [{ ip: "10.1.0.1" }],
          conditions: [ready("True")],
          containerStatuses: [
            {
              name: "a",
              image: "a:1",
              imageID: "x",
              ready: true,
              restartCount: 0,
              state: { running: { startedAt: "2019-01-01T00:00:00Z" } },
            },
          ],
        },
      },
      { manager: "kubelet" },
    ),
    strategic(
      `${podPath}/status`,
      { status: { conditions: [ready("False")] } },
      { manager: "kubelet" },
    ),
    strategic(
      `${podPath}/status`,
      { status: { conditions: [{ type: "Other", status: "True" }] } },
      { manager: "other" },
    ),
  ),
  sequence(
    "pod status applied",
    create(pods, plainPod, { manager: "c" }),
    apply(
      `${podPath}/status`,
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "p" },
        status: { conditions: [{ type: "Mine", status: "True" }] },
      },
      { manager: "x" },
    ),
    apply(
      `${podPath}/status`,
      { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, status: { phase: "Failed" } },
      { manager: "x" },
    ),
  ),
  sequence(
    "pod labels by two",
    apply(podPath, plainPod, { manager: "a" }),
    apply(
      podPath,
      { apiVersion: "v1", kind: "Pod", metadata: { name: "p", labels: { l: "1" } } },
      { manager: "b" },
    ),
    merge(podPath, { metadata: { labels: { l: "2" } } }, { manager: "m" }),
    apply(
      podPath,
      { apiVersion: "v1", kind: "Pod", metadata: { name: "p", labels: { l: "1" } } },
      { manager: "b" },
    ),
  ),
  sequence(
    "pod image",
    apply(podPath, plainPod, { manager: "a" }),
    merge(podPath, { spec: { containers: [{ name: "a", image: "a:2" }] } }, { manager: "m" }),
    apply(podPath, plainPod, { manager: "a" }),
    apply(podPath, plainPod, { manager: "a", force: true }),
  ),
  sequence(
    "pod ephemeral containers",
    create(pods, plainPod, { manager: "c" }),
    strategic(
      `${podPath}/ephemeralcontainers`,
      { spec: { ephemeralContainers: [{ name: "e", image: "e:1" }] } },
      { manager: "debug" },
    ),
  ),
  sequence(
    "pod resize",
    create(
      pods,
      pod({ containers: [{ name: "a", image: "a:1", resources: { requests: { cpu: "1" } } }] }),
      { manager: "c" },
    ),
    strategic(
      `${podPath}/resize`,
      { spec: { containers: [{ name: "a", resources: { requests: { cpu: "2" } } }] } },
      { manager: "vpa" },
    ),
  ),
];

const autoscaler = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "h" },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
    maxReplicas: 3,
    metrics: [
      {
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
      },
    ],
  },
};
const autoscalerV1 = {
  apiVersion: "autoscaling/v1",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "h" },
  spec: { scaleTargetRef: autoscaler.spec.scaleTargetRef, maxReplicas: 3 },
};
/** A kind with two versions. */
export const autoscalerCases: readonly Case[] = [
  sequence(
    "autoscaler in two versions",
    apply(`${autoscalersV2}/h`, autoscaler, { manager: "a" }),
    apply(
      `${autoscalersV1}/h`,
      { ...autoscalerV1, spec: { ...autoscalerV1.spec, maxReplicas: 4 } },
      { manager: "b" },
    ),
    apply(
      `${autoscalersV1}/h`,
      { ...autoscalerV1, spec: { ...autoscalerV1.spec, minReplicas: 2 } },
      { manager: "b" },
    ),
    apply(
      `${autoscalersV2}/h`,
      { ...autoscaler, spec: { ...autoscaler.spec, maxReplicas: 5 } },
      { manager: "a", force: true },
    ),
    read(`${autoscalersV1}/h`),
  ),
];
