import { type Pod, type Service, services } from "#/api/core/v1.ts";
import type { View } from "../../base/view.ts";
import { serviceProblem } from "./service-problem.ts";

/** What the cluster shows about a server that a line of a log names, as a sentence; undefined if that is nothing. */
export function neededService(line: string, pod: Pod, view: View): string | undefined {
  const { namespace = "" } = pod.metadata;
  const address = /\b(\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?\b/.exec(line)?.[1];
  if (address) return problemOfAddress(address, view);
  const all = view.list(services, { namespace });
  for (const host of hostsOf(line)) {
    const [name = "", place = namespace] = host.split(".");
    const isNamed = all?.some(({ metadata }) => metadata.name === name) && place === namespace;
    if (!isNamed && !isOwnName(host)) continue;
    const problem = serviceProblem({ name, namespace: place }, view);
    if (problem)
      return `a server that it needs cannot be reached: the Service "${name}" in ${place} ${problem}`;
  }
  return undefined;
}

/** As neededService(), of a name that cannot be resolved: one without dots is meant for a Service. */
export function unresolvedService(line: string, pod: Pod, view: View): string | undefined {
  const { namespace = "" } = pod.metadata;
  const host = unresolved.exec(line)?.[1];
  if (host === undefined) return undefined;
  const parts = host.replace(/\.$/, "").split(".");
  const isOwn = isOwnName(host);
  if (parts.length > 2 && !isOwn) return undefined;
  if (usesNodeDns(pod))
    return `the Pod is on its node's network (hostNetwork) with dnsPolicy ClusterFirst, so it asks the node's DNS server, which knows no Services: "${host}" needs dnsPolicy ClusterFirstWithHostNet`;
  const [name = "", place = namespace] = parts;
  const found = view.lookup(services, { name, namespace: place });
  if (found.state !== "absent" || (parts.length === 2 && !isOwn)) return undefined;
  const other = (view.list(services) ?? []).find(({ metadata }) => metadata.name === name);
  const hint = other
    ? `; there is one in ${other.metadata.namespace}, whose name is ${name}.${other.metadata.namespace}`
    : "";
  return `the name "${host}" cannot be resolved: there is no Service "${name}" in ${place}${hint}`;
}

const unresolved =
  /(?:ENOTFOUND|EAI_AGAIN|lookup|bad address|unknown host|UnknownHostException:|upstream|host ?name|resolve(?: host)?:?|resolve|getaddrinfo for)\s+["'`(]*([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)/i;

/** Words of a line that may be names of hosts. */
const hostsOf = (line: string): readonly string[] =>
  line.toLowerCase().match(/[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?/g) ?? [];

const isOwnName = (host: string): boolean => /^[^.]+\.[^.]+\.svc(?:\.|$)/.test(host);

const usesNodeDns = ({ spec }: Pod): boolean =>
  spec.hostNetwork === true && (spec.dnsPolicy ?? "ClusterFirst") === "ClusterFirst";

function problemOfAddress(address: string, view: View): string | undefined {
  const found = (view.list(services) ?? []).find((service) =>
    addressesOf(service).includes(address),
  );
  if (!found) return undefined;
  const { name = "", namespace = "" } = found.metadata;
  const problem = serviceProblem({ name, namespace }, view);
  return (
    problem &&
    `a server that it needs cannot be reached: the Service "${name}" in ${namespace} (${address}) ${problem}`
  );
}

const addressesOf = ({ spec }: Service): readonly string[] => spec?.clusterIPs ?? [];
