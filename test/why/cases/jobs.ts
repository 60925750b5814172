import {
  type Case,
  clusterWide,
  crashed,
  early,
  event,
  node,
  pod,
  recent,
  recorded,
} from "./recorded.ts";

const job = (spec: object, status: object) =>
  recorded("batch/v1", "Job", {
    spec: { selector: { matchLabels: { app: "web" } }, ...spec },
    status,
  });

/** A Pod of the Job, one container of which is done. */
const halfDone = pod(
  {
    phase: "Running",
    containerStatuses: [
      { name: "app", state: { terminated: { exitCode: 0, finishedAt: recent } } },
      { name: "mesh", ready: true, state: { running: { startedAt: early } } },
    ],
  },
  { restartPolicy: "Never", containers: [{ name: "app" }, { name: "mesh" }] },
  {},
  { ownerReferences: [{ kind: "Job", name: "web", uid: "uid-web", controller: true }] },
);

const custom = (status: object) => recorded("networking.k8s.io/v1", "NetworkPolicy", { status });

const budget = (name: string) =>
  recorded(
    "policy/v1",
    "PodDisruptionBudget",
    { spec: { minAvailable: 1, selector: { matchLabels: { app: "web" } } } },
    { name },
  );

/** Jobs, and kinds of which only the status is known. */
export const jobCases: readonly Case[] = [
  {
    cause: "job-container-runs-on",
    objects: [job({}, { active: 1, startTime: early }), halfDone],
    says: /"app" has done its work, but container "mesh" runs on/,
  },
  {
    cause: "job-managed-by-other",
    objects: [job({ managedBy: "example.com/queue" }, {})],
    says: /stuck at controllers: it is left to the controller "example\.com\/queue"/,
  },
  {
    cause: "interpreter-missing",
    objects: [crashed({}), event("Pod/web", "BackOff", "Back-off restarting")],
    logs: { "web/app/previous": "exec /run.sh: no such file or directory" },
    says: /the first line of the script .*CRLF/,
  },
  {
    cause: "program-misses-file",
    objects: [crashed({})],
    logs: { "web/app/previous": "ModuleNotFoundError: No module named 'flask'" },
    says: /stuck at containers: .*a file that it needs is not there/,
  },
  {
    cause: "container-crash",
    objects: [crashed({})],
    logs: {
      "web/app/previous":
        'failed to try resolving symlinks in path "/var/log/pods/a": lstat: no such file or directory',
    },
    says: /crashes: its program ends with exit code 1 again and again \(5 restarts\)\.$/,
  },
  {
    cause: "csi-attacher-silent",
    objects: [
      pod({}),
      event(
        "Pod/web",
        "FailedAttachVolume",
        'AttachVolume.Attach failed for volume "pv1" : timed out waiting for external-attacher of a.example.com CSI driver to attach volume 1',
      ),
    ],
    says: /the CSI driver "a\.example\.com" has not attached its volume "pv1": no such driver/,
  },
  {
    cause: "volume-no-space",
    objects: [
      pod({}, {}, { resources: { limits: { memory: "1Ki" } } }),
      event(
        "Pod/web",
        "FailedMount",
        'MountVolume.SetUp failed for volume "kube-api-access-x" : write: no space left on device',
      ),
    ],
    says: /no space for its volume "kube-api-access-x".*memory limit of 1Ki is too small/,
  },
  {
    cause: "node-lease-stale",
    objects: [
      node({
        status: {
          conditions: [{ type: "Ready", status: "True", lastHeartbeatTime: early }],
        },
      }),
    ],
    says: /has not renewed its lease for 9m/,
  },
  {
    cause: "budgets-overlap",
    objects: [budget("web"), budget("all"), pod({})],
    says: /it and "all" select the same Pods.*blocks kubectl drain/,
  },
  {
    cause: "failed-status",
    objects: [custom({ phase: "Failed", message: "quota of the cloud is used up" })],
    says: /its status is Failed: quota of the cloud is used up/,
  },
  {
    cause: "failed-condition",
    objects: [
      custom({
        parents: [
          {
            conditions: [
              { type: "ResolvedRefs", status: "False", reason: "BackendNotFound", message: "x" },
            ],
          },
        ],
      }),
    ],
    says: /its condition ResolvedRefs is False \(BackendNotFound\): x/,
  },
  {
    cause: "liveness-probe-fails",
    objects: [
      crashed({ exitCode: 0, reason: "Completed" }, { livenessProbe: { httpGet: { port: 80 } } }),
      event(
        "Pod/web",
        "Unhealthy",
        "Liveness probe failed: HTTP probe failed with statuscode: 404",
      ),
    ],
    says: /its liveness probe fails.*status 404/,
  },
  {
    cause: "pod-does-not-end",
    objects: [
      pod(
        { containerStatuses: [{ name: "app", state: { running: { startedAt: early } } }] },
        {},
        {},
        {
          deletionTimestamp: "2026-01-01T01:05:00Z",
          deletionGracePeriodSeconds: 3600,
        },
      ),
    ],
    says: /probably stuck at deletion: it was asked to end 5m0?s? ago, and container "app" runs on/,
  },
  {
    cause: "healthy",
    objects: [
      clusterWide("apiregistration.k8s.io/v1", "APIService", {
        spec: { group: "a.example.com", version: "v1", service: { namespace: "a", name: "b" } },
        status: { conditions: [{ type: "Available", status: "True" }] },
      }),
    ],
    says: /the API a\.example\.com\/v1 is available/,
  },
  {
    cause: "progressing",
    objects: [
      clusterWide("apiregistration.k8s.io/v1", "APIService", {
        spec: { group: "a.example.com", version: "v1", service: { namespace: "a", name: "b" } },
        status: {
          conditions: [{ type: "Available", status: "False", lastTransitionTime: recent }],
        },
      }),
      recorded("v1", "Service", {}, { namespace: "a", name: "b" }),
    ],
    says: /the server behind its Service a\/b has not answered yet/,
  },
];
