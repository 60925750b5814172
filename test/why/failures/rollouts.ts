import {
  container,
  cronJob,
  type Failure,
  image,
  job,
  object,
  odd,
  pod,
  script,
  workload,
} from "../failure.ts";

const rolledOut = (kind: string) => ["rollout", "status", `${kind}/web`, "--timeout=300s"];
const change = ["set", "env", "deployment/web", "A=b"];
const bad = "registry.invalid/typo:9";

/** Changes that do not get through, and Pods that start otherwise than was wanted. */
export const rolloutFailures: readonly Failure[] = [
  {
    name: "rollout-image",
    objects: [workload("Deployment", container(), { spec: { replicas: 2 } })],
    afterwards: [rolledOut("deployment"), ["set", "image", "deployment/web", `web=${bad}`]],
    layer: "image",
    says: /registry\.invalid.*1 of 3 Pods not ready/,
  },
  {
    name: "rollout-host-port",
    objects: [
      workload("Deployment", container({ ports: [{ containerPort: 80, hostPort: 18088 }] })),
    ],
    afterwards: [rolledOut("deployment"), change],
    ask: "deployment/web",
    layer: "scheduling",
    says: /its hostPort 18088 is in use on every node by rollout-host-port\/web-/,
  },
  {
    name: "rollout-anti-affinity",
    objects: [
      workload("Deployment", container(), {
        template: {
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                {
                  topologyKey: "kubernetes.io/hostname",
                  labelSelector: { matchLabels: { app: "web" } },
                },
              ],
            },
          },
        },
      }),
    ],
    afterwards: [rolledOut("deployment"), change],
    layer: "scheduling",
    says: /anti-affinity .*each has such a Pod already/,
  },
  {
    name: "rollout-of-broken-set",
    objects: [
      workload("StatefulSet", container({ image: "registry.invalid/x:1" }), {
        spec: { replicas: 2 },
      }),
    ],
    afterwards: [
      ["wait", "pod/web-0", "--for=create", "--timeout=300s"],
      ["set", "image", "statefulset/web", `web=${image}`],
    ],
    layer: "image",
    says: /registry\.invalid\/x:1.*\(pod\/web-0/,
  },
  {
    name: "rollout-of-daemons",
    objects: [workload("DaemonSet", container())],
    afterwards: [rolledOut("daemonset"), ["set", "image", "daemonset/web", `web=${bad}`]],
    layer: "image",
    says: /registry\.invalid\/typo:9/,
  },
  {
    name: "daemons-without-room",
    objects: [
      workload("DaemonSet", container({ resources: { requests: { memory: "900Gi" } } }), {
        // Nodes of other failures have no machine.
        template: { nodeSelector: { "kubernetes.io/os": "linux" } },
      }),
    ],
    layer: "scheduling",
    says: /insufficient memory: the Pod requests memory 900Gi/,
  },
  {
    name: "min-ready",
    objects: [workload("Deployment", container(), { spec: { minReadySeconds: 500 } })],
    layer: "readiness",
    says: /only after minReadySeconds of 500 s/,
  },
  {
    name: "slow-starter",
    objects: [
      workload(
        "Deployment",
        script("mkdir -p /tmp/www; sleep 60; httpd -f -p 80 -h /tmp/www", {
          livenessProbe: {
            ...{ periodSeconds: 2, failureThreshold: 2, timeoutSeconds: 10 },
            httpGet: { path: "/", port: 80 },
          },
        }),
      ),
    ],
    layer: "containers",
    says: /restarts container "web" because its liveness probe fails/,
  },
  {
    name: "startup-kills",
    objects: [
      workload(
        "Deployment",
        script("sleep 1000", {
          startupProbe: {
            ...{ periodSeconds: 1, failureThreshold: 3, timeoutSeconds: 10 },
            httpGet: { path: "/", port: 80 },
          },
        }),
      ),
    ],
    layer: "containers",
    says: /because its startup probe fails/,
  },
  {
    name: "one-string",
    objects: [workload("Deployment", container({ command: ["sleep 1000"] }))],
    layer: "containers",
    says: /its command "sleep 1000" is not in the image/,
  },
  {
    name: "init-memory",
    objects: [
      pod(container(), {
        initContainers: [
          {
            ...script("x=x; while true; do x=$x$x; done", {
              resources: { limits: { memory: "24Mi" } },
            }),
            name: "load",
          },
        ],
      }),
    ],
    layer: "containers",
    says: /init container "load" needs more than its memory limit of 24Mi/,
  },
  {
    name: "user-by-name",
    objects: [pod(container({ image: odd.user, securityContext: { runAsNonRoot: true } }))],
    layer: "containers",
    says: /names its user by a word/,
  },
  {
    name: "token-missing",
    objects: [
      pod(script("cat /var/run/secrets/kubernetes.io/serviceaccount/token || exit 1"), {
        automountServiceAccountToken: false,
      }),
    ],
    layer: "containers",
    says: /needs the token of its service account/,
  },
  {
    name: "sub-path-key",
    objects: [
      object("v1", "ConfigMap", "settings", { data: { "app.yml": "a: 1" } }),
      pod(
        script("cat /etc/app.yaml || exit 1; sleep 1000", {
          volumeMounts: [{ name: "data", mountPath: "/etc/app.yaml", subPath: "app.yaml" }],
        }),
        { volumes: [{ name: "data", configMap: { name: "settings" } }] },
      ),
    ],
    ask: "pod/web",
    layer: "volumes",
    says: /subPath "app\.yaml" of the ConfigMap "settings"/,
  },
  {
    name: "failure-policy",
    objects: [
      job(script("exit 42"), {
        podFailurePolicy: {
          rules: [
            {
              action: "FailJob",
              onExitCodes: { containerName: "web", operator: "In", values: [42] },
            },
          ],
        },
      }),
    ],
    layer: "containers",
    says: /exit code 42, and a rule of its Job's podFailurePolicy ends the Job/,
  },
  {
    name: "job-without-room",
    objects: [job(script("true", { resources: { requests: { cpu: "900" } } }))],
    layer: "scheduling",
    says: /insufficient cpu: the Pod requests cpu 900/,
  },
  {
    name: "cronjob-replaced",
    objects: [cronJob(script("sleep 10000"), { concurrencyPolicy: "Replace" })],
    layer: "controllers",
    says: /the next one replaces it before it is done/,
    isSlow: true,
  },
  {
    name: "image-of-volume",
    objects: [
      pod(container({ volumeMounts: [{ name: "data", mountPath: "/data" }] }), {
        volumes: [{ name: "data", image: { reference: "registry.invalid/data:1" } }],
      }),
    ],
    layer: "image",
    says: /"registry\.invalid\/data:1"/,
  },
  {
    name: "other-system",
    objects: [pod(container(), { os: { name: "windows" } })],
    layer: "node",
    says: /refused it \(PodOSNotSupported\)/,
  },
  {
    name: "pre-stop",
    objects: [
      pod(
        script("trap '' TERM; while true; do sleep 1; done", {
          lifecycle: { preStop: { exec: { command: ["sleep", "500"] } } },
        }),
        { terminationGracePeriodSeconds: 500 },
      ),
    ],
    afterwards: [
      ["wait", "pod/web", "--for=condition=Ready", "--timeout=300s"],
      ["delete", "pod/web", "--wait=false"],
    ],
    layer: "deletion",
    says: /the preStop hook of container "web" has not ended/,
  },
];
