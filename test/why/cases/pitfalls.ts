import {
  type Case,
  clusterWide,
  condition,
  crashed,
  event,
  readyPod,
  recent,
  recorded,
  waiting,
} from "./recorded.ts";

const service = (spec: object, metadata: object = {}) =>
  recorded(
    "v1",
    "Service",
    { spec: { selector: { app: "web" }, ports: [{ port: 80 }], ...spec } },
    { ...metadata },
  );
const slice = (fields: object = {}) =>
  recorded(
    "discovery.k8s.io/v1",
    "EndpointSlice",
    { endpoints: [{ conditions: { ready: true } }], ...fields },
    { name: "web-1", labels: { "kubernetes.io/service-name": "web" } },
  );
const ingress = (name: string, backend: string, creationTimestamp: string) =>
  recorded(
    "networking.k8s.io/v1",
    "Ingress",
    {
      spec: {
        ingressClassName: "one",
        rules: [
          {
            host: "shop.example",
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
      status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } },
    },
    { name, creationTimestamp },
  );
const served = [
  clusterWide("networking.k8s.io/v1", "IngressClass", {}, { name: "one" }),
  service({}),
  service({}, { name: "api" }),
  slice(),
  readyPod(),
];
const policy = (spec: object) =>
  recorded("networking.k8s.io/v1", "NetworkPolicy", { spec: { podSelector: {}, ...spec } });
const rbac = "rbac.authorization.k8s.io/v1";
const ofRole = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" };
const robot = { kind: "ServiceAccount", name: "robot" };
const debugged = (state: object) => {
  const pod = readyPod();
  const { spec, status } = pod as unknown as { spec: object; status: object };
  return {
    ...pod,
    spec: { ...spec, ephemeralContainers: [{ name: "debug", image: "tools:9" }] },
    status: { ...status, ephemeralContainerStatuses: [{ name: "debug", state }] },
  };
};
const said = (text: string, more: object = {}): Pick<Case, "objects" | "logs"> => ({
  objects: [{ ...crashed({}), ...more }],
  logs: { "web/app/previous": text },
});
const refused = "unexpected status from HEAD request: 401 Unauthorized";
const pullSecret = (type: string, data: object) =>
  recorded("v1", "Secret", { type, data }, { name: "pull" });
const auths = { auths: { "other.example": { auth: "eA==" } } };
const hook = 'failed calling webhook "a.example.com": failed to call webhook: Post';

/** Mistakes that leave everything looking well, and ends whose log names a part of the cluster. */
export const pitfallCases: readonly Case[] = [
  {
    cause: "target-port-on-loopback",
    objects: [service({}), readyPod(), slice()],
    loopback: ["web:80"],
    says: /stuck at service: the program behind its port 80 listens on 127\.0\.0\.1/,
  },
  {
    cause: "target-port-on-loopback",
    objects: [ingress("web", "web", recent), ...served],
    loopback: ["web:80"],
    says: /^ingress\/web is stuck at service: the program behind its port 80/,
  },
  {
    cause: "target-port-closed",
    objects: [service({}), readyPod(), readyPod({ name: "batch" }), slice()],
    closed: ["batch:80"],
    says: /nothing listens on port 80 of some of the 2 Pods/,
  },
  {
    cause: "ephemeral-container",
    objects: [
      debugged({
        waiting: { reason: "ErrImagePull", message: "rpc error: dial tcp: lookup x: no such host" },
      }),
    ],
    says: /stuck at image: its ephemeral container "debug" does not start: .*cannot be resolved/,
  },
  {
    cause: "healthy",
    objects: [debugged({ terminated: { exitCode: 1 } })],
    says: /is healthy/,
  },
  {
    cause: "ingress-conflict",
    objects: [
      ingress("web", "web", recent),
      ingress("old", "api", "2025-01-01T00:00:00Z"),
      ...served,
    ],
    says: /its path \/ of host shop\.example belongs to ingress\/old in default, which is older/,
  },
  {
    cause: "ingress-conflict",
    objects: [
      ingress("web", "web", "2024-01-01T00:00:00Z"),
      ingress("new", "api", recent),
      ...served,
    ],
    says: /^ingress\/web is healthy/,
  },
  {
    cause: "ingress-tls-secret-missing",
    objects: [
      recorded("networking.k8s.io/v1", "Ingress", {
        spec: { ingressClassName: "one", tls: [{ secretName: "tls" }] },
        status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } },
      }),
      recorded("v1", "Secret", { type: "Opaque", data: { "cert.pem": "eA==" } }, { name: "tls" }),
      ...served,
    ],
    says: /the Secret "tls" is no TLS certificate: it has no tls\.crt and tls\.key \(its type is Opaque\)/,
  },
  {
    cause: "external-name",
    objects: [service({ type: "ExternalName", externalName: "10.1.2.3", selector: undefined })],
    says: /externalName "10\.1\.2\.3" is an address/,
  },
  {
    cause: "external-name",
    objects: [service({ type: "ExternalName", externalName: "db.shop.svc.cluster.local" })],
    says: /alias of db\.shop\.svc\.cluster\.local, and the Service "db" in shop does not exist/,
  },
  {
    cause: "healthy",
    objects: [service({ type: "ExternalName", externalName: "api.example.com" })],
    says: /alias of api\.example\.com/,
  },
  {
    cause: "endpoint-port-name",
    objects: [
      service({ selector: {}, ports: [{ name: "http", port: 80 }] }),
      slice({ ports: [{ name: "web", port: 80 }] }),
    ],
    says: /no EndpointSlice of it has a port named "http" \(they have "web"\)/,
  },
  {
    cause: "network-policy",
    objects: [service({}), readyPod(), slice(), policy({ ingress: [{ ports: [{ port: 443 }] }] })],
    says: /allows connections to port 443 only, and the Service leads to port 80/,
  },
  {
    cause: "network-policy",
    objects: [
      service({}),
      readyPod(),
      slice(),
      policy({ ingress: [{ from: [{ podSelector: { matchLabels: { app: "front" } } }] }] }),
    ],
    says: /allows connections only from Pods app=front, and there is no such Pod/,
  },
  {
    cause: "healthy",
    objects: [
      service({}),
      readyPod(),
      slice(),
      policy({ ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 1, endPort: 90 }] }] }),
    ],
    says: /is healthy/,
  },
  {
    cause: "network-policy-idle",
    objects: [policy({ podSelector: { matchLabels: { app: "absent" } } })],
    says: /it protects nothing: its podSelector app=absent matches no Pod/,
  },
  {
    cause: "selector-matches-nothing",
    objects: [service({}), readyPod({ namespace: "shop" })],
    says: /pod\/web has these labels, but in the namespace shop/,
  },
  {
    cause: "selector-matches-nothing",
    objects: [service({ selector: { App: "Web" } }), readyPod()],
    says: /selector App=Web matches no Pod \(pod\/web has app=web\)/,
  },
  {
    cause: "healthy",
    objects: [service({ clusterIP: "None" })],
    says: /is healthy: it is headless/,
  },
  {
    cause: "binding-without-role",
    objects: [recorded(rbac, "RoleBinding", { roleRef: ofRole, subjects: [] })],
    says: /stuck at authorization: the Role "reader" does not exist/,
  },
  {
    cause: "binding-without-account",
    objects: [
      recorded(rbac, "RoleBinding", { roleRef: ofRole, subjects: [robot] }),
      recorded(rbac, "Role", {}, { name: "reader" }),
    ],
    says: /its ServiceAccount "robot" in default does not exist/,
  },
  {
    cause: "policy-expression",
    objects: [
      clusterWide("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", {
        spec: {},
        status: {
          typeChecking: {
            expressionWarnings: [
              { fieldRef: "spec.validations[0].expression", warning: "no field" },
            ],
          },
        },
      }),
    ],
    says: /its spec\.validations\[0\]\.expression is wrong: no field/,
  },
  {
    cause: "policy-unbound",
    objects: [clusterWide("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy")],
    says: /it judges nothing: no ValidatingAdmissionPolicyBinding names it/,
  },
  {
    cause: "webhook-fails",
    objects: [
      clusterWide("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", {
        webhooks: [{ name: "a.example.com", clientConfig: { url: "https://192.0.2.1/" } }],
      }),
      event(
        "ReplicaSet/web",
        "FailedCreate",
        `${hook} "https://192.0.2.1/": x509: certificate has expired`,
      ),
    ],
    says: /its webhook "a\.example\.com" cannot be called.*its certificate has expired/,
  },
  {
    cause: "webhook-unreachable",
    objects: [
      recorded("apps/v1", "ReplicaSet", {
        spec: { replicas: 1, selector: {} },
        status: {
          replicas: 0,
          conditions: [
            condition(
              ...(["ReplicaFailure", "True", "FailedCreate"] as const),
              `${hook} "https://hook.shop.svc:443/?timeout=10s": no service port 443 found for service "hook"`,
            ),
          ],
        },
      }),
    ],
    says: /its Service "hook" has no port 443/,
  },
  {
    cause: "post-start-hook-runs",
    objects: [
      waiting("ContainerCreating", "", {}, { lifecycle: { postStart: { exec: {} } } }),
      event("Pod/web", "Started", "Container started", { type: "Normal" }),
    ],
    says: /the postStart hook of container "app" has not ended/,
  },
  {
    cause: "image-pull-secret-useless",
    objects: [
      waiting("ErrImagePull", `rpc error: ${refused}`, { imagePullSecrets: [{ name: "pull" }] }),
      pullSecret("Opaque", {}),
    ],
    says: /pull secret "pull" of the Pod is of type Opaque/,
  },
  {
    cause: "image-pull-secret-useless",
    objects: [
      waiting("ErrImagePull", `rpc error: ${refused}`, { imagePullSecrets: [{ name: "pull" }] }),
      pullSecret("kubernetes.io/dockerconfigjson", {
        ".dockerconfigjson": btoa(JSON.stringify(auths)),
      }),
    ],
    says: /the pull secret "pull" of the Pod is for other\.example only/,
  },
  {
    cause: "program-kernel-setting",
    ...said(
      "bootstrap check failure [1] of [1]: max virtual memory areas vm.max_map_count [65530] is too low, increase to at least [262144]\nERROR: Elasticsearch did not exit normally - check the logs at /x.log",
    ),
    says: /probably stuck at node: .*a setting of the node's kernel.*vm\.max_map_count/,
  },
  {
    cause: "program-configuration",
    ...said("Error: unknown flag: --prot\nUsage:\n  server [flags]"),
    says: /it says "Error: unknown flag: --prot"/,
  },
  {
    cause: "program-configuration",
    ...said(
      'npm ERR! Missing script: "start"\nnpm ERR! A complete log of this run can be found in:',
    ),
    says: /it says "npm ERR! Missing script: "start""/,
  },
  {
    cause: "program-misses-file",
    ...said(">>> 'dir /data/redis'\nNo such file or directory"),
    says: /dir \/data\/redis' No such file or directory/,
  },
  {
    cause: "program-cannot-resolve-name",
    ...said("Error: getaddrinfo ENOTFOUND db"),
    says: /the name "db" cannot be resolved: there is no Service "db" in default/,
  },
  {
    cause: "program-cannot-resolve-name",
    objects: [crashed({}), service({}, { name: "db", namespace: "data" })],
    logs: { "web/app/previous": "nc: bad address 'db'" },
    says: /there is no Service "db" in default.*there is one in data, whose name is db\.data/,
  },
  {
    cause: "program-cannot-connect",
    objects: [crashed({}), service({}, { name: "db" })],
    logs: { "web/app/previous": "dial tcp db:5432: connect: connection refused" },
    says: /cannot be reached: the Service "db" in default has no ready endpoint/,
  },
];
