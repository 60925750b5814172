/** Upstream: cloud-provider-aws pkg/providers/v1/aws_loadbalancer.go. */
import type { Listener, TargetGroup } from "../../client/elbv2-operations.ts";
import type { NetworkPort } from "./network-ports.ts";

/** What is done for a port of a Service, or for a listener that no port has. */
export type PortStep =
  | { readonly do: "create"; readonly port: NetworkPort }
  /** What differs can't be changed in a target group: another one takes its place. */
  | { readonly do: "replace"; readonly port: NetworkPort; readonly listener: Listener }
  | {
      readonly do: "keep";
      readonly port: NetworkPort;
      readonly listener: Listener;
      readonly targetGroup: TargetGroup;
      readonly changesListener: boolean;
    }
  | { readonly do: "delete"; readonly listener: Listener };

/** What can't be changed in a target group besides the port: "instance" or "ip", "ipv4" or "ipv6". */
interface TargetKind {
  readonly type: string;
  readonly family: string;
}

/** Plans the listeners of an existing load balancer. */
export function planPorts(
  ports: readonly NetworkPort[],
  listeners: readonly Listener[],
  targetGroups: readonly TargetGroup[],
  targets: TargetKind,
): PortStep[] {
  const groups = new Map(targetGroups.map((group) => [group.TargetGroupArn, group]));
  const isOfAny = (listener: Listener) => ports.some((port) => isFor(listener, port));
  // AWS has one listener for each number: one of another protocol is changed. Upstream tries to add a second one.
  const findListener = (port: NetworkPort) =>
    listeners.findLast((one) => isFor(one, port)) ??
    listeners.find((one) => one.Port === port.port && !isOfAny(one));
  const steps = ports.map((port): PortStep => {
    const listener = findListener(port);
    if (!listener) return { do: "create", port };
    const targetGroup = groups.get(listener.DefaultActions[0]?.TargetGroupArn);
    if (!targetGroup || mustReplace(port, targetGroup, targets)) {
      return { do: "replace", port, listener };
    }
    const changesListener = !isFor(listener, port) || hasOtherTls(port, listener);
    return { do: "keep", port, listener, targetGroup, changesListener };
  });
  const used = new Set(ports.map(findListener));
  const unused = listeners.filter((listener) => !used.has(listener));
  const inOrder = unused.toSorted((a, b) => (a.Port ?? 0) - (b.Port ?? 0));
  return [...steps, ...inOrder.map((listener) => ({ do: "delete", listener }) as const)];
}

function isFor(listener: Listener, { port, protocol }: NetworkPort): boolean {
  return listener.Port === port && listener.Protocol === protocol;
}

function mustReplace(port: NetworkPort, group: TargetGroup, targets: TargetKind): boolean {
  const { protocol, intervalSeconds } = port.healthCheck;
  return (
    group.Port !== port.targetPort ||
    group.Protocol !== port.targetProtocol ||
    group.HealthCheckProtocol?.toUpperCase() !== protocol ||
    group.HealthCheckIntervalSeconds !== intervalSeconds ||
    (group.TargetType ?? targets.type) !== targets.type ||
    (group.IpAddressType ?? targets.family) !== targets.family
  );
}

function hasOtherTls(port: NetworkPort, { SslPolicy = "", Certificates }: Listener): boolean {
  if (port.protocol === "TLS") {
    const [certificate] = Certificates;
    return SslPolicy !== port.sslPolicy || certificate?.CertificateArn !== port.certificate;
  }
  return port.protocol === "TCP" && (SslPolicy !== "" || Certificates.length > 0);
}
