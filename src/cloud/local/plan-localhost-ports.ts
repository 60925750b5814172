import type { Service } from "#/api/core/v1.ts";
import { addressesOf } from "./plan-addresses.ts";

/** The port of localhost for the first port of a Service, or "off". */
const portAnnotation = "k8ts.dev/localhost-port";

/** A port of localhost, and where its connections lead. */
export interface LocalhostPort {
  readonly port: number;
  readonly address: string;
  readonly targetPort: number;
}

/** The ports of localhost that a Service asks for: those of its load balancer, TCP only. */
export function planLocalhostPorts(service: Service): LocalhostPort[] {
  const wish = service.metadata.annotations?.[portAnnotation]?.trim() ?? "";
  const [address] = addressesOf(service);
  if (wish === "off" || address === undefined) return [];
  if (service.metadata.deletionTimestamp !== undefined) return [];
  const ports = (service.spec?.ports ?? []).filter(({ protocol = "TCP" }) => protocol === "TCP");
  return ports.map(({ port }, index) => ({
    port: index === 0 && isPort(wish) ? Number(wish) : port,
    address,
    targetPort: port,
  }));
}

const isPort = (text: string): boolean =>
  /^\d+$/.test(text) && Number(text) > 0 && Number(text) < 65_536;
