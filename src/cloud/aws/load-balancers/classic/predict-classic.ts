import type { ClassicLoadBalancer } from "../../client/elb-operations.ts";
import type { ClassicListener } from "./classic-listeners.ts";

/** What a dry run takes a load balancer for after its actions. */
export function predictLoadBalancer(
  name: string,
  wanted: {
    readonly listeners: readonly ClassicListener[];
    readonly subnetIds: readonly string[];
    readonly groupIds: readonly string[];
  },
  found: ClassicLoadBalancer | undefined,
): ClassicLoadBalancer {
  return {
    ...(found ?? unknown),
    LoadBalancerName: name,
    ListenerDescriptions: wanted.listeners.map((listener) => ({
      Listener: {
        SSLCertificateId: undefined,
        ...listener,
        Protocol: listener.Protocol.toUpperCase(),
      },
      PolicyNames: [],
    })),
    Subnets: wanted.subnetIds,
    SecurityGroups: wanted.groupIds,
  };
}

const unknown = {
  DNSName: undefined,
  CanonicalHostedZoneName: undefined,
  CanonicalHostedZoneNameID: undefined,
  BackendServerDescriptions: [],
  AvailabilityZones: [],
  VPCId: undefined,
  Instances: [],
  HealthCheck: undefined,
  SourceSecurityGroup: undefined,
  Scheme: undefined,
} satisfies Partial<ClassicLoadBalancer>;
