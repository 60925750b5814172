import { type ApiResource, resourceKey } from "./api-resource.ts";

export type SectionName =
  | "workloads"
  | "network"
  | "config"
  | "storage"
  | "access"
  | "cluster"
  | "custom";

/** The kinds of the menu, by section, in order. Kinds of extensions are in the last section. */
const sections: readonly (readonly [section: SectionName, keys: readonly string[]])[] = [
  [
    "workloads",
    [
      "pods",
      "deployments.apps",
      "statefulsets.apps",
      "daemonsets.apps",
      "jobs.batch",
      "cronjobs.batch",
      "replicasets.apps",
    ],
  ],
  [
    "network",
    [
      "services",
      "ingresses.networking.k8s.io",
      "endpointslices.discovery.k8s.io",
      "networkpolicies.networking.k8s.io",
    ],
  ],
  [
    "config",
    [
      "configmaps",
      "secrets",
      "horizontalpodautoscalers.autoscaling",
      "poddisruptionbudgets.policy",
      "resourcequotas",
      "limitranges",
    ],
  ],
  ["storage", ["persistentvolumeclaims", "persistentvolumes", "storageclasses.storage.k8s.io"]],
  [
    "access",
    [
      "serviceaccounts",
      "roles.rbac.authorization.k8s.io",
      "rolebindings.rbac.authorization.k8s.io",
      "clusterroles.rbac.authorization.k8s.io",
      "clusterrolebindings.rbac.authorization.k8s.io",
    ],
  ],
  ["cluster", ["nodes", "namespaces", "events", "customresourcedefinitions.apiextensions.k8s.io"]],
];

/** A group of which every kind belongs to Kubernetes itself. */
const ownGroup = /(^|\.)k8s\.io$|^[a-z]*$/;

interface KindSection {
  readonly section: SectionName;
  readonly kinds: readonly ApiResource[];
}

/** The menu of the kinds that a server has and the user may list. */
export function kindSections(
  resources: readonly ApiResource[],
  mayList: (resource: ApiResource) => boolean,
): KindSection[] {
  const listed = resources.filter(
    (resource) => resource.verbs.includes("list") && mayList(resource),
  );
  const byKey = new Map(listed.map((resource) => [resourceKey(resource), resource]));
  const named = sections.map(([section, keys]) => ({
    section,
    kinds: keys.flatMap((key) => byKey.get(key) ?? []),
  }));
  const custom = listed
    .filter(({ group }) => !ownGroup.test(group))
    .sort((a, b) => (a.kind < b.kind ? -1 : 1));
  return [...named, { section: "custom" as const, kinds: custom }].filter(
    ({ kinds }) => kinds.length > 0,
  );
}
