import type { Case, Step } from "../case.ts";
import {
  account,
  container,
  later,
  namespace,
  nodes,
  pod,
  withContainer,
} from "./admission-bodies.ts";
import { objectOf } from "./create-each.ts";
import { sequence } from "./sequence.ts";
import { create, deployments, merge, pods, services } from "./steps.ts";

const classes = "/apis/scheduling.k8s.io/v1/priorityclasses";

const runtimes = "/apis/node.k8s.io/v1/runtimeclasses";

const label = (labels: object): Step => merge(namespace, { metadata: { labels } });

export const podSettingCases: Case[] = [
  sequence(
    "priority: classes",
    account(),
    create(
      classes,
      objectOf(
        "scheduling.k8s.io/v1",
        "PriorityClass",
        { value: 7, preemptionPolicy: "Never" },
        { name: "{ns}" },
      ),
    ),
    later(create(pods, pod({ priorityClassName: "{ns}" }))),
    create(pods, pod({ priorityClassName: "{ns}", priority: 8 }, { name: "b" })),
    create(
      pods,
      pod({ priorityClassName: "{ns}", preemptionPolicy: "PreemptLowerPriority" }, { name: "b" }),
    ),
    create(pods, pod({ priorityClassName: "none" }, { name: "b" })),
    create(pods, pod({ priority: 3 }, { name: "b" })),
  ),
  sequence(
    "tolerations: own",
    account(),
    create(
      pods,
      pod({
        tolerations: [
          {
            key: "node.kubernetes.io/not-ready",
            operator: "Exists",
            tolerationSeconds: 5,
            effect: "NoExecute",
          },
        ],
      }),
    ),
    create(pods, pod({ tolerations: [{ operator: "Exists" }] }, { name: "b" })),
  ),
  sequence(
    "tolerations: extended resources",
    account(),
    create(
      pods,
      withContainer({ resources: { limits: { "example.com/b": "1", "example.com/a": "2" } } }),
    ),
  ),
  sequence(
    "anti-affinity: of a zone",
    account(),
    create(
      pods,
      pod({
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: "zone", labelSelector: {} },
            ],
          },
        },
      }),
    ),
  ),
  sequence(
    "runtime class",
    account(),
    create(
      runtimes,
      objectOf(
        "node.k8s.io/v1",
        "RuntimeClass",
        {
          handler: "h",
          overhead: { podFixed: { cpu: "10m" } },
          scheduling: {
            nodeSelector: { a: "b" },
            tolerations: [{ key: "k", operator: "Exists", effect: "NoSchedule" }],
          },
        },
        { name: "{ns}" },
      ),
    ),
    later(create(pods, pod({ runtimeClassName: "{ns}", nodeSelector: { c: "d" } }))),
    create(pods, pod({ runtimeClassName: "{ns}", nodeSelector: { a: "x" } }, { name: "b" })),
    create(pods, pod({ runtimeClassName: "{ns}", overhead: { cpu: "1" } }, { name: "b" })),
    create(pods, pod({ runtimeClassName: "none" }, { name: "b" })),
    create(pods, pod({ overhead: { cpu: "1" } }, { name: "b" })),
  ),
  sequence(
    "topology labels",
    account(),
    create(
      nodes,
      objectOf("v1", "Node", {}, { name: "{ns}", labels: { "topology.kubernetes.io/zone": "z" } }),
    ),
    later(create(pods, pod({ nodeName: "{ns}" }))),
  ),
  sequence(
    "external addresses",
    create(
      services,
      objectOf("v1", "Service", { spec: { externalIPs: ["192.0.2.9"], ports: [{ port: 1 }] } }),
    ),
  ),
];

const restricted = { "pod-security.kubernetes.io/enforce": "restricted" };

export const securityCases: Case[] = [
  sequence(
    "security: restricted",
    account(),
    label(restricted),
    later(create(pods, pod())),
    create(
      pods,
      pod({
        hostNetwork: true,
        securityContext: { runAsUser: 0, seccompProfile: { type: "Unconfined" } },
        volumes: [
          { name: "h", hostPath: { path: "/" } },
          { name: "n", nfs: { server: "s", path: "/" } },
        ],
        containers: [
          {
            ...container,
            securityContext: {
              privileged: true,
              capabilities: { add: ["NET_ADMIN", "SYS_TIME"] },
              runAsNonRoot: false,
              procMount: "Unmasked",
            },
            ports: [{ containerPort: 80, hostPort: 80 }],
          },
          { ...container, name: "d" },
        ],
      }),
    ),
    create(
      pods,
      pod({
        securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
        containers: [
          {
            ...container,
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
          },
        ],
      }),
    ),
    merge(`${pods}/a`, { metadata: { labels: { a: "b" } } }),
    create(
      deployments,
      objectOf("apps/v1", "Deployment", {
        spec: {
          selector: { matchLabels: { a: "b" } },
          template: { metadata: { labels: { a: "b" } }, spec: { containers: [container] } },
        },
      }),
    ),
  ),
  sequence(
    "security: baseline of a version",
    account(),
    label({
      "pod-security.kubernetes.io/enforce": "baseline",
      "pod-security.kubernetes.io/enforce-version": "v1.22",
      "pod-security.kubernetes.io/warn": "restricted",
      "pod-security.kubernetes.io/warn-version": "v1.18",
    }),
    later(create(pods, pod())),
    create(
      pods,
      pod(
        {
          hostPID: true,
          hostIPC: true,
          securityContext: {
            seLinuxOptions: { type: "t", user: "u", role: "r" },
            sysctls: [{ name: "net.ipv4.tcp_keepalive_time", value: "1" }],
            windowsOptions: { hostProcess: false },
          },
          containers: [
            {
              ...container,
              securityContext: { appArmorProfile: { type: "Unconfined" } },
              livenessProbe: { httpGet: { port: 1, host: "h" } },
            },
          ],
        },
        { name: "b" },
      ),
    ),
  ),
  sequence(
    "security: labels",
    label({
      "pod-security.kubernetes.io/enforce": "strict",
      "pod-security.kubernetes.io/audit-version": "1.2",
    }),
    account(),
    create(pods, pod()),
    create(pods, pod({ hostNetwork: true }, { name: "b" })),
    later(label({ "pod-security.kubernetes.io/enforce": "restricted" })),
    label({ "pod-security.kubernetes.io/enforce": "baseline" }),
    label({ "pod-security.kubernetes.io/enforce": null }),
  ),
  sequence("security: new namespace", {
    method: "POST",
    path: "/api/v1/namespaces",
    body: objectOf(
      "v1",
      "Namespace",
      {},
      { name: "x-{ns}", labels: { "pod-security.kubernetes.io/warn": "a" } },
    ),
  }),
];
