/** Upstream: k8s.io/kubectl/pkg/describe/describe.go (Services, configuration, quotas). */
import {
  type ConfigMap,
  type Endpoints,
  type LimitRange,
  limitRanges,
  type Namespace,
  type ResourceQuota,
  resourceQuotas,
  type Secret,
  type Service,
  type ServiceAccount,
} from "#/api/core/v1.ts";
import type { EndpointSlice } from "#/api/discovery/v1.ts";
import { parseQuantity, quantityOf } from "#/machinery/values/quantity.ts";
import type { Context } from "../../command/context.ts";
import type { Describer } from "./describers.ts";
import { type Description, labelLine, longTime } from "./description.ts";
import { formatEndpoints, slicesOf } from "./endpoints.ts";

const byteLength = (base64: string): number => Buffer.from(base64, "base64").length;
const sorted = <T>(record: Readonly<Record<string, T>> | undefined): [string, T][] =>
  Object.entries(record ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));

const describeConfigMap: Describer = (to, { object }) => {
  const { data, binaryData } = object as unknown as ConfigMap;
  to.head(object.metadata);
  to.write(0, "\nData\n====\n");
  for (const [key, value] of sorted(data)) to.write(0, `${key}:\n----\n${value}\n\n`);
  to.write(0, "\nBinaryData\n====\n");
  for (const [key, value] of sorted(binaryData))
    to.write(0, `${key}: ${byteLength(value)} bytes\n`);
  to.write(0, "\n");
};

const describeSecret: Describer = (to, { object }) => {
  const { type = "", data } = object as unknown as Secret;
  to.head(object.metadata);
  to.write(0, `\nType:\t${type}\n`);
  to.write(0, "\nData\n====\n");
  for (const [key, value] of sorted(data)) {
    const isToken = key === "token" && type === "kubernetes.io/service-account-token";
    to.field(
      0,
      key,
      isToken ? Buffer.from(value, "base64").toString() : `${byteLength(value)} bytes`,
    );
  }
};

const describeServiceAccount: Describer = (to, { object }) => {
  const { imagePullSecrets = [] } = object as unknown as ServiceAccount;
  to.head(object.metadata);
  const header = "Image pull secrets:";
  if (imagePullSecrets.length === 0) to.write(0, `${header}\t<none>\n`);
  for (const [i, { name = "" }] of imagePullSecrets.entries()) {
    to.write(0, `${i === 0 ? header : " ".repeat(header.length)}\t${name}\n`);
  }
};

const describeNamespace: Describer = async (to, { object, context }) => {
  const { metadata, status } = object as unknown as Namespace;
  to.head(object.metadata, { namespaced: false });
  to.field(0, "Status", status?.phase ?? "");
  if (status?.conditions?.length) {
    to.write(0, "Conditions:\n");
    to.write(1, "Type\tStatus\tLastTransitionTime\tReason\tMessage\n");
    to.write(1, "----\t------\t------------------\t------\t-------\n");
    for (const {
      type,
      status: value,
      lastTransitionTime,
      reason = "",
      message = "",
    } of status.conditions) {
      to.write(1, `${type}\t${value}\t${longTime(lastTransitionTime)}\t${reason}\t${message}\n`);
    }
  }
  await namespaceQuotas(to, metadata?.name ?? "", context);
};

async function namespaceQuotas(
  to: Description,
  namespace: string,
  context: Context,
): Promise<void> {
  const client = await context.cluster.client();
  const quotas = await client.listAll(resourceQuotas, { namespace });
  to.write(0, "\n");
  if (quotas.length === 0) to.write(0, "No resource quota.\n");
  else to.write(0, "Resource Quotas\n");
  for (const quota of quotas.toSorted((a, b) =>
    (a.metadata?.name ?? "") < (b.metadata?.name ?? "") ? -1 : 1,
  )) {
    to.field(1, "Name", quota.metadata?.name ?? "");
    quotaScopes(to, quota, { level: 1, bullet: "* " });
    to.write(1, "Resource\tUsed\tHard\n");
    to.write(1, "--------\t---\t---\n");
    for (const [name, hard] of sorted(quota.status?.hard)) {
      to.write(1, `${name}\t${quota.status?.used?.[name] ?? "0"}\t${hard}\n`);
    }
  }
  const ranges = await client.listAll(limitRanges, { namespace });
  to.write(0, "\n");
  if (ranges.length === 0) {
    to.write(0, "No LimitRange resource.\n");
    return;
  }
  to.write(0, "Resource Limits\n");
  limitTable(to, ranges, " ");
}

const scopeTexts: Readonly<Record<string, string>> = {
  Terminating:
    "Matches all pods that have an active deadline. These pods have a limited lifespan on a node before being actively terminated by the system.",
  NotTerminating:
    "Matches all pods that do not have an active deadline. These pods usually include long running pods whose container command is not expected to terminate.",
  BestEffort:
    "Matches all pods that do not have resource requirements set. These pods have a best effort quality of service.",
  NotBestEffort:
    "Matches all pods that have at least one resource requirement set. These pods have a burstable or guaranteed quality of service.",
};

function quotaScopes(
  to: Description,
  { spec }: ResourceQuota,
  { level, bullet }: { readonly level: number; readonly bullet: string },
): void {
  const scopes = (spec?.scopes ?? []).toSorted();
  if (scopes.length === 0) return;
  to.field(level, "Scopes", scopes.join(", "));
  for (const scope of scopes) {
    if (scopeTexts[scope]) to.write(level, `${bullet}${scopeTexts[scope]}\n`);
  }
}

const describeQuota: Describer = (to, { object }) => {
  const quota = object as unknown as ResourceQuota;
  to.field(0, "Name", quota.metadata?.name ?? "");
  to.field(0, "Namespace", quota.metadata?.namespace ?? "");
  quotaScopes(to, quota, { level: 0, bullet: " * " });
  to.write(0, "Resource\tUsed\tHard\n");
  to.write(0, "--------\t----\t----\n");
  for (const [name, text] of sorted(quota.status?.hard)) {
    const hard = parseQuantity(text);
    const used = parseQuantity(quota.status?.used?.[name] ?? "0");
    const same = used.format === hard.format ? used : quantityOf(used.value(), hard.format);
    to.write(0, `${name}\t${same.toString()}\t${hard.toString()}\n`);
  }
};

const limitColumns =
  "Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio\n";
const limitRule =
  "----\t--------\t---\t---\t---------------\t-------------\t-----------------------\n";

function limitTable(to: Description, ranges: readonly LimitRange[], prefix: string): void {
  to.write(0, `${prefix}${limitColumns}`);
  to.write(0, `${prefix}${limitRule}`);
  for (const {
    type,
    min,
    max,
    defaultRequest,
    default: standard,
    maxLimitRequestRatio,
  } of ranges.flatMap(({ spec }) => spec?.limits ?? [])) {
    const lists = [min, max, defaultRequest, standard, maxLimitRequestRatio];
    for (const name of new Set(lists.flatMap((list) => Object.keys(list ?? {})).sort())) {
      to.write(
        0,
        `${prefix}${type}\t${name}\t${lists.map((list) => list?.[name] ?? "-").join("\t")}\n`,
      );
    }
  }
}

const describeLimitRange: Describer = (to, { object }) => {
  to.field(0, "Name", object.metadata?.name ?? "");
  to.field(0, "Namespace", object.metadata?.namespace ?? "");
  limitTable(to, [object as unknown as LimitRange], "");
};

const describeService: Describer = async (to, { object, context }) => {
  const { metadata, spec = {}, status } = object as unknown as Service;
  const slices = await slicesOf(context, metadata?.namespace ?? "", metadata?.name ?? "");
  to.head(object.metadata);
  to.field(0, "Selector", labelLine(spec.selector));
  to.field(0, "Type", spec.type ?? "");
  if (spec.ipFamilyPolicy) to.field(0, "IP Family Policy", spec.ipFamilyPolicy);
  to.field(0, "IP Families", spec.ipFamilies?.join(",") || "<none>");
  to.field(0, "IP", spec.clusterIP ?? "");
  to.field(0, "IPs", spec.clusterIPs?.join(",") || "<none>");
  if (spec.externalIPs?.length) to.field(0, "External IPs", spec.externalIPs.join(","));
  if (spec.loadBalancerIP) to.field(0, "Desired LoadBalancer IP", spec.loadBalancerIP);
  if (spec.externalName) to.field(0, "External Name", spec.externalName);
  const ingress = status?.loadBalancer?.ingress ?? [];
  if (ingress.length > 0) {
    const texts = ingress.map(({ ip, ipMode, hostname }) =>
      ip ? ip + (ipMode ? ` (${ipMode})` : "") : (hostname ?? ""),
    );
    to.field(0, "LoadBalancer Ingress", texts.join(", "));
  }
  for (const { name = "", port, protocol, targetPort = 0, appProtocol, nodePort } of spec.ports ??
    []) {
    const shown = name || "<unset>";
    to.field(0, "Port", `${shown}\t${port}/${protocol}`);
    to.field(0, "TargetPort", `${targetPort}/${protocol}`);
    if (appProtocol !== undefined) to.field(0, "AppProtocol", appProtocol);
    if (nodePort) to.field(0, "NodePort", `${shown}\t${nodePort}/${protocol}`);
    to.field(0, "Endpoints", formatEndpoints(slices, name));
  }
  to.field(0, "Session Affinity", spec.sessionAffinity ?? "");
  if (spec.externalTrafficPolicy)
    to.field(0, "External Traffic Policy", spec.externalTrafficPolicy);
  if (spec.internalTrafficPolicy)
    to.field(0, "Internal Traffic Policy", spec.internalTrafficPolicy);
  if (spec.healthCheckNodePort) to.field(0, "HealthCheck NodePort", spec.healthCheckNodePort);
  if (spec.loadBalancerSourceRanges?.length) {
    to.field(0, "LoadBalancer Source Ranges", spec.loadBalancerSourceRanges.join(","));
  }
  if (spec.trafficDistribution) to.field(0, "Traffic Distribution", spec.trafficDistribution);
};

const describeEndpoints: Describer = (to, { object }) => {
  const { subsets = [] } = object as unknown as Endpoints;
  to.head(object.metadata);
  to.write(0, "Subsets:\n");
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    to.field(1, "Addresses", addresses.map(({ ip }) => ip).join(",") || "<none>");
    to.field(1, "NotReadyAddresses", notReadyAddresses.map(({ ip }) => ip).join(",") || "<none>");
    if (ports.length > 0)
      to.write(1, "Ports:\n    Name\tPort\tProtocol\n    ----\t----\t--------\n");
    for (const { name, port, protocol } of ports)
      to.write(2, `${name || "<unset>"}\t${port}\t${protocol}\n`);
    to.write(0, "\n");
  }
};

const describeEndpointSlice: Describer = (to, { object }) => {
  const { addressType, ports, endpoints } = object as unknown as EndpointSlice;
  to.head(object.metadata);
  to.field(0, "AddressType", addressType);
  if (!ports?.length) to.write(0, "Ports: <unset>\n");
  else to.write(0, "Ports:\n  Name\tPort\tProtocol\n  ----\t----\t--------\n");
  for (const { name, port, protocol } of ports ?? []) {
    to.write(1, `${name || "<unset>"}\t${port ?? "<unset>"}\t${protocol}\n`);
  }
  to.write(0, `Endpoints:${endpoints?.length ? "" : " <none>"}\n`);
  for (const { addresses, conditions, hostname, targetRef, nodeName, zone } of endpoints ?? []) {
    to.field(1, "- Addresses", (addresses ?? []).join(", ") || "<none>");
    to.write(2, "Conditions:\n");
    to.field(3, "Ready", conditions?.ready ?? "<unset>");
    to.field(2, "Hostname", hostname ?? "<unset>");
    if (targetRef) to.field(2, "TargetRef", `${targetRef.kind ?? ""}/${targetRef.name ?? ""}`);
    to.field(2, "NodeName", nodeName ?? "<unset>");
    to.field(2, "Zone", zone ?? "<unset>");
  }
};

export const describers: Readonly<Record<string, Describer>> = {
  "/ConfigMap": describeConfigMap,
  "/Secret": describeSecret,
  "/ServiceAccount": describeServiceAccount,
  "/Namespace": describeNamespace,
  "/ResourceQuota": describeQuota,
  "/LimitRange": describeLimitRange,
  "/Service": describeService,
  "/Endpoints": describeEndpoints,
  "discovery.k8s.io/EndpointSlice": describeEndpointSlice,
};
