import { type ApiObject, fieldAt, groupOf, listAt, textAt } from "./object.ts";

/** An object that another one names. */
export interface Reference {
  /** What it is to the other one. */
  readonly role: "owner" | "node" | "uses" | "targets" | "bound" | "account";
  readonly group: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** The objects that an object names in its own fields, each once. */
export function referencesOf(object: ApiObject): Reference[] {
  const { namespace } = object.metadata;
  const found = [
    ...ownersIn(object),
    ...podReferences(object),
    ...claimReferences(object),
    ...targetReferences(object),
  ].map((reference) => ({ ...reference, namespace: scopeOf(reference, namespace) }));
  return [...new Map(found.map((entry) => [JSON.stringify(entry), entry])).values()];
}

/** Kinds without a namespace that others refer to. */
const clusterKinds = new Set([
  "Node",
  "PersistentVolume",
  "StorageClass",
  "ClusterRole",
  "Namespace",
  "IngressClass",
  "PriorityClass",
]);

const scopeOf = ({ kind, namespace: own }: Reference, namespace: string | undefined) =>
  clusterKinds.has(kind) ? undefined : (own ?? namespace);

function ownersIn({ metadata }: ApiObject): Reference[] {
  return (metadata.ownerReferences ?? []).map(({ apiVersion, kind, name }) => ({
    role: "owner",
    group: groupOf(apiVersion),
    kind,
    name,
  }));
}

/** References of a Pod, or of the template of one. */
function podReferences(object: ApiObject): Reference[] {
  const template = fieldAt(object, "spec", "template", "spec");
  const job = fieldAt(object, "spec", "jobTemplate", "spec", "template", "spec");
  const spec = template ?? job ?? fieldAt(object, "spec");
  const named = (role: Reference["role"], kind: string, name: string, group = ""): Reference[] =>
    name === "" ? [] : [{ role, group, kind, name }];
  const volumes = listAt(spec, "volumes").flatMap((volume) => [
    ...named("uses", "ConfigMap", textAt(volume, "configMap", "name")),
    ...named("uses", "Secret", textAt(volume, "secret", "secretName")),
    ...named("uses", "PersistentVolumeClaim", textAt(volume, "persistentVolumeClaim", "claimName")),
    ...listAt(volume, "projected", "sources").flatMap((source) => [
      ...named("uses", "ConfigMap", textAt(source, "configMap", "name")),
      ...named("uses", "Secret", textAt(source, "secret", "name")),
    ]),
  ]);
  const containers = [...listAt(spec, "initContainers"), ...listAt(spec, "containers")];
  const environment = containers.flatMap((container) => [
    ...listAt(container, "envFrom").flatMap((from) => [
      ...named("uses", "ConfigMap", textAt(from, "configMapRef", "name")),
      ...named("uses", "Secret", textAt(from, "secretRef", "name")),
    ]),
    ...listAt(container, "env").flatMap((entry) => [
      ...named("uses", "ConfigMap", textAt(entry, "valueFrom", "configMapKeyRef", "name")),
      ...named("uses", "Secret", textAt(entry, "valueFrom", "secretKeyRef", "name")),
    ]),
  ]);
  const pulls = listAt(spec, "imagePullSecrets").flatMap((entry) =>
    named("uses", "Secret", textAt(entry, "name")),
  );
  return [
    ...named("node", "Node", textAt(spec, "nodeName")),
    ...named("account", "ServiceAccount", textAt(spec, "serviceAccountName")),
    ...volumes,
    ...environment,
    ...pulls,
  ];
}

function claimReferences(object: ApiObject): Reference[] {
  const volume = textAt(object, "spec", "volumeName");
  const storageClass = textAt(object, "spec", "storageClassName");
  const claim = fieldAt(object, "spec", "claimRef");
  return [
    ...(volume
      ? [{ role: "bound" as const, group: "", kind: "PersistentVolume", name: volume }]
      : []),
    ...(storageClass
      ? [
          {
            role: "uses" as const,
            group: "storage.k8s.io",
            kind: "StorageClass",
            name: storageClass,
          },
        ]
      : []),
    ...(claim
      ? [
          {
            role: "bound" as const,
            group: "",
            kind: "PersistentVolumeClaim",
            namespace: textAt(claim, "namespace"),
            name: textAt(claim, "name"),
          },
        ]
      : []),
  ];
}

/** References of autoscalers, bindings and ingresses. */
function targetReferences(object: ApiObject): Reference[] {
  const scaled = fieldAt(object, "spec", "scaleTargetRef");
  const role = fieldAt(object, "roleRef");
  const paths = listAt(object, "spec", "rules").flatMap((rule) => listAt(rule, "http", "paths"));
  const backends = [
    fieldAt(object, "spec", "defaultBackend"),
    ...paths.map((path) => fieldAt(path, "backend")),
  ];
  return [
    ...[scaled].filter(Boolean).map((target) => ({
      role: "targets" as const,
      group: groupOf(textAt(target, "apiVersion")),
      kind: textAt(target, "kind"),
      name: textAt(target, "name"),
    })),
    ...[role].filter(Boolean).map((target) => ({
      role: "targets" as const,
      group: textAt(target, "apiGroup"),
      kind: textAt(target, "kind"),
      name: textAt(target, "name"),
    })),
    ...listAt(object, "subjects").map((subject) => ({
      role: "targets" as const,
      group: textAt(subject, "apiGroup"),
      kind: textAt(subject, "kind"),
      namespace: textAt(subject, "namespace") || undefined,
      name: textAt(subject, "name"),
    })),
    ...backends.flatMap((backend) => {
      const name = textAt(backend, "service", "name");
      return name ? [{ role: "targets" as const, group: "", kind: "Service", name }] : [];
    }),
  ];
}

/** The labels of Pods that an object selects, as a selector; undefined if it selects none. */
export function podSelectorOf(object: ApiObject): string | undefined {
  const given = fieldAt(object, "spec", "selector");
  const labels = fieldAt(given, "matchLabels") ?? given;
  if (
    typeof labels !== "object" ||
    labels === null ||
    listAt(given, "matchExpressions").length > 0
  ) {
    return undefined;
  }
  const pairs = Object.entries(labels).filter(([, value]) => typeof value === "string");
  return pairs.length === 0 ? undefined : pairs.map(([key, value]) => `${key}=${value}`).join(",");
}
