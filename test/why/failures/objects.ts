import {
  claim,
  container,
  cronJob,
  type Failure,
  idle,
  job,
  named,
  object,
  pod,
  script,
  service,
  workload,
} from "../failure.ts";

const ingress = (spec: object) =>
  object("networking.k8s.io/v1", "Ingress", "web", {
    spec: { defaultBackend: { service: { name: "web", port: { number: 80 } } }, ...spec },
  });
const scaler = (metric: object) =>
  object("autoscaling/v2", "HorizontalPodAutoscaler", "web", {
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      maxReplicas: 3,
      metrics: [metric],
    },
  });
const budget = (name: string, spec: object) =>
  object("policy/v1", "PodDisruptionBudget", name, {
    spec: { selector: { matchLabels: { app: "web" } }, ...spec },
  });
const stubborn = script("trap '' TERM; while true; do sleep 1; done");
const rolledOut = (kind: string) => ["rollout", "status", `${kind}/web`, "--timeout=300s"];

export const objectFailures: readonly Failure[] = [
  {
    name: "name-taken",
    objects: [
      named("web-0", pod(script("sleep 1000"), {}, { labels: {} })),
      workload("StatefulSet", container()),
    ],
    ask: "statefulset/web",
    layer: "controllers",
    says: /there is a Pod of that name already.*pod\/web-0/,
  },
  {
    name: "budgets",
    objects: [
      budget("a", { minAvailable: 0 }),
      budget("b", { maxUnavailable: 1 }),
      pod(container()),
    ],
    ask: "pdb/a",
    layer: "controllers",
    says: /it and "b" select the same Pods/,
  },
  {
    name: "scaler-request",
    objects: [
      workload("Deployment", container()),
      scaler({
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
      }),
    ],
    ask: "hpa/web",
    layer: "controllers",
    says: /no request for cpu|serves no metrics/,
  },
  {
    name: "recreate",
    objects: [
      workload("Deployment", stubborn, {
        spec: { strategy: { type: "Recreate" } },
        template: { terminationGracePeriodSeconds: 900 },
      }),
    ],
    afterwards: [rolledOut("deployment"), ["set", "env", "deployment/web", "A=b"]],
    layer: "deletion",
    says: /its program ignores SIGTERM/,
  },
  {
    name: "set-partition",
    objects: [
      workload("StatefulSet", container(), {
        spec: { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } } },
      }),
    ],
    afterwards: [rolledOut("statefulset"), ["set", "env", "statefulset/web", "A=b"]],
    layer: "healthy",
    says: /its only replica is ready/,
  },
  {
    name: "set-on-delete",
    objects: [
      // Other failures have nodes without a machine, which have no such label.
      workload("DaemonSet", container(), {
        spec: { updateStrategy: { type: "OnDelete" } },
        template: { nodeSelector: { "node-role.kubernetes.io/control-plane": "" } },
      }),
    ],
    afterwards: [
      ["wait", "daemonset/web", "--for=jsonpath={.status.numberReady}=1", "--timeout=300s"],
      ["set", "env", "daemonset/web", "A=b"],
    ],
    layer: "controllers",
    says: /its update strategy is OnDelete/,
  },
  {
    name: "scaled-to-zero",
    objects: [workload("Deployment", container(), { spec: { replicas: 0 } })],
    layer: "healthy",
    says: /scaled to 0/,
  },
  {
    name: "cronjob-active",
    objects: [cronJob(script(idle), { concurrencyPolicy: "Forbid" })],
    layer: "healthy",
    says: /./,
    isSlow: true,
  },
  {
    name: "job-managed",
    objects: [job(script("true"), { managedBy: "example.com/queue" })],
    layer: "controllers",
    says: /example\.com\/queue/,
  },
  {
    name: "job-parallelism",
    objects: [job(script("true"), { parallelism: 0 })],
    layer: "controllers",
    says: /parallelism is 0/,
  },
  {
    name: "job-index",
    objects: [
      job(
        script('test "$JOB_COMPLETION_INDEX" = 1 && { echo index one is bad; exit 3; }; exit 0'),
        {
          completions: 3,
          parallelism: 3,
          completionMode: "Indexed",
          backoffLimitPerIndex: 0,
        },
      ),
    ],
    layer: "containers",
    says: /exit code 3.*index one is bad.*1 of 3 Pods not ready/,
  },
  {
    name: "cronjob-never",
    objects: [cronJob(script("true"), { schedule: "0 0 31 2 *" })],
    layer: "controllers",
    says: /never/,
  },
  {
    name: "service-ended",
    objects: [service(), pod(script("exit 0"), { restartPolicy: "Never" })],
    layer: "readiness",
    says: /selects only Pods that have ended/,
  },
  {
    name: "service-address",
    objects: [service({ type: "LoadBalancer", loadBalancerIP: "203.0.113.7" }), pod(container())],
    layer: "service",
    says: /203\.0\.113\.7/,
  },
  {
    name: "ingress-tls",
    objects: [
      service(),
      pod(container()),
      ingress({ tls: [{ hosts: ["shop.example"], secretName: "shop-tls" }] }),
    ],
    ask: "ingress/web",
    layer: "service",
    says: /Secret "shop-tls"/,
  },
  {
    name: "ingress-idle",
    objects: [
      object("networking.k8s.io/v1", "IngressClass", "why-idle", {
        spec: { controller: "example.com/absent" },
      }),
      service(),
      pod(container()),
      ingress({ ingressClassName: "why-idle" }),
    ],
    ask: "ingress/web",
    layer: "service",
    says: /no controller of its class "why-idle"/,
  },
  {
    name: "devices",
    objects: [
      object("resource.k8s.io/v1", "DeviceClass", "why.example.com", {
        spec: { selectors: [{ cel: { expression: "device.driver == 'why.example.com'" } }] },
      }),
      object("resource.k8s.io/v1", "ResourceClaimTemplate", "gpu", {
        spec: {
          spec: {
            devices: {
              requests: [{ name: "gpu", exactly: { deviceClassName: "why.example.com" } }],
            },
          },
        },
      }),
      pod(container({ resources: { claims: [{ name: "gpu" }] } }), {
        resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "gpu" }],
      }),
    ],
    ask: "pod/web",
    layer: "scheduling",
    says: /resource claims \(devices\) cannot be met/,
  },
  {
    name: "device-template",
    objects: [
      pod(container({ resources: { claims: [{ name: "gpu" }] } }), {
        resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "absent" }],
      }),
    ],
    layer: "scheduling",
    says: /ResourceClaimTemplate "absent" does not exist/,
  },
  {
    name: "account-secret",
    objects: [object("v1", "ServiceAccount", "builder", { imagePullSecrets: [{ name: "gone" }] })],
    layer: "image",
    says: /pull secret "gone" does not exist/,
  },
  {
    name: "probe-late",
    objects: [
      pod(container({ readinessProbe: { initialDelaySeconds: 900, tcpSocket: { port: 80 } } })),
    ],
    layer: "readiness",
    says: /first runs 900 s after its start/,
  },
  {
    name: "pod-finalizer",
    objects: [pod(script("sleep 1000"), {}, { finalizers: ["example.com/audit"] })],
    afterwards: [["delete", "pod", "web", "--wait=false"]],
    layer: "deletion",
    says: /finalizer example\.com\/audit/,
  },
  {
    name: "namespace-ends",
    objects: [
      {
        ...object("v1", "ConfigMap", "kept"),
        metadata: { name: "kept", finalizers: ["example.com/keep"] },
      },
    ],
    afterwards: [["delete", "namespace", "namespace-ends", "--wait=false"]],
    ask: "namespace/namespace-ends",
    layer: "deletion",
    says: /objects with the finalizer example\.com\/keep/,
  },
  {
    name: "dependents",
    objects: [
      workload("Deployment", container(), {
        spec: {
          template: {
            metadata: { labels: { app: "web" }, finalizers: ["example.com/hold"] },
            spec: { containers: [container()], terminationGracePeriodSeconds: 1 },
          },
        },
      }),
    ],
    afterwards: [
      rolledOut("deployment"),
      ["delete", "deployment", "web", "--cascade=foreground", "--wait=false"],
    ],
    layer: "deletion",
    says: /waits for its finalizer example\.com\/hold.*\(pod\/web-/,
  },
  {
    name: "claim-alone-deleted",
    objects: [claim({ storageClassName: "" }, { finalizers: ["example.com/backup"] })],
    afterwards: [["delete", "pvc", "data", "--wait=false"]],
    ask: "pvc/data",
    layer: "deletion",
    says: /example\.com\/backup/,
  },
];
