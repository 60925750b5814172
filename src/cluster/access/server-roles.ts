/**
 * The roles of a server's own users, by which none of them has to be in system:masters. Upstream: kubeadm's bindings
 * since v1.29 (cmd/kubeadm/app/phases/kubeconfig, kubeadm:cluster-admins).
 */

/** The group of the administrator's certificate; its rights can be taken away by deleting its binding. */
export const adminGroup = "k8ts:cluster-admins";
/** The group of the API server's client certificate for kubelets. */
export const kubeletClientGroup = "k8ts:kubelet-api-admins";
const authenticated = ["system:authenticated"];
/** Publishes the Service of the cluster's DNS. */
export const dnsPublisher = { name: "k8ts:cluster-dns-publisher", groups: authenticated };
/** Approves serving certificates of kubelets. */
export const servingApprover = { name: "k8ts:kubelet-serving-approver", groups: authenticated };

/** Publishes where the registry of the cluster is. */
export const registryPublisher = { name: "k8ts:registry-publisher", groups: authenticated };

/** Provisions, resizes and snapshots volumes on the disks of nodes. */
export const localStorageRole = { name: "k8ts:local-storage", groups: authenticated };

/** Holds the virtual address of the servers, by a lease. */
export const virtualAddressHolder = { name: "k8ts:virtual-address", groups: authenticated };

/** The user of the cloud controller manager, for which upstream has no role: its manifests bring one. */
export const cloudManager = "system:cloud-controller-manager";

/** The namespace of requests that nodes upgrade themselves. */
export const upgradeNamespace = "k8ts-upgrade";

interface Subject {
  readonly kind: "Group" | "User";
  readonly name: string;
}

const apiGroup = "rbac.authorization.k8s.io";
const apiVersion = `${apiGroup}/v1`;

const binding = (name: string, role: string, subject: Subject): ServerRole => ({
  path: `/apis/${apiVersion}/clusterrolebindings/${name}`,
  body: {
    apiVersion,
    kind: "ClusterRoleBinding",
    metadata: { name },
    roleRef: { apiGroup, kind: "ClusterRole", name: role },
    subjects: [{ apiGroup, ...subject }],
  },
});

const role = (name: string, rules: readonly object[]): ServerRole => ({
  path: `/apis/${apiVersion}/clusterroles/${name}`,
  body: { apiVersion, kind: "ClusterRole", metadata: { name }, rules },
});

/** A role in a namespace, for the user with its name if no other is given. */
function roleIn(
  namespace: string,
  name: string,
  rules: readonly object[],
  subject: Subject = { kind: "User", name },
): ServerRole[] {
  const place = `/apis/${apiVersion}/namespaces/${namespace}`;
  const metadata = { name, namespace };
  return [
    { path: `${place}/roles/${name}`, body: { apiVersion, kind: "Role", metadata, rules } },
    {
      path: `${place}/rolebindings/${name}`,
      body: {
        apiVersion,
        kind: "RoleBinding",
        metadata,
        roleRef: { apiGroup, kind: "Role", name },
        subjects: [{ apiGroup, ...subject }],
      },
    },
  ];
}

interface ServerRole {
  readonly path: string;
  readonly body: object;
}

/** The ConfigMap in kube-public with the authorities that nodes trust. */
export const authoritiesName = "k8ts-authorities";

const reading = ["get", "list", "watch"];
const writing = ["create", "update", "patch", "delete"];

/** Applied at each start of the server, before its other parts start. */
export const serverRoles: readonly ServerRole[] = [
  binding(adminGroup, "cluster-admin", { kind: "Group", name: adminGroup }),
  binding(kubeletClientGroup, "system:kubelet-api-admin", {
    kind: "Group",
    name: kubeletClientGroup,
  }),
  role(dnsPublisher.name, [
    { apiGroups: [""], resources: ["nodes"], verbs: reading },
    { apiGroups: [""], resources: ["services"], verbs: [...reading, ...writing] },
    { apiGroups: [""], resources: ["configmaps"], resourceNames: ["coredns"], verbs: reading },
    { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
    {
      apiGroups: ["discovery.k8s.io"],
      resources: ["endpointslices"],
      verbs: [...reading, ...writing],
    },
  ]),
  binding(dnsPublisher.name, dnsPublisher.name, { kind: "User", name: dnsPublisher.name }),
  role(registryPublisher.name, [
    {
      apiGroups: [""],
      resources: ["configmaps"],
      resourceNames: ["local-registry-hosting"],
      verbs: ["get", "update", "delete"],
    },
  ]),
  binding(registryPublisher.name, registryPublisher.name, {
    kind: "User",
    name: registryPublisher.name,
  }),
  ...roleIn("kube-public", registryPublisher.name, [
    { apiGroups: [""], resources: ["configmaps"], verbs: ["create"] },
  ]),
  ...roleIn(
    "kube-public",
    authoritiesName,
    [
      {
        apiGroups: [""],
        resources: ["configmaps"],
        resourceNames: [authoritiesName],
        verbs: reading,
      },
    ],
    { kind: "Group", name: "system:nodes" },
  ),
  ...roleIn("kube-system", virtualAddressHolder.name, [
    { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create"] },
    {
      apiGroups: ["coordination.k8s.io"],
      resources: ["leases"],
      resourceNames: ["k8ts-virtual-address"],
      verbs: ["get", "update"],
    },
  ]),
  role(servingApprover.name, [
    { apiGroups: [""], resources: ["nodes", "services"], verbs: reading },
    {
      apiGroups: ["certificates.k8s.io"],
      resources: ["certificatesigningrequests"],
      verbs: reading,
    },
    {
      apiGroups: ["certificates.k8s.io"],
      resources: ["certificatesigningrequests/approval"],
      verbs: ["update"],
    },
    {
      apiGroups: ["certificates.k8s.io"],
      resources: ["signers"],
      resourceNames: ["kubernetes.io/kubelet-serving"],
      verbs: ["approve"],
    },
  ]),
  binding(servingApprover.name, servingApprover.name, {
    kind: "User",
    name: servingApprover.name,
  }),
  role(localStorageRole.name, [
    {
      apiGroups: [""],
      resources: ["persistentvolumes"],
      verbs: [...reading, ...writing],
    },
    {
      apiGroups: [""],
      resources: ["persistentvolumeclaims"],
      verbs: [...reading, "update", "patch"],
    },
    { apiGroups: [""], resources: ["persistentvolumeclaims/status"], verbs: ["update", "patch"] },
    { apiGroups: [""], resources: ["nodes", "pods"], verbs: reading },
    {
      apiGroups: ["", "events.k8s.io"],
      resources: ["events"],
      verbs: ["create", "patch", "update"],
    },
    {
      apiGroups: ["storage.k8s.io"],
      resources: ["storageclasses", "csistoragecapacities"],
      verbs: reading,
    },
    {
      apiGroups: ["apiextensions.k8s.io"],
      resources: ["customresourcedefinitions"],
      verbs: [...reading, "create", "patch"],
    },
    {
      apiGroups: ["local.csi.k8ts.dev"],
      resources: ["localvolumes", "localsnapshots"],
      verbs: [...reading, ...writing],
    },
    {
      apiGroups: ["snapshot.storage.k8s.io"],
      resources: ["volumesnapshots", "volumesnapshotcontents", "volumesnapshotclasses"],
      verbs: [...reading, ...writing],
    },
    {
      apiGroups: ["snapshot.storage.k8s.io"],
      resources: ["volumesnapshots/status", "volumesnapshotcontents/status"],
      verbs: ["update", "patch"],
    },
  ]),
  binding(localStorageRole.name, localStorageRole.name, {
    kind: "User",
    name: localStorageRole.name,
  }),
  // The rules of cloud-provider-aws's manifest, without those of features that it no longer has.
  role(cloudManager, [
    {
      apiGroups: ["", "events.k8s.io"],
      resources: ["events"],
      verbs: ["create", "patch", "update"],
    },
    { apiGroups: [""], resources: ["nodes"], verbs: [...reading, "update", "patch", "delete"] },
    { apiGroups: [""], resources: ["nodes/status"], verbs: ["patch"] },
    { apiGroups: [""], resources: ["services"], verbs: [...reading, "update", "patch"] },
    { apiGroups: [""], resources: ["services/status"], verbs: ["update", "patch"] },
    // Not in the manifest: targets of load balancers may be Pods.
    { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: reading },
    {
      apiGroups: ["coordination.k8s.io"],
      resources: ["leases"],
      verbs: [...reading, "create", "update"],
    },
    {
      apiGroups: ["authentication.k8s.io"],
      resources: ["tokenreviews"],
      verbs: ["create"],
    },
    {
      apiGroups: ["authorization.k8s.io"],
      resources: ["subjectaccessreviews"],
      verbs: ["create"],
    },
  ]),
  binding(cloudManager, cloudManager, { kind: "User", name: cloudManager }),
  ...upgradeRoles(),
];

/** Nodes read what an upgrade asks of them, and the program. They follow only what the cluster's authority has signed. */
function upgradeRoles(): ServerRole[] {
  const namespace = upgradeNamespace;
  const name = "k8ts:nodes";
  const metadata = { name, namespace };
  const path = `/apis/${apiVersion}/namespaces/${namespace}`;
  return [
    {
      path: `/api/v1/namespaces/${namespace}`,
      body: { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    },
    {
      path: `${path}/roles/${name}`,
      body: {
        apiVersion,
        kind: "Role",
        metadata,
        rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: reading }],
      },
    },
    {
      path: `${path}/rolebindings/${name}`,
      body: {
        apiVersion,
        kind: "RoleBinding",
        metadata,
        roleRef: { apiGroup, kind: "Role", name },
        subjects: [{ apiGroup, kind: "Group", name: "system:nodes" }],
      },
    },
  ];
}
