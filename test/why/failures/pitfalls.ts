import {
  badRegistry,
  claim,
  container,
  type Failure,
  type Manifest,
  named,
  object,
  pod,
  script,
  service,
  workload,
} from "../failure.ts";

const rbac = "rbac.authorization.k8s.io/v1";
const ofRole = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "absent" };
const loopback = script("mkdir /tmp/www; httpd -f -p 127.0.0.1:80 -h /tmp/www");
const ready = ["wait", "pod/web", "--for=condition=Ready", "--timeout=300s"];
const saying = (...lines: readonly string[]) =>
  workload("Deployment", script(`cat <<'END'\n${lines.join("\n")}\nEND\nexit 1`));

const route = (name: string, host: string, backend: string): Manifest =>
  object("networking.k8s.io/v1", "Ingress", name, {
    spec: {
      ingressClassName: "k8ts",
      rules: [
        {
          host,
          http: {
            paths: [
              {
                ...{ path: "/", pathType: "Prefix" },
                backend: { service: { name: backend, port: { number: 80 } } },
              },
            ],
          },
        },
      ],
    },
  });

const policy = (ingress: readonly object[]) =>
  object("networking.k8s.io/v1", "NetworkPolicy", "limits", {
    spec: { podSelector: {}, policyTypes: ["Ingress"], ingress },
  });

const withSecret = (name: string, secret: object): Failure => ({
  name,
  objects: [
    pod(container({ image: `${badRegistry.plain}/private/app:1` }), {
      imagePullSecrets: [{ name: "pull" }],
    }),
    object("v1", "Secret", "pull", { ...secret }),
  ],
  layer: "image",
  says: /pull secret "pull" of the Pod is (?:of type Opaque|for other\.example only)/,
});

const other = JSON.stringify({ auths: { "other.example": { username: "me", password: "x" } } });

/** Objects that look well and do not do what their author meant; logs that name a part of the cluster. */
export const pitfallFailures: readonly Failure[] = [
  {
    name: "service-loopback",
    objects: [service(), workload("Deployment", loopback)],
    layer: "service",
    says: /behind its port 80 listens on 127\.0\.0\.1 \(localhost\) only/,
  },
  {
    name: "ingress-loopback",
    objects: [
      route("web", "loopback.why.example", "web"),
      service(),
      workload("Deployment", loopback),
    ],
    layer: "service",
    says: /behind its port 80 listens on 127\.0\.0\.1/,
  },
  {
    name: "service-two-programs",
    objects: [
      service(),
      pod(container()),
      named("idle", pod(script("trap exit TERM; sleep 9999 & wait"))),
    ],
    layer: "service",
    says: /nothing listens on port 80 of some of the 2 Pods/,
  },
  {
    name: "debug-image",
    objects: [pod(container())],
    afterwards: [
      ready,
      ["debug", "pod/web", "--image=registry.invalid/tools:1", "--attach=false", "-c", "tools"],
    ],
    layer: "image",
    says: /its ephemeral container "tools" does not start: .*registry\.invalid/,
  },
  {
    name: "ingress-conflict",
    objects: [
      route("aaa", "conflict.why.example", "web"),
      route("web", "conflict.why.example", "api"),
      ...[service(), named("api", service()), pod(container())],
    ],
    ask: "ingress/web",
    layer: "service",
    says: /belongs to ingress\/aaa in ingress-conflict, which is older/,
  },
  {
    name: "external-address",
    objects: [service({ type: "ExternalName", externalName: "192.0.2.7", selector: null })],
    layer: "service",
    says: /externalName "192\.0\.2\.7" is an address/,
  },
  {
    name: "endpoint-port",
    objects: [
      service({ selector: {}, ports: [{ name: "http", port: 80 }] }),
      {
        ...object("discovery.k8s.io/v1", "EndpointSlice", "web-1", {
          addressType: "IPv4",
          endpoints: [{ addresses: ["192.0.2.1"] }],
          ports: [{ name: "web", port: 80 }],
        }),
        metadata: { name: "web-1", labels: { "kubernetes.io/service-name": "web" } },
      },
    ],
    layer: "service",
    says: /no EndpointSlice of it has a port named "http"/,
  },
  {
    name: "policy-port",
    objects: [service(), pod(container()), policy([{ ports: [{ port: 443 }] }])],
    layer: "network",
    says: /allows connections to port 443 only, and the Service leads to port 80/,
  },
  {
    name: "policy-of-nobody",
    objects: [
      service(),
      pod(container()),
      policy([{ from: [{ podSelector: { matchLabels: { app: "absent" } } }] }]),
    ],
    layer: "network",
    says: /allows connections only from Pods app=absent, and there is no such Pod/,
  },
  {
    name: "policy-idle",
    objects: [
      object("networking.k8s.io/v1", "NetworkPolicy", "web", {
        spec: { podSelector: { matchLabels: { app: "absent" } } },
      }),
    ],
    layer: "network",
    says: /its podSelector app=absent matches no Pod/,
  },
  {
    name: "selector-case",
    objects: [service({ selector: { App: "Web" } }), pod(container())],
    layer: "service",
    says: /selector App=Web matches no Pod \(pod\/web has app=web\)/,
  },
  {
    name: "binding-role",
    objects: [object(rbac, "RoleBinding", "web", { roleRef: ofRole, subjects: [] })],
    layer: "authorization",
    says: /the Role "absent" does not exist/,
  },
  {
    name: "binding-account",
    objects: [
      object(rbac, "RoleBinding", "web", {
        roleRef: { ...ofRole, kind: "ClusterRole", name: "view" },
        subjects: [{ kind: "ServiceAccount", name: "robot", namespace: "binding-account" }],
      }),
    ],
    layer: "authorization",
    says: /its ServiceAccount "robot" in binding-account does not exist/,
  },
  {
    name: "policy-expression",
    objects: [
      object("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", "why-expression", {
        spec: {
          matchConstraints: {
            resourceRules: [
              {
                ...{ apiGroups: ["apps"], apiVersions: ["v1"] },
                ...{ operations: ["CREATE"], resources: ["deployments"] },
              },
            ],
          },
          validations: [{ expression: "object.spec.replicaz > 1" }],
        },
      }),
    ],
    layer: "admission",
    says: /undefined field 'replicaz'/,
  },
  {
    name: "policy-unbound",
    objects: [
      object("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", "why-unbound", {
        spec: {
          matchConstraints: {
            resourceRules: [
              {
                ...{ apiGroups: [""], apiVersions: ["v1"] },
                ...{ operations: ["CREATE"], resources: ["secrets"] },
              },
            ],
          },
          validations: [{ expression: "true" }],
        },
      }),
    ],
    layer: "admission",
    says: /no ValidatingAdmissionPolicyBinding names it/,
  },
  {
    name: "webhook-authority",
    objects: [
      {
        ...object("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "why-ca"),
        webhooks: [
          {
            name: "ca.example.com",
            admissionReviewVersions: ["v1"],
            sideEffects: "None",
            namespaceSelector: {
              matchLabels: { "kubernetes.io/metadata.name": "webhook-authority" },
            },
            rules: [
              { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] },
            ],
            clientConfig: { url: badRegistry.webhook },
          },
        ],
      },
      workload("Deployment", container(), { spec: { replicas: 0 } }),
    ],
    // A new webhook is in force a moment later: the first Pod may be made.
    afterwards: [
      ["scale", "deployment/web", "--replicas=1"],
      ["rollout", "restart", "deployment/web"],
    ],
    layer: "admission",
    says: /its webhook "ca\.example\.com" cannot be called.*not trusted/,
  },
  {
    name: "post-start-runs",
    objects: [
      pod(container({ lifecycle: { postStart: { exec: { command: ["sleep", "1000"] } } } })),
    ],
    layer: "containers",
    says: /the postStart hook of container "web" has not ended/,
  },
  withSecret("pull-secret-type", { stringData: { username: "me" } }),
  withSecret("pull-secret-registry", {
    type: "kubernetes.io/dockerconfigjson",
    stringData: { ".dockerconfigjson": other },
  }),
  {
    name: "program-kernel",
    objects: [saying("max virtual memory areas vm.max_map_count [65530] is too low, increase")],
    layer: "node",
    says: /a setting of the node's kernel/,
  },
  {
    name: "program-usage",
    objects: [saying("Error: unknown flag: --prot", "Usage:", "  server [flags]")],
    layer: "containers",
    says: /it says "Error: unknown flag: --prot"/,
  },
  {
    name: "program-service",
    objects: [saying("dial tcp: lookup db on 10.96.0.10:53: no such host")],
    layer: "containers",
    says: /the name "db" cannot be resolved: there is no Service "db" in program-service/,
  },
  {
    name: "program-endpoints",
    objects: [
      saying("dial tcp db:5432: connect: connection refused"),
      named("db", service({ selector: { app: "db" } })),
    ],
    layer: "containers",
    says: /cannot be reached: the Service "db" in program-endpoints has no ready endpoint/,
  },
  {
    name: "host-network-names",
    objects: [pod(script("echo \"bad address 'api.shop.svc'\"; exit 1"), { hostNetwork: true })],
    layer: "containers",
    says: /needs dnsPolicy ClusterFirstWithHostNet/,
  },
  {
    name: "volume-access",
    objects: [
      claim({ storageClassName: "why-access", accessModes: ["ReadWriteMany"] }),
      object("storage.k8s.io/v1", "StorageClass", "why-access", {
        provisioner: "kubernetes.io/no-provisioner",
      }),
      object("v1", "PersistentVolume", "why-access", {
        spec: {
          ...{ storageClassName: "why-access", capacity: { storage: "2Gi" } },
          ...{ accessModes: ["ReadWriteOnce"], hostPath: { path: "/tmp" } },
        },
      }),
    ],
    ask: "pvc/data",
    layer: "volumes",
    says: /its access modes are ReadWriteOnce, not ReadWriteMany/,
  },
  {
    name: "headless-idle",
    objects: [service({ clusterIP: "None" })],
    layer: "healthy",
    says: /it is headless/,
  },
];
