import type { DnsConfig, Upstream } from "./corefile/dns-config.ts";

/** What a server answers without a Corefile: as kubeadm configures CoreDNS. */
export function defaultConfig({
  domain,
  ttl,
  upstreams,
}: {
  readonly domain: string;
  readonly ttl: number;
  /** Servers to ask instead of those of the node. */
  readonly upstreams: readonly Upstream[];
}): DnsConfig {
  const reverse = ["in-addr.arpa", "ip6.arpa"];
  return {
    blocks: [
      {
        zones: [""],
        rewrites: [],
        kubernetes: { zones: [domain, ...reverse], ttl, pods: true, fallthrough: reverse },
        cache: {
          success: { capacity: 9984, maxSeconds: 3600, minSeconds: 0 },
          denial: { capacity: 9984, maxSeconds: 30, minSeconds: 0 },
          failureSeconds: 5,
        },
        forwards: [
          {
            from: "",
            except: [],
            upstreams,
            usesResolvConf: upstreams.length === 0,
            policy: "round_robin",
            transport: "udp",
            maxConcurrent: 1000,
            timeoutMs: 2000,
          },
        ],
        loop: true,
        errors: true,
        log: new Set(),
      },
    ],
  };
}
