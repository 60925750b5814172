/** Upstream: cloud-provider-aws pkg/providers/v1/aws.go, aws_loadbalancer.go. */
import type { Service } from "#/api/core/v1.ts";
import type { ClassicLoadBalancer, ElbListener } from "../../client/elb-operations.ts";
import {
  type Annotations,
  annotationsOf,
  hasSslPort,
  lbAnnotations,
  readSslPorts,
  type SslPorts,
} from "../base/annotations.ts";
import { protocolOf, validatePort } from "../base/validate-service.ts";

/** A listener that is wanted. */
export interface ClassicListener extends ElbListener {
  readonly Protocol: string;
  readonly LoadBalancerPort: number;
  readonly InstanceProtocol: string;
  readonly InstancePort: number;
}

/** Protocols of listeners with a certificate, by the protocol behind them. */
const secureProtocols = new Map([
  ["https", "https"],
  ["http", "https"],
  ["ssl", "ssl"],
  ["tcp", "ssl"],
]);

/** The listeners of a Service: one for each port that has a node port. */
export function classicListeners(service: Service): ClassicListener[] {
  const annotations = annotationsOf(service);
  const sslPorts = readSslPorts(annotations);
  return (service.spec?.ports ?? []).flatMap((port) => {
    validatePort(port, annotations);
    if (!port.nodePort) return [];
    const name = (port.name ?? "").toLowerCase();
    return [
      {
        ...protocolsOf({ port: port.port, name }, annotations, sslPorts, protocolOf(port)),
        InstancePort: port.nodePort,
        LoadBalancerPort: port.port,
      },
    ];
  });
}

function protocolsOf(
  { port, name }: { readonly port: number; readonly name: string },
  annotations: Annotations,
  sslPorts: SslPorts | undefined,
  transport: string,
) {
  const certificate = annotations[lbAnnotations.certificate] ?? "";
  const backend = annotations[lbAnnotations.backendProtocol] ?? "";
  const protocol = transport.toLowerCase();
  if (certificate === "" || !hasSslPort(sslPorts, port, name)) {
    if (backend === "http") return { Protocol: "http", InstanceProtocol: "http" };
    return { Protocol: protocol, InstanceProtocol: protocol };
  }
  if (backend === "") {
    return { Protocol: "ssl", InstanceProtocol: "tcp", SSLCertificateId: certificate };
  }
  const secure = secureProtocols.get(backend);
  if (secure === undefined) {
    const name = lbAnnotations.backendProtocol;
    throw new Error(`Invalid backend protocol ${backend} for ${certificate} in ${name}`);
  }
  return { Protocol: secure, InstanceProtocol: backend, SSLCertificateId: certificate };
}

interface ListenerDifference {
  readonly added: readonly ClassicListener[];
  /** Ports of the load balancer. */
  readonly removed: readonly number[];
}

/** A listener can't be changed: it is removed and added. */
export function diffListeners(
  wanted: readonly ClassicListener[],
  { ListenerDescriptions }: Pick<ClassicLoadBalancer, "ListenerDescriptions">,
): ListenerDifference {
  const actual = ListenerDescriptions.flatMap(({ Listener }) => Listener ?? []);
  return {
    added: wanted.filter((one) => !actual.some((other) => isSame(one, other))),
    removed: actual
      .filter((one) => !wanted.some((other) => isSame(one, other)))
      .map(({ LoadBalancerPort = 0 }) => LoadBalancerPort),
  };
}

type AnyListener = { readonly [K in keyof ElbListener]?: ElbListener[K] | undefined };

function isSame(a: AnyListener, b: AnyListener): boolean {
  const isSameText = (left?: string, right?: string) =>
    left?.toLowerCase() === right?.toLowerCase();
  return (
    isSameText(a.Protocol, b.Protocol) &&
    isSameText(a.InstanceProtocol, b.InstanceProtocol) &&
    a.InstancePort === b.InstancePort &&
    a.LoadBalancerPort === b.LoadBalancerPort &&
    isSameText(a.SSLCertificateId, b.SSLCertificateId)
  );
}

/** The ports whose clients speak TLS. */
export function tlsPorts({ ListenerDescriptions }: ClassicLoadBalancer): number[] {
  return ListenerDescriptions.flatMap(({ Listener }) =>
    Listener?.Protocol === "SSL" || Listener?.Protocol === "HTTPS"
      ? [Listener.LoadBalancerPort ?? 0]
      : [],
  );
}
