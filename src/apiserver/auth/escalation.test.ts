import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { after, before, test } from "node:test";
import { type SecuredServer, startSecuredServer } from "#/testing/start-secured-server.ts";

/** Attempts of users and nodes to get more permissions than granted. Each is refused. */

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const csrs = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const own = "/api/v1/namespaces/own";
const merge = "application/merge-patch+json";

let server: SecuredServer;

/** bob is the administrator of one namespace; n1 and n2 are nodes. */
before(async () => {
  server = await startSecuredServer({
    admission: true,
    mode: "Node,RBAC",
    flags: [
      "--enable-admission-plugins=NodeRestriction",
      "--disable-admission-plugins=ServiceAccount",
    ],
    tokens: [
      'admintoken,admin,admin-uid,"system:masters"',
      "bobtoken,bob,bob-uid",
      'n1token,system:node:n1,n1-uid,"system:nodes"',
    ],
  });
  const admin = (method: string, path: string, body: object) =>
    made(server.as("admintoken", method, path, body));
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  await admin("POST", "/api/v1/namespaces", { metadata: { name: "own", labels } });
  await admin("POST", `${rbac}/clusterroles`, { metadata: { name: "owner" }, rules: ownersRules });
  await admin("POST", `${rbac}/namespaces/own/rolebindings`, binding("owner", "bob"));
  for (const name of ["n1", "n2"]) {
    await admin("POST", "/api/v1/nodes", { metadata: { name } });
    await admin("POST", "/api/v1/namespaces/kube-system/pods", pod(`on-${name}`, name));
  }
  await admin("POST", "/api/v1/namespaces/kube-system/secrets", { metadata: { name: "hidden" } });
  await admin("POST", "/api/v1/namespaces/kube-system/serviceaccounts", {
    metadata: { name: "sa" },
  });
  await admin("POST", "/api/v1/persistentvolumes", volume);
  await admin("POST", `${own}/pods`, pod("safe", ""));
});
after(() => server[Symbol.asyncDispose]());

async function made(answer: ReturnType<SecuredServer["as"]>): Promise<void> {
  const { status, text } = await answer;
  assert.ok(status < 300, text);
}

const binding = (role: string, user: string) => ({
  metadata: { name: `${role}-${user}` },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
  subjects: [{ kind: "User", name: user }],
});
/** Nearly all permissions, in one namespace. */
const ownersRules = [
  {
    apiGroups: [""],
    resources: ["pods", "pods/ephemeralcontainers", "configmaps", "secrets", "serviceaccounts"],
    verbs: ["*"],
  },
  {
    apiGroups: ["rbac.authorization.k8s.io"],
    resources: ["roles", "rolebindings", "clusterroles"],
    verbs: ["create", "update", "patch", "get", "list", "delete"],
  },
  { apiGroups: [""], resources: ["persistentvolumes", "nodes"], verbs: ["*"] },
];
const volume = {
  metadata: { name: "pv" },
  spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" } },
};
const pod = (name: string, nodeName: string, more: object = {}) => ({
  metadata: { name },
  spec: {
    nodeName,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    containers: [container("c")],
    ...more,
  },
});
const container = (name: string) => ({
  name,
  image: "i",
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
});
const request = (
  signerName: string,
  subject: readonly (readonly [number[], string])[],
  usages: string[],
) => ({
  metadata: { generateName: "r-" },
  spec: { signerName, usages, request: certificateRequest(subject).toString("base64") },
});

const commonName = [0x55, 0x04, 0x03];
const organization = [0x55, 0x04, 0x0a];

/** A PKCS#10 request in PEM. */
function certificateRequest(subject: readonly (readonly [number[], string])[]): Buffer {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const names = subject.map(([type, value]) =>
    der(0x31, der(0x30, der(0x06, Buffer.from(type)), der(0x0c, Buffer.from(value)))),
  );
  const info = der(
    0x30,
    der(0x02, Buffer.from([0])),
    der(0x30, ...names),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa0),
  );
  const ecdsaWithSha256 = der(0x30, der(0x06, Buffer.from("2a8648ce3d040302", "hex")));
  const signature = der(0x03, Buffer.from([0]), sign("sha256", info, privateKey));
  const body = der(0x30, info, ecdsaWithSha256, signature).toString("base64");
  return Buffer.from(
    `-----BEGIN CERTIFICATE REQUEST-----\n${body}\n-----END CERTIFICATE REQUEST-----\n`,
  );
}

function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const length =
    body.length < 128
      ? [body.length]
      : body.length < 256
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

interface Attack {
  readonly name: string;
  readonly who: string;
  /** Method and path. */
  readonly line: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly expected: RegExp;
  readonly status?: number;
}

const attacks: readonly Attack[] = [
  {
    name: "a role that grants more than its author has",
    who: "bobtoken",
    line: `POST ${rbac}/namespaces/own/roles`,
    body: {
      metadata: { name: "r" },
      rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }],
    },
    expected:
      /user "bob" \(groups=\["system:authenticated"\]\) is attempting to grant RBAC permissions not currently held:/,
  },
  {
    name: "a binding to a role that grants more",
    who: "bobtoken",
    line: `POST ${rbac}/namespaces/own/rolebindings`,
    body: binding("cluster-admin", "bob"),
    expected: /is attempting to grant RBAC permissions not currently held:/,
  },
  {
    name: "a binding for the whole cluster",
    who: "bobtoken",
    line: `POST ${rbac}/clusterrolebindings`,
    body: binding("cluster-admin", "bob"),
    expected:
      /User "bob" cannot create resource "clusterrolebindings" in API group "rbac.authorization.k8s.io" at the cluster scope/,
  },
  {
    name: "a cluster-scoped object, by a path of the user's namespace",
    who: "bobtoken",
    line: "GET /api/v1/namespaces/own/persistentvolumes/pv",
    expected: /could not find the requested resource|forbidden/,
  },
  {
    name: "a ClusterRole, by a path of the user's namespace",
    who: "bobtoken",
    line: `POST ${rbac}/namespaces/own/clusterroles`,
    body: { metadata: { name: "r" } },
    expected: /could not find the requested resource|forbidden/,
  },
  {
    name: "objects of all namespaces, by a path without a namespace",
    who: "bobtoken",
    line: "DELETE /api/v1/pods",
    expected: /does not allow this method|forbidden/,
  },
  {
    name: "an object of another namespace, by the namespace in the body",
    who: "bobtoken",
    line: `POST ${own}/configmaps`,
    body: { metadata: { name: "c", namespace: "kube-system" } },
    expected:
      /the namespace of the provided object does not match the namespace sent on the request/,
  },
  {
    name: "impersonation of a uid",
    who: "bobtoken",
    line: "GET /api/v1/secrets",
    headers: { "impersonate-user": "admin", "impersonate-uid": "admin-uid" },
    expected: /cannot impersonate/,
  },
  {
    name: "a certificate for system:masters",
    who: "admintoken",
    line: `POST ${csrs}`,
    body: request(
      "kubernetes.io/kube-apiserver-client",
      [
        [organization, "system:masters"],
        [commonName, "eve"],
      ],
      ["client auth"],
    ),
    expected:
      /use of kubernetes.io\/kube-apiserver-client signer with system:masters group is not allowed/,
  },
  {
    name: "a CertificateSigningRequest without permission to create one",
    who: "bobtoken",
    line: `POST ${csrs}`,
    body: request("kubernetes.io/kube-apiserver-client", [[commonName, "eve"]], ["client auth"]),
    expected: /User "bob" cannot create resource "certificatesigningrequests"/,
  },
  {
    name: "a restricted label of a node",
    who: "n1token",
    line: "PATCH /api/v1/nodes/n1",
    body: { metadata: { labels: { "node-restriction.kubernetes.io/tier": "gold" } } },
    headers: { "content-type": merge },
    expected: /is not allowed to modify labels: node-restriction.kubernetes.io\/tier/,
  },
  {
    name: "a node's taints, by itself",
    who: "n1token",
    line: "PATCH /api/v1/nodes/n1",
    body: { spec: { taints: [{ key: "a", effect: "NoExecute" }] } },
    headers: { "content-type": merge },
    expected: /is not allowed to modify taints/,
  },
  {
    name: "another node's status",
    who: "n1token",
    line: "PATCH /api/v1/nodes/n2/status",
    body: { status: { phase: "Running" } },
    headers: { "content-type": merge },
    expected: /node "n1" is not allowed to modify node "n2"/,
  },
  {
    name: "a mirror pod created by a node for another node",
    who: "n1token",
    line: "POST /api/v1/namespaces/kube-system/pods",
    body: {
      ...pod("mirror", "n2"),
      metadata: { name: "mirror", annotations: { "kubernetes.io/config.mirror": "x" } },
    },
    expected: /node "n1" can only create pods with spec.nodeName set to itself/,
  },
  {
    name: "a pod created by a node that is no mirror pod",
    who: "n1token",
    line: "POST /api/v1/namespaces/kube-system/pods",
    body: pod("plain", "n1"),
    expected:
      /pod does not have "kubernetes.io\/config.mirror" annotation, node "n1" can only create mirror pods/,
  },
  {
    name: "a mirror pod that no node owns",
    who: "n1token",
    line: "POST /api/v1/namespaces/kube-system/pods",
    body: {
      ...pod("mirror", "n1", { serviceAccountName: "sa" }),
      metadata: { name: "mirror", annotations: { "kubernetes.io/config.mirror": "x" } },
    },
    expected: /node "n1" can only create pods with an owner reference set to itself/,
  },
  {
    name: "deletion of a pod of another node",
    who: "n1token",
    line: "DELETE /api/v1/namespaces/kube-system/pods/on-n2",
    expected: /node "n1" can only delete pods with spec.nodeName set to itself/,
  },
  {
    name: "a secret that no pod of the node refers to",
    who: "n1token",
    line: "GET /api/v1/namespaces/kube-system/secrets/hidden",
    expected: /no relationship found between node 'n1' and this object/,
  },
  {
    name: "all secrets, by a node",
    who: "n1token",
    line: "GET /api/v1/secrets",
    expected: /can only list\/watch|cannot list resource "secrets"/,
  },
  {
    name: "a service account's token that no pod of the node has",
    who: "n1token",
    line: "POST /api/v1/namespaces/kube-system/serviceaccounts/sa/token",
    body: { spec: { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "on-n2" } } },
    expected: /no relationship found between node 'n1' and this object/,
  },
  {
    name: "an ephemeral container that runs as root",
    who: "bobtoken",
    line: `PATCH ${own}/pods/safe/ephemeralcontainers`,
    body: {
      spec: {
        ephemeralContainers: [{ name: "evil", image: "i", securityContext: { runAsUser: 0 } }],
      },
    },
    headers: { "content-type": "application/strategic-merge-patch+json" },
    expected: /violates PodSecurity "restricted:latest": .*runAsUser=0/,
  },
  {
    name: "an ephemeral container by an update of the pod itself",
    who: "bobtoken",
    line: `PATCH ${own}/pods/safe`,
    body: { spec: { ephemeralContainers: [{ name: "evil", image: "i" }] } },
    headers: { "content-type": "application/strategic-merge-patch+json" },
    expected: /pod updates may not change fields/,
    status: 422,
  },
  {
    name: "a privileged pod",
    who: "bobtoken",
    line: `POST ${own}/pods`,
    body: pod("host", "", { hostPID: true, hostNetwork: true }),
    expected: /violates PodSecurity "restricted:latest": host namespaces/,
  },
  {
    name: "a PriorityClass reserved for the system",
    who: "bobtoken",
    line: `POST ${own}/pods`,
    body: pod("first", "", { priority: 2_000_001_000 }),
    expected: /the integer value of priority \(2000001000\) must not be provided in pod spec/,
  },
  {
    name: "the token of any service account",
    who: "bobtoken",
    line: "POST /api/v1/namespaces/kube-system/serviceaccounts/sa/token",
    body: { spec: {} },
    expected: /User "bob" cannot create resource "serviceaccounts\/token"/,
  },
  {
    name: "exec in a pod of another namespace",
    who: "bobtoken",
    line: "GET /api/v1/namespaces/kube-system/pods/on-n1/exec?command=sh",
    expected: /User "bob" cannot (get|create) resource "pods\/exec"/,
  },
  {
    name: "the proxy to a node",
    who: "bobtoken",
    line: "GET /api/v1/nodes/n1/proxy/exec",
    expected: /User "bob" cannot get resource "nodes\/proxy"/,
  },
];

for (const { name, who, line, body, headers = {}, expected, status = 403 } of attacks) {
  test(`refused: ${name}`, async () => {
    const [method = "", path = ""] = line.split(" ");
    const answer = await server.send(method, path, body, {
      authorization: `Bearer ${who}`,
      ...headers,
    });
    assert.match(answer.json.message, expected);
    assert.ok(
      answer.status === status ||
        answer.status === 404 ||
        answer.status === 400 ||
        answer.status === 405,
      answer.text,
    );
  });
}
