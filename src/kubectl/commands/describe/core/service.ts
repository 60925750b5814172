/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { Service } from "#/api/core/v1.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";
import { labelLine } from "../parts/description.ts";
import { formatEndpoints, slicesOf } from "../parts/endpoints.ts";

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

export const service: KindDescriber = { describe: describeService };
