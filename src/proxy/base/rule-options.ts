import type { IpFamily } from "./ip-family.ts";
import type { LocalDetector } from "./local-detector.ts";
import type { NodePortAddresses } from "./node-port-addresses.ts";

/** Settings and properties of the node on which rules depend. */
export interface RuleOptions {
  readonly family: IpFamily;
  readonly masqueradeAll: boolean;
  /** The bit of a packet's mark that requests masquerade. */
  readonly masqueradeBit: number;
  readonly localDetector: LocalDetector | undefined;
  readonly nodePorts: NodePortAddresses;
  /** The node's own address in this family. */
  readonly nodeIp: string;
  /** Whether node ports listen on 127.0.0.1 (iptables only). */
  readonly localhostNodePorts: boolean;
  /** Whether the kernel accepts packets that conntrack finds invalid (iptables only). */
  readonly conntrackLiberal: boolean;
}

/** Variable facts on which rules depend. */
export interface RuleAddresses {
  /** The node's addresses. */
  readonly machineIps: readonly string[];
  /** The known networks of cluster IPs. */
  readonly serviceCidrs: readonly string[];
}

/** The mark of packets that need masquerade, in hexadecimal. */
export function masqueradeMark({ masqueradeBit }: RuleOptions): string {
  return `0x${(2 ** masqueradeBit).toString(16).padStart(6, "0")}`;
}
