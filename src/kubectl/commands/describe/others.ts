/** Upstream: k8s.io/kubectl/pkg/describe/describe.go (storage, networking, policies). */
import { type PersistentVolume, services } from "#/api/core/v1.ts";
import type { Ingress, IngressBackend, IngressClass } from "#/api/networking/v1.ts";
import type { PodDisruptionBudget } from "#/api/policy/v1.ts";
import type { Role, RoleBinding } from "#/api/rbac/v1.ts";
import type { PriorityClass } from "#/api/scheduling/v1.ts";
import { formatLabelSelector } from "#/machinery/meta/label-selector.ts";
import { compactRules, ruleCells } from "../../base/compact-rules.ts";
import { messageOf } from "../../base/errors.ts";
import type { Context } from "../../command/context.ts";
import { accessModes, betaClass, describeClaim, describePhase } from "./claim.ts";
import type { Describer } from "./describers.ts";
import { type Description, goList, labelLine } from "./description.ts";
import { formatEndpoints, slicesOf } from "./endpoints.ts";
import { describeSource } from "./volumes.ts";

const describeVolume: Describer = (to, { object }) => {
  const { metadata, spec, status } = object as unknown as PersistentVolume;
  to.head(object.metadata, { namespaced: false });
  to.field(0, "Finalizers", goList(metadata?.finalizers));
  to.field(0, "StorageClass", metadata?.annotations?.[betaClass] ?? spec?.storageClassName ?? "");
  describePhase(to, metadata?.deletionTimestamp, status?.phase);
  const claim = spec?.claimRef;
  to.field(0, "Claim", claim ? `${claim.namespace ?? ""}/${claim.name ?? ""}` : "");
  to.field(0, "Reclaim Policy", spec?.persistentVolumeReclaimPolicy ?? "");
  to.field(0, "Access Modes", accessModes(spec?.accessModes));
  if (spec?.volumeMode) to.field(0, "VolumeMode", spec.volumeMode);
  to.field(0, "Capacity", spec?.capacity?.["storage"] ?? "0");
  nodeAffinity(to, spec?.nodeAffinity);
  to.field(0, "Message", status?.message ?? "");
  to.write(0, "Source:\n");
  describeSource(to, (spec ?? {}) as never, true);
};

function nodeAffinity(
  to: Description,
  affinity: NonNullable<PersistentVolume["spec"]>["nodeAffinity"],
): void {
  if (!affinity?.required) {
    to.field(0, "Node Affinity", "<none>");
    return;
  }
  to.write(0, "Node Affinity:\t\n");
  const terms = affinity.required.nodeSelectorTerms ?? [];
  to.write(1, `Required Terms:\t${terms.length === 0 ? "<none>" : ""}\n`);
  for (const [i, { matchExpressions = [] }] of terms.entries()) {
    to.write(2, `Term ${i}:\t${matchExpressions.length === 0 ? "<none>\n" : ""}`);
    for (const [j, { key, operator, values = [] }] of matchExpressions.entries()) {
      if (j > 0) to.write(2, "\t");
      const list = values.length === 0 ? "" : ` [${values.join(", ")}]`;
      to.write(0, `${key} ${operator.toLowerCase()}${list}\n`);
    }
  }
}

const describePriorityClass: Describer = (to, { object }) => {
  const { metadata, value, globalDefault, preemptionPolicy, description } =
    object as unknown as PriorityClass;
  to.field(0, "Name", metadata?.name ?? "");
  to.field(0, "Value", value);
  to.field(0, "GlobalDefault", globalDefault ?? false);
  to.field(0, "PreemptionPolicy", preemptionPolicy ?? "");
  to.field(0, "Description", description ?? "");
  to.field(0, "Annotations", labelLine(metadata?.annotations));
};

const describeBudget: Describer = (to, { object }) => {
  const { metadata, spec, status } = object as unknown as PodDisruptionBudget;
  to.field(0, "Name", metadata?.name ?? "");
  to.field(0, "Namespace", metadata?.namespace ?? "");
  if (spec?.minAvailable !== undefined) to.field(0, "Min available", spec.minAvailable);
  else if (spec?.maxUnavailable !== undefined) to.field(0, "Max unavailable", spec.maxUnavailable);
  to.field(0, "Selector", spec?.selector ? formatLabelSelector(spec.selector) : "<unset>");
  to.write(0, "Status:\n");
  to.field(2, "Allowed disruptions", status?.disruptionsAllowed ?? 0);
  to.field(2, "Current", status?.currentHealthy ?? 0);
  to.field(2, "Desired", status?.desiredHealthy ?? 0);
  to.field(2, "Total", status?.expectedPods ?? 0);
};

const describeIngress: Describer = async (to, { object, context }) => {
  const { metadata, spec, status } = object as unknown as Ingress;
  const namespace = metadata?.namespace ?? "";
  const addresses = (status?.loadBalancer?.ingress ?? []).map(
    ({ ip, hostname }) => ip || hostname || "",
  );
  to.field(0, "Name", metadata?.name ?? "");
  to.labels("Labels", metadata?.labels);
  to.field(0, "Namespace", namespace);
  to.field(
    0,
    "Address",
    [...new Set(addresses.filter((address) => address !== ""))].sort().join(","),
  );
  to.field(0, "Ingress Class", spec?.ingressClassName ?? "<none>");
  const standard = spec?.defaultBackend
    ? await backendText(context, namespace, spec.defaultBackend)
    : "<default>";
  to.field(0, "Default backend", standard);
  if (spec?.tls?.length) to.write(0, "TLS:\n");
  for (const { secretName, hosts = [] } of spec?.tls ?? []) {
    to.write(1, `${secretName ? `${secretName} terminates` : "SNI routes"} ${hosts.join(",")}\n`);
  }
  to.write(0, "Rules:\n  Host\tPath\tBackends\n");
  to.write(1, "----\t----\t--------\n");
  const rules = (spec?.rules ?? []).filter(({ http }) => http);
  for (const { host, http } of rules) {
    to.write(1, `${host || "*"}\t\n`);
    for (const { path = "", backend } of http?.paths ?? []) {
      to.write(2, `\t${path} \t${await backendText(context, namespace, backend)}\n`);
    }
  }
  if (rules.length === 0) to.write(1, `*\t*\t${standard}\n`);
  to.annotations("Annotations", metadata?.annotations);
};

async function backendText(
  context: Context,
  namespace: string,
  backend: IngressBackend,
): Promise<string> {
  const { service, resource } = backend;
  if (!service) {
    if (!resource) return "";
    return `APIGroup: ${resource.apiGroup ?? "<none>"}, Kind: ${resource.kind}, Name: ${resource.name}`;
  }
  const { number = 0, name = "" } = service.port ?? {};
  const text = `${service.name}:${number === 0 ? name : number}`;
  try {
    const slices = await slicesOf(context, namespace, service.name);
    const client = await context.cluster.client();
    const { spec } = await client.get(services, { namespace, name: service.name });
    const port = spec?.ports?.findLast(
      (one) => (number !== 0 && number === one.port) || (name !== "" && name === one.name),
    );
    return `${text} (${formatEndpoints(slices, port?.name ?? "")})`;
  } catch (error) {
    return `${text} (<error: ${messageOf(error)}>)`;
  }
}

const describeIngressClass: Describer = (to, { object }) => {
  const { spec } = object as unknown as IngressClass;
  to.head(object.metadata, { namespaced: false });
  to.field(0, "Controller", spec?.controller ?? "");
  if (!spec?.parameters) return;
  to.write(0, "Parameters:\n");
  if (spec.parameters.apiGroup !== undefined) to.field(1, "APIGroup", spec.parameters.apiGroup);
  to.field(1, "Kind", spec.parameters.kind);
  to.field(1, "Name", spec.parameters.name);
};

const describeRole: Describer = (to, { object }) => {
  const { rules } = object as unknown as Role;
  to.head(object.metadata, { namespaced: false });
  to.write(0, "PolicyRule:\n");
  to.write(1, "Resources\tNon-Resource URLs\tResource Names\tVerbs\n");
  to.write(1, "---------\t-----------------\t--------------\t-----\n");
  for (const rule of compactRules(rules ?? [])) to.write(1, `${ruleCells(rule)}\n`);
};

const describeBinding: Describer = (to, { object }) => {
  const { roleRef, subjects = [] } = object as unknown as RoleBinding;
  to.head(object.metadata, { namespaced: false });
  to.write(0, "Role:\n");
  to.field(1, "Kind", roleRef.kind);
  to.field(1, "Name", roleRef.name);
  to.write(0, "Subjects:\n");
  to.write(1, "Kind\tName\tNamespace\n");
  to.write(1, "----\t----\t---------\n");
  for (const { kind, name, namespace = "" } of subjects)
    to.write(1, `${kind}\t${name}\t${namespace}\n`);
};

export const describers: Readonly<Record<string, Describer>> = {
  "/PersistentVolume": describeVolume,
  "/PersistentVolumeClaim": describeClaim,
  "networking.k8s.io/Ingress": describeIngress,
  "networking.k8s.io/IngressClass": describeIngressClass,
  "scheduling.k8s.io/PriorityClass": describePriorityClass,
  "policy/PodDisruptionBudget": describeBudget,
  "rbac.authorization.k8s.io/Role": describeRole,
  "rbac.authorization.k8s.io/ClusterRole": describeRole,
  "rbac.authorization.k8s.io/RoleBinding": describeBinding,
  "rbac.authorization.k8s.io/ClusterRoleBinding": describeBinding,
};
