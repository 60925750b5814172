/** Users of Kubernetes' own components, whose requests are many and follow from those of others. */
const components = [
  "system:apiserver",
  "system:kube-controller-manager",
  "system:kube-scheduler",
  "system:kube-proxy",
  "system:cloud-controller-manager",
  "system:metrics-server",
  "system:k8ts-gateway",
];
const ownGroups = ["system:nodes", "system:serviceaccounts:kube-system"];
const writes = ["create", "update", "patch", "delete", "deletecollection"];

/** What decides who may do what: everybody's writes are recorded. */
const guarded = [
  { group: "rbac.authorization.k8s.io" },
  { group: "admissionregistration.k8s.io" },
  { group: "certificates.k8s.io" },
  { group: "apiregistration.k8s.io" },
  { group: "apiextensions.k8s.io" },
];

/** What gives access, or access to a container. Their content is never recorded. */
const access = [
  {
    group: "",
    resources: [
      "secrets",
      "serviceaccounts/token",
      "pods/exec",
      "pods/attach",
      "pods/portforward",
      "pods/proxy",
      "pods/ephemeralcontainers",
      "services/proxy",
      "nodes/proxy",
    ],
  },
];

/**
 * The audit policy of a cluster whose user gives none: who has changed what, and who has reached for Secrets or into
 * containers. Contents of objects are not recorded, nor reads of anything else: the log stays small, and has no secrets.
 */
export const auditPolicy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  omitManagedFields: true,
  rules: [
    { level: "None", resources: [{ group: "coordination.k8s.io", resources: ["leases"] }] },
    {
      level: "None",
      resources: [
        { group: "", resources: ["events"] },
        { group: "events.k8s.io", resources: ["events"] },
      ],
    },
    { level: "Metadata", verbs: writes, resources: guarded },
    { level: "None", users: components },
    { level: "None", userGroups: ownGroups },
    { level: "Metadata", resources: access },
    { level: "Metadata", verbs: writes },
    { level: "None" },
  ],
};
