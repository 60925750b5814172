import {
  container,
  type Failure,
  idle,
  image,
  job,
  object,
  pod,
  script,
  workload,
} from "../failure.ts";

const probe = (fields: object) => ({
  periodSeconds: 1,
  timeoutSeconds: 10,
  failureThreshold: 1,
  ...fields,
});

export const containerFailures: readonly Failure[] = [
  {
    name: "healthy-pod",
    objects: [pod(container())],
    layer: "healthy",
    says: /is healthy: it is ready on node/,
  },
  {
    name: "healthy-deployment",
    objects: [workload("Deployment", container(), { spec: { replicas: 2 } })],
    layer: "healthy",
    says: /all 2 replicas are available/,
  },
  {
    name: "image-unreachable",
    objects: [workload("Deployment", container({ image: "registry.invalid/app:1" }))],
    layer: "image",
    says: /cannot reach the registry registry\.invalid .*cannot be resolved/,
  },
  {
    name: "image-never",
    objects: [pod(container({ image: "k8ts.test/absent:1", imagePullPolicy: "Never" }))],
    layer: "image",
    says: /not on node .*imagePullPolicy Never/,
  },
  {
    name: "image-name",
    objects: [pod(container({ image: "Not A Name" }))],
    layer: "image",
    says: /"Not A Name" is no valid image name/,
  },
  {
    name: "crash",
    objects: [workload("Deployment", script("echo no database; exit 3"))],
    layer: "containers",
    says: /container "web" .*exit code 3.*no database/,
  },
  {
    name: "completes",
    objects: [pod(script("echo done"))],
    layer: "containers",
    says: /ends by itself without an error \(exit code 0\)/,
  },
  {
    name: "out-of-memory",
    objects: [
      pod(
        script("x=x; while true; do x=$x$x; done", { resources: { limits: { memory: "24Mi" } } }),
      ),
    ],
    layer: "containers",
    says: /memory limit of 24Mi.*OOMKilled/,
  },
  {
    name: "command-missing",
    objects: [pod(container({ command: ["/bin/absent"] }))],
    layer: "containers",
    says: /command "\/bin\/absent" is not in the image/,
  },
  {
    name: "command-not-executable",
    objects: [pod(container({ command: ["/tmp"] }))],
    layer: "containers",
    says: /command "\/tmp" (?:is a directory|may not be executed)/,
  },
  {
    name: "command-missing-in-shell",
    objects: [pod(script("absent-program"))],
    layer: "containers",
    says: /exit code 127/,
  },
  {
    name: "non-root",
    objects: [pod(container(), { securityContext: { runAsNonRoot: true } })],
    layer: "containers",
    says: /runAsNonRoot, but its image runs as root/,
  },
  {
    name: "user-unknown",
    objects: [pod(container({ workingDir: "/bin/busybox" }))],
    layer: "containers",
    says: /cannot (?:start|be created|be started)/,
  },
  {
    name: "read-only",
    objects: [
      pod(script("mkdir /tmp/x || exit 1", { securityContext: { readOnlyRootFilesystem: true } })),
    ],
    layer: "containers",
    says: /writes to a read-only file system/,
  },
  {
    name: "env-configmap",
    objects: [pod(container({ envFrom: [{ configMapRef: { name: "absent" } }] }))],
    layer: "containers",
    says: /ConfigMap "absent", which does not exist/,
  },
  {
    name: "env-secret",
    objects: [pod(container({ envFrom: [{ secretRef: { name: "absent" } }] }))],
    layer: "containers",
    says: /Secret "absent", which does not exist/,
  },
  {
    name: "env-key",
    objects: [
      object("v1", "ConfigMap", "settings", { data: { a: "1" } }),
      pod(
        container({
          env: [{ name: "B", valueFrom: { configMapKeyRef: { name: "settings", key: "b" } } }],
        }),
      ),
    ],
    ask: "pod/web",
    layer: "containers",
    says: /key "b" of the ConfigMap "settings"/,
  },
  {
    name: "init-crash",
    objects: [
      pod(container(), {
        initContainers: [
          { ...script("true"), name: "first" },
          { ...script("echo cannot migrate; exit 2"), name: "migrate" },
        ],
      }),
    ],
    layer: "containers",
    says: /init container "migrate" \(2 of 2\).*exit code 2/,
  },
  {
    name: "post-start",
    objects: [
      pod(
        script(idle, {
          lifecycle: { postStart: { exec: { command: ["/bin/sh", "-c", "exit 1"] } } },
        }),
      ),
    ],
    layer: "containers",
    says: /postStart hook of container "web" fails/,
  },
  {
    name: "liveness",
    objects: [pod(script(idle, { livenessProbe: probe({ tcpSocket: { port: 9 } }) }))],
    layer: "containers",
    says: /liveness probe fails.*refused/,
  },
  {
    name: "readiness-status",
    objects: [
      workload(
        "Deployment",
        container({
          ports: [{ containerPort: 80 }],
          readinessProbe: probe({ httpGet: { path: "/healthz", port: 80 } }),
        }),
      ),
    ],
    layer: "readiness",
    says: /readiness probe of container "web" fails: .*\/healthz on port 80 got status 404/,
  },
  {
    name: "readiness-port",
    objects: [
      pod(
        container({
          ports: [{ containerPort: 80 }],
          readinessProbe: probe({ tcpSocket: { port: 8080 } }),
        }),
      ),
    ],
    layer: "readiness",
    says: /port 8080: the connection is refused.*declares port 80/,
  },
  {
    name: "readiness-command",
    objects: [
      pod(script(idle, { readinessProbe: probe({ exec: { command: ["cat", "/tmp/ready"] } }) })),
    ],
    layer: "readiness",
    says: /its command "cat" failed/,
  },
  {
    name: "startup",
    objects: [
      pod(
        container({
          startupProbe: {
            httpGet: { path: "/started", port: 80 },
            periodSeconds: 1,
            timeoutSeconds: 10,
            failureThreshold: 1000,
          },
        }),
      ),
    ],
    layer: "readiness",
    says: /startup probe of container "web" fails: .*404/,
  },
  {
    name: "readiness-gate",
    objects: [pod(container(), { readinessGates: [{ conditionType: "example.com/ready" }] })],
    layer: "readiness",
    says: /readiness gate example\.com\/ready is not True/,
  },
  {
    name: "pod-deadline",
    objects: [pod(script(idle), { activeDeadlineSeconds: 2, restartPolicy: "Never" })],
    layer: "containers",
    says: /activeDeadlineSeconds of 2 s/,
  },
  {
    name: "job-backoff",
    objects: [job(script("echo bad input; exit 4"), { backoffLimit: 0 })],
    layer: "containers",
    says: /exit code 4.*bad input/,
  },
  {
    name: "job-deadline",
    objects: [job(script(idle), { activeDeadlineSeconds: 2 })],
    layer: "controllers",
    says: /activeDeadlineSeconds of 2 s/,
  },
  {
    name: "job-suspended",
    objects: [job(script("true"), { suspend: true })],
    layer: "controllers",
    says: /is suspended/,
  },
  {
    name: "deployment-of-two-images",
    objects: [
      workload("Deployment", container({ image: "registry.invalid/other:2" }), {
        template: {
          containers: [
            container(),
            { ...container({ image: "registry.invalid/other:2" }), name: "side" },
          ],
        },
      }),
    ],
    layer: "image",
    says: /registry\.invalid\/other:2/,
  },
  {
    name: "init-waits",
    objects: [
      pod(container(), {
        initContainers: [{ ...script("echo waiting for the database; sleep 1000"), name: "wait" }],
      }),
    ],
    layer: "containers",
    says: /init container "wait" has been running .*waiting for the database/,
    isSlow: true,
  },
  {
    name: "seccomp",
    objects: [
      pod(
        container({
          securityContext: {
            seccompProfile: { type: "Localhost", localhostProfile: "absent.json" },
          },
        }),
      ),
    ],
    layer: "node",
    says: /seccomp/,
  },
  {
    name: "job-sidecar",
    objects: [
      object("batch/v1", "Job", "web", {
        spec: {
          template: {
            spec: {
              restartPolicy: "Never",
              terminationGracePeriodSeconds: 1,
              containers: [script("true"), script(idle, { name: "mesh" })],
            },
          },
        },
      }),
    ],
    layer: "containers",
    says: /container "web" has done its work, but container "mesh" runs on/,
  },
  {
    name: "image-is-loaded",
    objects: [pod(container({ image }))],
    layer: "healthy",
    says: /is healthy/,
  },
];
