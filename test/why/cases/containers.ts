import {
  type Case,
  condition,
  crashed,
  early,
  event,
  pod,
  readyPod,
  recent,
  recorded,
  unready,
  waiting,
} from "./recorded.ts";

const runc = (text: string): string =>
  `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: ${text}: unknown`;

/** What the kubelet and runtimes say about containers that cannot be started. */
const starts: readonly (readonly [cause: string, reason: string, text: string, says: RegExp])[] = [
  [
    "configmap-missing",
    "CreateContainerConfigError",
    'configmap "settings" not found',
    /ConfigMap "settings", which does not exist/,
  ],
  [
    "secret-missing",
    "CreateContainerConfigError",
    'secret "password" not found',
    /Secret "password", which does not exist/,
  ],
  [
    "configuration-key-missing",
    "CreateContainerConfigError",
    "couldn't find key url in ConfigMap default/settings",
    /key "url" of the ConfigMap "settings"/,
  ],
  [
    "run-as-non-root",
    "CreateContainerConfigError",
    "container has runAsNonRoot and image will run as root",
    /its image runs as root/,
  ],
  [
    "run-as-non-root",
    "CreateContainerConfigError",
    "container has runAsNonRoot and image has non-numeric user (app), cannot verify user is non-root",
    /names its user by a word/,
  ],
  [
    "command-not-found",
    "RunContainerError",
    runc('exec: "absent": executable file not found in $PATH'),
    /command "absent" is not in the image/,
  ],
  [
    "command-not-found",
    "RunContainerError",
    runc('error during container init: exec: "/a": stat /a: no such file or directory'),
    /command "\/a" is not/,
  ],
  [
    "command-not-executable",
    "RunContainerError",
    runc('exec: "/etc/hosts": permission denied'),
    /permission denied/,
  ],
  [
    "working-directory",
    "RunContainerError",
    runc(
      'error during container init: chdir to cwd ("/work") set in config.json failed: permission denied',
    ),
    /working directory "\/work"/,
  ],
  [
    "sub-path",
    "CreateContainerConfigError",
    'failed to prepare subPath for volumeMount "data" of container "app"',
    /subPath of its volume mount "data"/,
  ],
  [
    "mount-into-container",
    "RunContainerError",
    runc(
      'error mounting "/var/x" to rootfs at "/etc/a": not a directory: Are you trying to mount a directory onto a file (or vice-versa)?',
    ),
    /cannot be mounted at "\/etc\/a"/,
  ],
  [
    "user-unknown",
    "CreateContainerError",
    "unable to find user app: no matching entries in passwd file",
    /no user "app"/,
  ],
  ["no-command", "CreateContainerError", "no command specified", /names a command/],
  [
    "memory-limit-too-small",
    "RunContainerError",
    runc("container init was OOM-killed (memory limit too low?)"),
    /too small even for its first process/,
  ],
  [
    "security-profile",
    "CreateContainerError",
    'cannot load seccomp profile "/var/lib/kubelet/seccomp/a.json": no such file or directory',
    /seccomp profile cannot be used/,
  ],
  [
    "device-unavailable",
    "CreateContainerError",
    "CDI device injection failed: unresolvable CDI devices a",
    /a device that it needs/,
  ],
  ["post-start-hook", "PostStartHookError", "command 'x' exited with 1", /postStart hook/],
  [
    "container-start-failed",
    "CreateContainerError",
    "something new",
    /cannot be created \(CreateContainerError\): something new/,
  ],
];

/** What programs say before they end. */
const ends: readonly (readonly [cause: string, log: string, says: RegExp])[] = [
  ["program-for-another-processor", "exec /app: exec format error", /another processor/],
  [
    "program-lacks-api-permission",
    'pods is forbidden: User "system:serviceaccount:a:b" cannot list',
    /RBAC/,
  ],
  ["read-only-filesystem", "mkdir: can't create directory 'x': Read-only file system", /read-only/],
  ["program-disk-full", "write: no space left on device", /is full/],
  ["program-out-of-memory", "java.lang.OutOfMemoryError: Java heap space", /runs out of memory/],
  [
    "port-in-use",
    "listen tcp :80: bind: address already in use",
    /port that it listens on is in use/,
  ],
  ["program-certificate", "x509: certificate signed by unknown authority", /certificate/],
  ["program-credentials-refused", "FATAL: password authentication failed", /credentials/],
  ["program-cannot-resolve-name", "getaddrinfo ENOTFOUND db", /cannot be resolved/],
  [
    "program-cannot-connect",
    "dial tcp 10.0.0.1:5432: connect: connection refused",
    /cannot be reached/,
  ],
  ["program-lacks-permission", "open /data/x: permission denied", /lacks a permission/],
  ["program-misses-file", "open /etc/app.yaml: no such file or directory", /not there/],
  ["program-configuration", "DATABASE_URL must be set", /configuration/],
  [
    "program-misses-library",
    "error while loading shared libraries: libssl.so.1.1: cannot open shared object file",
    /a library that its program needs/,
  ],
  [
    "program-open-files",
    "accept tcp [::]:80: accept4: too many open files",
    /files and connections/,
  ],
  [
    "program-inotify-limit",
    "ENOSPC: System limit for number of file watchers reached, watch '/app'",
    /inotify watches/,
  ],
  ["program-thread-limit", "RuntimeError: can't start new thread", /no more processes or threads/],
  ["program-database-content", 'relation "users" does not exist', /its database lacks/],
  ["program-error", "panic: runtime error: index out of range", /its program has a fault/],
  [
    "program-credentials-refused",
    "error: You must be logged in to the server (Unauthorized)",
    /refuses its credentials, or they have expired/,
  ],
  ["program-configuration", "KeyError: 'DATABASE_URL'", /configuration/],
  [
    "program-configuration",
    "panic: yaml: line 3: mapping values are not allowed in this context",
    /configuration/,
  ],
  [
    "program-configuration",
    "flag provided but not defined: -verbos\nUsage of /app:\n  -v int",
    /it says "flag provided/,
  ],
  [
    "token-not-mounted",
    "cat: can't open '/var/run/secrets/kubernetes.io/serviceaccount/token': No such file or directory",
    /automountServiceAccountToken: false .*'\/var\/run\/secrets\/\S+\/token': No such file/,
  ],
  [
    "container-crash",
    "Error: the moon is full\n    at main (app.js:3)\ngoodbye",
    /it says "Error: the moon is full"/,
  ],
  [
    "container-crash",
    "boom",
    /ends with exit code 1 again and again \(5 restarts\); it says "boom"/,
  ],
];

const initStatus = (state: object, restartCount = 0) => ({
  initContainerStatuses: [{ name: "migrate", ready: false, restartCount, state }],
});

const init = { initContainers: [{ name: "migrate", image: "m" }] };

export const containerCases: readonly Case[] = [
  ...starts.map(
    ([cause, reason, text, says]): Case => ({ cause, objects: [waiting(reason, text)], says }),
  ),
  ...ends.map(
    ([cause, log, says]): Case => ({
      cause,
      objects: [crashed({})],
      says,
      logs: { "web/app/previous": log },
    }),
  ),
  {
    cause: "out-of-memory",
    objects: [
      crashed(
        { exitCode: 137, reason: "OOMKilled" },
        { resources: { limits: { memory: "64Mi" } } },
      ),
    ],
    says: /memory limit of 64Mi .*OOMKilled, 5 restarts/,
  },
  {
    cause: "container-completes",
    objects: [crashed({ exitCode: 0, reason: "Completed" })],
    says: /without an error/,
  },
  {
    cause: "program-misses-library",
    objects: [crashed({ exitCode: 127 })],
    logs: { "web/app/previous": "error while loading shared libraries: libssl.so.1.1" },
    says: /a library .*exit code 127|exit code 127.*a library/,
  },
  {
    cause: "memory-limit-too-small",
    objects: [
      waiting(
        "RunContainerError",
        runc("container init was OOM-killed (memory limit too low?)"),
        { volumes: [{ name: "cache", emptyDir: { medium: "Memory" } }] },
        { volumeMounts: [{ name: "cache", mountPath: "/cache" }] },
      ),
    ],
    says: /too small even .*, or the files in its volume "cache", which is in memory, use it up/,
  },
  {
    cause: "container-crash",
    objects: [
      pod(
        {
          phase: "Failed",
          containerStatuses: [
            { name: "app", state: { terminated: { exitCode: 42, finishedAt: recent } } },
          ],
        },
        { restartPolicy: "Never" },
        {},
        {
          ownerReferences: [
            { apiVersion: "batch/v1", kind: "Job", name: "web", uid: "j", controller: true },
          ],
        },
      ),
      recorded("batch/v1", "Job", {
        status: { conditions: [condition("Failed", "True", "PodFailurePolicy")] },
      }),
    ],
    says: /exit code 42, and a rule of its Job's podFailurePolicy ends the Job for that/,
  },
  {
    cause: "sub-path-key-missing",
    objects: [
      unready(
        { volumeMounts: [{ name: "conf", mountPath: "/etc/app.yaml", subPath: "app.yaml" }] },
        {},
        { volumes: [{ name: "conf", configMap: { name: "settings" } }] },
      ),
      recorded("v1", "ConfigMap", { data: { "app.yml": "" } }, { name: "settings" }),
    ],
    says: /stuck at volumes: .*subPath "app\.yaml" of the ConfigMap "settings" .*no such key/,
  },
  { cause: "container-killed", objects: [crashed({ exitCode: 139 })], says: /segmentation fault/ },
  {
    cause: "command-not-found-in-shell",
    objects: [crashed({ exitCode: 127 })],
    says: /exit code 127/,
  },
  {
    cause: "container-lost",
    objects: [crashed({ exitCode: 137, reason: "ContainerStatusUnknown" })],
    says: /has lost container "app"/,
  },
  {
    cause: "command-not-found",
    objects: [
      crashed({
        exitCode: 128,
        reason: "StartError",
        message: runc('exec: "absent": executable file not found in $PATH'),
      }),
    ],
    says: /command "absent"/,
  },
  {
    cause: "liveness-probe-fails",
    objects: [
      crashed({ exitCode: 137 }, { livenessProbe: { httpGet: { path: "/live", port: 80 } } }),
      event("Pod/web", "Killing", "Container app failed liveness probe, will be restarted", {
        type: "Normal",
      }),
      event(
        "Pod/web",
        "Unhealthy",
        "Liveness probe failed: HTTP probe failed with statuscode: 500",
      ),
    ],
    says: /liveness probe fails: HTTP GET \/live on port 80 got status 500/,
  },
  {
    // The kubelet's events are limited: those of the last ends are missing.
    cause: "liveness-probe-fails",
    objects: [
      crashed({ exitCode: 137 }, { startupProbe: { httpGet: { path: "/", port: 80 } } }),
      event("Pod/web", "Killing", "Container app failed startup probe, will be restarted", {
        type: "Normal",
        lastTimestamp: early,
      }),
    ],
    says: /because its startup probe fails/,
  },
  {
    cause: "container-crash",
    objects: [
      pod(
        {
          phase: "Running",
          ...initStatus({ waiting: { reason: "CrashLoopBackOff" } }, 3),
          initContainerStatuses: [
            {
              name: "migrate",
              ready: false,
              restartCount: 3,
              state: { waiting: { reason: "CrashLoopBackOff" } },
              lastState: { terminated: { exitCode: 2, finishedAt: recent } },
            },
          ],
        },
        init,
      ),
    ],
    says: /init container "migrate" crashes: its program ends with exit code 2/,
  },
  {
    cause: "init-container-runs-on",
    objects: [pod(initStatus({ running: { startedAt: early } }), init)],
    says: /init container "migrate" has been running for 9m/,
  },
  {
    cause: "readiness-probe-fails",
    objects: [
      unready({
        readinessProbe: { httpGet: { path: "/ready", port: 8080 } },
        ports: [{ containerPort: 80 }],
      }),
      event(
        "Pod/web",
        "Unhealthy",
        'Readiness probe failed: Get "http://10.0.0.2:8080/ready": dial tcp 10.0.0.2:8080: connect: connection refused',
      ),
    ],
    says: /stuck at readiness: .*connection is refused.*declares port 80/,
  },
  {
    cause: "readiness-gate",
    objects: [
      pod(
        {
          phase: "Running",
          conditions: [
            condition("ContainersReady", "True"),
            condition("Ready", "False", "ReadinessGatesNotReady"),
          ],
        },
        { readinessGates: [{ conditionType: "a.example.com/ok" }] },
      ),
    ],
    says: /readiness gate a\.example\.com\/ok/,
  },
  { cause: "not-ready", objects: [unready({})], says: /probably stuck at readiness/ },
  { cause: "healthy", objects: [readyPod()], says: /pod\/web is healthy/ },
  { cause: "healthy", objects: [pod({ phase: "Succeeded" })], says: /has done its work/ },
  {
    cause: "probe-begins-late",
    objects: [unready({ readinessProbe: { initialDelaySeconds: 900, tcpSocket: { port: 80 } } })],
    says: /first runs 900 s after its start/,
  },
];
