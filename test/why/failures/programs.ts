import {
  badRegistry,
  container,
  type Failure,
  image,
  mounted,
  object,
  odd,
  pod,
  script,
  workload,
} from "../failure.ts";

/** A program that prints a line and ends. */
const saying = (line: string, code = 1) =>
  workload("Deployment", script(`cat <<'END'\n${line}\nEND\nexit ${code}`));

const lines: readonly (readonly [name: string, line: string, says: RegExp, layer?: string])[] = [
  ["heap", "FATAL ERROR: JavaScript heap out of memory", /it runs out of memory/],
  ["refused", "dial tcp 10.96.33.7:5432: connect: connection refused", /cannot be reached/],
  ["name", "Error: getaddrinfo ENOTFOUND postgres.shop.svc", /name .*cannot be resolved/],
  ["password", 'FATAL: password authentication failed for user "app"', /refuses its credentials/],
  ["authority", "x509: certificate signed by unknown authority", /server's certificate/],
  ["disk", "write /data/log: no space left on device", /disk|space/],
  ["file", "open /etc/app/config.yaml: no such file or directory", /config\.yaml/],
  ["configuration", 'invalid configuration: unknown field "prot"', /configuration/],
  ["library", "error while loading shared libraries: libssl.so.1.1", /a library .*libssl/],
  ["files", "accept4: too many open files", /as many files and connections open as it may/],
  ["inotify", "ENOSPC: System limit for number of file watchers reached", /inotify watches/],
  ["threads", "RuntimeError: can't start new thread", /no more processes or threads/],
  ["migration", 'relation "users" does not exist', /its database lacks/],
  ["fault", "panic: runtime error: index out of range", /its program has a fault/],
  ["token", "error: You must be logged in to the server (Unauthorized)", /credentials/],
  ["variable", "KeyError: 'DATABASE_URL'", /its configuration is missing something/],
  [
    "api",
    'pods is forbidden: User "system:serviceaccount:a:default" cannot list resource "pods"',
    /\(RBAC\)/,
    "authorization",
  ],
];

const run = (mode: number) => [
  object("v1", "ConfigMap", "run", { data: { "run.sh": "#!/bin/bash\nexit 0\n" } }),
  pod(
    container({ command: ["/data/run.sh"], ...mounted({}).mount }),
    mounted({ configMap: { name: "run", defaultMode: mode } }).spec,
  ),
];

const fromRegistry = (name: string, says: RegExp, host = badRegistry.plain): Failure => ({
  name: `image-${name}`,
  objects: [pod(container({ image: `${host}/${name}/app:1` }))],
  layer: "image",
  says,
});

export const programFailures: readonly Failure[] = [
  ...lines.map(
    ([name, line, says, layer = "containers"]): Failure => ({
      name: `program-${name}`,
      objects: [saying(line)],
      layer,
      says,
    }),
  ),
  {
    name: "program-foreign",
    objects: [pod(container({ image: odd.foreign }))],
    layer: "containers",
    says: /built for another processor architecture/,
  },
  {
    name: "program-user",
    objects: [pod(container({ image: odd.user }))],
    layer: "containers",
    says: /its image (?:has no user "nobody-here"|lacks the user that it names)/,
  },
  {
    name: "program-none",
    objects: [pod(container({ image: odd.empty }))],
    layer: "containers",
    says: /neither its image nor its spec names a command/,
  },
  {
    name: "script-mode",
    objects: run(0o644),
    ask: "pod/web",
    layer: "containers",
    says: /may not be executed/,
  },
  {
    name: "script-shell",
    objects: run(0o755),
    ask: "pod/web",
    layer: "containers",
    says: /interpreter in the first line of the script/,
  },
  {
    name: "port-in-use",
    objects: [
      pod(container(), {
        containers: [container(), script("sleep 3; httpd -f -p 80", { name: "second" })],
      }),
    ],
    layer: "containers",
    says: /"second" .*port that it listens on is in use/,
  },
  {
    name: "port-privileged",
    objects: [
      pod(
        script("httpd -f -p 80", {
          securityContext: { runAsUser: 1000, capabilities: { drop: ["ALL"] } },
        }),
        {
          securityContext: {
            sysctls: [{ name: "net.ipv4.ip_unprivileged_port_start", value: "1024" }],
          },
        },
      ),
    ],
    layer: "containers",
    says: /a port below 1024/,
  },
  {
    name: "killed",
    objects: [pod(script("exit 137"))],
    layer: "containers",
    says: /killed|SIGKILL/,
  },
  {
    name: "memory-limit",
    objects: [
      pod(container(), {
        containers: [
          container({ resources: { limits: { memory: "200Mi" } } }),
          script("true", { name: "tiny", resources: { limits: { memory: "1Mi" } } }),
        ],
      }),
    ],
    layer: "containers",
    says: /"tiny".*memory/,
  },
  {
    name: "memory-limit-sandbox",
    objects: [pod(container({ resources: { limits: { memory: "1Mi" } } }))],
    layer: "containers",
    says: /memory limit of (?:the Pod|1Mi).* too small/,
  },
  {
    name: "sidecar",
    objects: [
      pod(container(), {
        initContainers: [
          {
            ...script("echo cannot listen; exit 7"),
            name: "proxy",
            restartPolicy: "Always",
            startupProbe: {
              exec: { command: ["test", "-f", "/tmp/up"] },
              periodSeconds: 1,
              failureThreshold: 100,
            },
          },
        ],
      }),
    ],
    layer: "containers",
    says: /sidecar "proxy" crashes.*exit code 7/,
  },
  {
    name: "evicted",
    objects: [
      pod(
        script("busybox dd if=/dev/zero of=/tmp/f bs=1M count=60; sleep 1000", {
          resources: { limits: { "ephemeral-storage": "10Mi" } },
        }),
      ),
    ],
    layer: "node",
    says: /evicted it: .*ephemeral local storage/,
  },
  {
    name: "sysctl-forbidden",
    objects: [
      pod(container(), {
        securityContext: { sysctls: [{ name: "kernel.msgmax", value: "65536" }] },
      }),
    ],
    layer: "node",
    says: /refused it \(SysctlForbidden\)/,
  },
  {
    name: "sysctl-value",
    objects: [
      pod(container(), {
        securityContext: { sysctls: [{ name: "net.ipv4.ip_local_port_range", value: "none" }] },
      }),
    ],
    layer: "node",
    says: /cannot set a sysctl.*ip_local_port_range/,
  },
  fromRegistry("missing", /the registry .* has no image/),
  fromRegistry("private", /refuses access/),
  fromRegistry("limited", /limits pulls \(429/),
  fromRegistry("broken", /500 Internal Server Error/),
  fromRegistry("damaged", /damaged|digest/),
  fromRegistry("foreign", /does not exist for the processor architecture of the node/),
  fromRegistry("plain", /plain HTTP/, badRegistry.notLoopback),
  fromRegistry("untrusted", /certificate/, badRegistry.tls),
  { ...fromRegistry("slow", /has been pulling an image for/), isSlow: true },
  {
    name: "image-pull-secret",
    objects: [
      pod(container({ image: `${badRegistry.plain}/private/other:1` }), {
        imagePullSecrets: [{ name: "absent" }],
      }),
    ],
    layer: "image",
    says: /the pull secret "absent" of the Pod does not exist/,
  },
  {
    name: "image-digest",
    objects: [pod(container({ image: `${image.replace(/:.*/, "")}@sha256:abc` }))],
    layer: "image",
    says: /the digest after @ must be/,
  },
  {
    name: "image-always",
    objects: [pod(container({ imagePullPolicy: "Always" }))],
    layer: "image",
    says: /imagePullPolicy/,
  },
];
