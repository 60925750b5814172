import type { IpFamily } from "./ip-family.ts";
import type { LocalDetector } from "./local-detector.ts";
import type { NodePortAddresses } from "./node-port-addresses.ts";

/** What rules depend on besides services and endpoints: settings and facts of the node. */
export interface RuleOptions {
  readonly family: IpFamily;
  readonly masqueradeAll: boolean;
  /** Which bit of a packet's mark says that it needs masquerade. */
  readonly masqueradeBit: number;
  readonly localDetector: LocalDetector | undefined;
  readonly nodePorts: NodePortAddresses;
  /** The node's own address in this family. */
  readonly nodeIp: string;
  /** Whether node ports are to answer on 127.0.0.1 (iptables only). */
  readonly localhostNodePorts: boolean;
  /** Whether the kernel already lets packets pass that conntrack finds invalid (iptables only). */
  readonly conntrackLiberal: boolean;
}

/** What rules depend on and what changes now and then. */
export interface RuleSurroundings {
  /** The node's addresses. */
  readonly machineIps: readonly string[];
  /** The networks of cluster IPs, as far as they are known. */
  readonly serviceCidrs: readonly string[];
}

/** The mark of packets that need masquerade, in hexadecimal. */
export function masqueradeMark({ masqueradeBit }: RuleOptions): string {
  return `0x${(2 ** masqueradeBit).toString(16).padStart(6, "0")}`;
}
