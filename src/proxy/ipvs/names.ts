import type { IpFamily } from "../base/ip-family.ts";

/** The interface that has the addresses of services, so that the kernel delivers their packets to ipvs. */
export const dummyDevice = "kube-ipvs0";

/** Data type of a set's entries, as ipset names it. */
type SetType = "hash:ip" | "hash:ip,port" | "hash:ip,port,ip" | "hash:ip,port,net" | "bitmap:port";

interface SetDescription {
  readonly type: SetType;
  /** The comment of rules that match it. */
  readonly comment: string;
}

/** Every set, by its name in IPv4. Upstream: pkg/proxy/ipvs/ipset.go. */
export const ipSets = {
  "KUBE-LOOP-BACK": {
    type: "hash:ip,port,ip",
    comment: "Kubernetes endpoints dst ip:port, source ip for solving hairpin purpose",
  },
  "KUBE-CLUSTER-IP": {
    type: "hash:ip,port",
    comment: "Kubernetes service cluster ip + port for masquerade purpose",
  },
  "KUBE-EXTERNAL-IP": {
    type: "hash:ip,port",
    comment: "Kubernetes service external ip + port for masquerade and filter purpose",
  },
  "KUBE-EXTERNAL-IP-LOCAL": {
    type: "hash:ip,port",
    comment: "Kubernetes service external ip + port with externalTrafficPolicy=local",
  },
  "KUBE-LOAD-BALANCER": { type: "hash:ip,port", comment: "Kubernetes service lb portal" },
  "KUBE-LOAD-BALANCER-FW": {
    type: "hash:ip,port",
    comment: "Kubernetes service load balancer ip + port for load balancer with sourceRange",
  },
  "KUBE-LOAD-BALANCER-LOCAL": {
    type: "hash:ip,port",
    comment: "Kubernetes service load balancer ip + port with externalTrafficPolicy=local",
  },
  "KUBE-LOAD-BALANCER-SOURCE-IP": {
    type: "hash:ip,port,ip",
    comment: "Kubernetes service load balancer ip + port + source IP for packet filter purpose",
  },
  "KUBE-LOAD-BALANCER-SOURCE-CIDR": {
    type: "hash:ip,port,net",
    comment: "Kubernetes service load balancer ip + port + source cidr for packet filter purpose",
  },
  "KUBE-NODE-PORT-TCP": {
    type: "bitmap:port",
    comment: "Kubernetes nodeport TCP port for masquerade purpose",
  },
  "KUBE-NODE-PORT-LOCAL-TCP": {
    type: "bitmap:port",
    comment: "Kubernetes nodeport TCP port with externalTrafficPolicy=local",
  },
  "KUBE-NODE-PORT-UDP": {
    type: "bitmap:port",
    comment: "Kubernetes nodeport UDP port for masquerade purpose",
  },
  "KUBE-NODE-PORT-LOCAL-UDP": {
    type: "bitmap:port",
    comment: "Kubernetes nodeport UDP port with externalTrafficPolicy=local",
  },
  "KUBE-NODE-PORT-SCTP-HASH": {
    type: "hash:ip,port",
    comment: "Kubernetes nodeport SCTP port for masquerade purpose with type 'hash ip:port'",
  },
  "KUBE-NODE-PORT-LOCAL-SCTP-HASH": {
    type: "hash:ip,port",
    comment:
      "Kubernetes nodeport SCTP port with externalTrafficPolicy=local with type 'hash ip:port'",
  },
  "KUBE-HEALTH-CHECK-NODE-PORT": {
    type: "bitmap:port",
    comment: "Kubernetes health check node port",
  },
  "KUBE-IPVS-IPS": { type: "hash:ip", comment: "Addresses on the ipvs interface" },
} as const satisfies Readonly<Record<string, SetDescription>>;

export type SetName = keyof typeof ipSets;

export const setNames = Object.keys(ipSets) as SetName[];

/** Limit of a set's name (characters): the kernel's. */
const maxSetName = 31;

/** The name of a set in the kernel: sets of both families are in one name space. */
export function kernelSetName(name: SetName, family: IpFamily): string {
  return family === "IPv4" ? name : name.replace("KUBE-", "KUBE-6-").slice(0, maxSetName);
}
