import type { Service, ServicePort } from "#/api/core/v1.ts";

/**
 * The variables with the addresses of services for containers of a namespace: always the API server's, and those of
 * the namespace's services if the pod has service links enabled.
 *
 * Upstream: pkg/kubelet/envvars/envvars.go, pkg/kubelet/kubelet_pods.go.
 */
export function serviceVariables(
  services: Iterable<Service>,
  namespace: string,
  enableServiceLinks: boolean,
): Map<string, string> {
  const chosen = new Map<string, Service>();
  for (const service of services) {
    const { name = "", namespace: home } = service.metadata;
    if (!hasClusterIp(service)) continue;
    if (home === "default" && name === "kubernetes") {
      if (!chosen.has(name)) chosen.set(name, service);
    } else if (home === namespace && enableServiceLinks) {
      chosen.set(name, service);
    }
  }
  return new Map([...chosen.values()].flatMap(variablesOf));
}

function hasClusterIp({ spec }: Service): boolean {
  return spec.clusterIP !== undefined && spec.clusterIP !== "" && spec.clusterIP !== "None";
}

function variablesOf({ metadata, spec }: Service): [string, string][] {
  const prefix = variableName(metadata.name ?? "");
  const ip = spec.clusterIP ?? "";
  const ports = spec.ports ?? [];
  const named = ports.filter(({ name }) => name !== undefined && name !== "");
  const first = ports[0];
  return [
    [`${prefix}_SERVICE_HOST`, ip],
    ...(first ? [[`${prefix}_SERVICE_PORT`, String(first.port)] as [string, string]] : []),
    ...named.map(({ name, port }): [string, string] => [
      `${prefix}_SERVICE_PORT_${variableName(name ?? "")}`,
      String(port),
    ]),
    ...(first ? [[`${prefix}_PORT`, portUrl(first, ip)] as [string, string]] : []),
    ...ports.flatMap((port) => linkVariables(prefix, port, ip)),
  ];
}

/** The variables that container links once had, for each port. */
function linkVariables(service: string, port: ServicePort, ip: string): [string, string][] {
  const protocol = port.protocol || "TCP";
  const prefix = `${service}_PORT_${port.port}_${protocol.toUpperCase()}`;
  return [
    [prefix, portUrl(port, ip)],
    [`${prefix}_PROTO`, protocol.toLowerCase()],
    [`${prefix}_PORT`, String(port.port)],
    [`${prefix}_ADDR`, ip],
  ];
}

function portUrl({ port, protocol }: ServicePort, ip: string): string {
  const host = ip.includes(":") ? `[${ip}]` : ip;
  return `${(protocol || "TCP").toLowerCase()}://${host}:${port}`;
}

function variableName(name: string): string {
  return name.replaceAll("-", "_").toUpperCase();
}
