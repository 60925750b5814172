import {
  container,
  type Failure,
  named,
  nodeWithoutMachine,
  object,
  pod,
  script,
  service,
  workload,
} from "../failure.ts";

const on = (node: string) => ({
  nodeSelector: { "why-node": node },
  tolerations: [{ operator: "Exists" }],
});
const room = (fields: object) => ({ cpu: "4", memory: "8Gi", pods: "10", ...fields });
const seat = { resources: { limits: { "why.example.com/seat": "1" } } };
const gated = { schedulingGates: [{ name: "why/wait" }] };
const opened = [
  ["wait", "pod/first", "--for=condition=PodScheduled", "--timeout=300s"],
  ["patch", "pod/web", "--type=json", "-p", '[{"op":"remove","path":"/spec/schedulingGates"}]'],
];
const ready = { type: "Ready", status: "True", reason: "KubeletReady", message: "" };
/** What the kubelet of a node without a machine would report of a Pod. */
const reported = (status: object) => [
  ["patch", "pod/web", "--subresource=status", "--type=merge", "-p", JSON.stringify({ status })],
];

const all: readonly Failure[] = [
  {
    name: "node-cordoned",
    objects: [
      nodeWithoutMachine("why-cordoned", { spec: { unschedulable: true } }),
      workload("Deployment", container(), {
        template: { nodeSelector: { "why-node": "why-cordoned" } },
      }),
    ],
    ask: "deployment/web",
    layer: "scheduling",
    says: /why-cordoned.*cordoned|cordoned.*why-cordoned/,
  },
  {
    name: "node-tainted",
    objects: [
      nodeWithoutMachine("why-tainted", {
        spec: { taints: [{ key: "dedicated", value: "gpu", effect: "NoSchedule" }] },
      }),
      pod(container(), { nodeSelector: { "why-node": "why-tainted" } }),
    ],
    ask: "pod/web",
    layer: "scheduling",
    says: /does not tolerate the taint dedicated=gpu:NoSchedule of node why-tainted/,
  },
  {
    name: "node-full",
    objects: [
      nodeWithoutMachine("why-full", { status: { allocatable: room({ pods: "1" }) } }),
      named("first", pod(container(), on("why-full"))),
      pod(container(), { ...on("why-full"), ...gated }),
    ],
    afterwards: opened,
    ask: "pod/web",
    layer: "scheduling",
    says: /too many Pods.*why-full takes 1/,
  },
  {
    name: "node-seat",
    objects: [
      nodeWithoutMachine("why-seat", {
        status: { allocatable: room({ "why.example.com/seat": "1" }) },
      }),
      named("first", pod(container(seat), on("why-seat"))),
      pod(container(seat), { ...on("why-seat"), ...gated }),
    ],
    afterwards: opened,
    ask: "pod/web",
    layer: "scheduling",
    says: /insufficient why\.example\.com\/seat: .*at most 0 of 1 is free, on why-seat/,
  },
  {
    name: "node-preempted",
    objects: [
      object("scheduling.k8s.io/v1", "PriorityClass", "why-high", { value: 1000 }),
      nodeWithoutMachine("why-preempted", {
        status: { allocatable: room({ "why.example.com/seat": "1" }) },
      }),
      named("first", pod(container(seat), on("why-preempted"))),
      pod(container(seat), { ...on("why-preempted"), ...gated, priorityClassName: "why-high" }),
    ],
    afterwards: opened,
    ask: "pod/web",
    layer: "scheduling",
    says: /has preempted node-preempted\/first on node why-preempted, and waits/,
  },
  {
    name: "node-lost",
    objects: [nodeWithoutMachine("why-gone"), pod(container(), { nodeName: "why-gone" })],
    ask: "pod/web",
    layer: "node",
    says: /why-gone is not ready/,
  },
  {
    name: "node-absent",
    objects: [pod(container(), { nodeName: "why-never" })],
    layer: "scheduling",
    says: /node "why-never", which does not exist/,
  },
  {
    name: "node-lost-deletion",
    objects: [nodeWithoutMachine("why-off"), pod(container(), { nodeName: "why-off" })],
    afterwards: [["delete", "pod", "web", "--wait=false"]],
    ask: "pod/web",
    layer: "deletion",
    says: /its node why-off is not ready, so nothing confirms/,
  },
  {
    name: "node-pressure",
    objects: [
      nodeWithoutMachine("why-pressed", {
        status: {
          conditions: [
            ready,
            { type: "DiskPressure", status: "True", reason: "KubeletHasDiskPressure", message: "" },
          ],
        },
      }),
    ],
    layer: "node",
    says: /disk/,
  },
  {
    name: "node-problem",
    objects: [
      nodeWithoutMachine("why-deadlock", {
        status: {
          conditions: [
            ready,
            {
              type: "KernelDeadlock",
              status: "True",
              reason: "DockerHung",
              message: "task docker:7 blocked",
            },
          ],
        },
      }),
    ],
    layer: "node",
    says: /KernelDeadlock/,
  },
  {
    name: "node-uninitialized",
    objects: [
      nodeWithoutMachine("why-new", {
        spec: {
          taints: [
            {
              key: "node.cloudprovider.kubernetes.io/uninitialized",
              value: "true",
              effect: "NoSchedule",
            },
          ],
        },
        status: { conditions: [ready] },
      }),
    ],
    layer: "node",
    says: /cloud/,
  },
  {
    name: "node-shutdown",
    objects: [nodeWithoutMachine("why-down"), pod(container(), { nodeName: "why-down" })],
    afterwards: reported({
      phase: "Failed",
      reason: "Terminated",
      message: "Pod was terminated in response to imminent node shutdown.",
    }),
    ask: "pod/web",
    layer: "node",
    says: /shut ?down/,
  },
  {
    name: "node-disrupted",
    objects: [nodeWithoutMachine("why-busy"), pod(container(), { nodeName: "why-busy" })],
    afterwards: reported({
      phase: "Failed",
      conditions: [
        {
          type: "DisruptionTarget",
          status: "True",
          reason: "PreemptionByScheduler",
          message: "made room for a Pod of higher priority",
        },
      ],
    }),
    ask: "pod/web",
    layer: "scheduling",
    says: /a Pod of higher priority needed its place/,
  },
  {
    name: "node-unknown-end",
    objects: [
      nodeWithoutMachine("why-restarted"),
      pod(container(), { nodeName: "why-restarted", restartPolicy: "Never" }),
    ],
    afterwards: reported({
      phase: "Failed",
      containerStatuses: [
        {
          name: "web",
          ready: false,
          restartCount: 0,
          image: "a",
          imageID: "",
          state: {
            terminated: {
              exitCode: 137,
              reason: "ContainerStatusUnknown",
              message: "The container could not be located when the pod was terminated",
            },
          },
        },
      ],
    }),
    ask: "pod/web",
    layer: "node",
    says: /node why-restarted has lost container "web"/,
  },
  {
    name: "policy-egress",
    objects: [
      object("networking.k8s.io/v1", "NetworkPolicy", "deny", {
        spec: { podSelector: {}, policyTypes: ["Egress"] },
      }),
      pod(
        script("nc -w 3 10.96.0.1 443 || { echo 'dial tcp 10.96.0.1:443: i/o timeout'; exit 1; }"),
      ),
    ],
    ask: "pod/web",
    layer: "network",
    says: /NetworkPolicy\/policy-egress\/deny forbids what it connects to/,
  },
  {
    name: "policy-ingress",
    objects: [
      object("networking.k8s.io/v1", "NetworkPolicy", "deny", {
        spec: { podSelector: {}, policyTypes: ["Ingress"] },
      }),
      service(),
      pod(container()),
    ],
    ask: "service/web",
    layer: "network",
    says: /NetworkPolicy (?:deny|.*\/deny)/,
  },
];

/** The controllers notice soon that there is no kubelet. */
export const nodeFailures: readonly Failure[] = all.map((one) => ({ ...one, isBrief: true }));
