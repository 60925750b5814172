import type { Pod } from "#/api/core/v1.ts";

/** A host port that a pod uses. */
export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

const anyIp = "0.0.0.0";

/** The host ports of a pod's containers and sidecars. */
export function hostPortsOf({ spec }: Pick<Pod, "spec">): readonly HostPort[] {
  const sidecars = (spec.initContainers ?? []).filter(
    ({ restartPolicy }) => restartPolicy === "Always",
  );
  return [...spec.containers, ...sidecars].flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort = 0 }) => hostPort > 0)
      .map(({ hostIP, protocol, hostPort = 0 }) => {
        return { ip: hostIP || anyIp, protocol: protocol || "TCP", port: hostPort };
      }),
  );
}

/** True if a port conflicts with one in use: same protocol and number, and equal addresses or one of them is any address. */
export function portsConflict(wanted: readonly HostPort[], taken: readonly HostPort[]): boolean {
  return wanted.some((a) =>
    taken.some((b) => {
      if (a.port !== b.port || a.protocol !== b.protocol) return false;
      return a.ip === b.ip || a.ip === anyIp || b.ip === anyIp;
    }),
  );
}
