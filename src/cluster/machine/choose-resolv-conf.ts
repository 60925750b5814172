import { isLoopback, parseIp } from "#/std/net/ip.ts";

const usualFile = "/etc/resolv.conf";

/** The servers that systemd-resolved asks itself. */
const resolvedFile = "/run/systemd/resolve/resolv.conf";

/** Where systemd-resolved answers programs of the machine; a pod reaches itself there. */
const stubs = ["127.0.0.53", "127.0.0.54"];

/**
 * The resolv.conf that pods and the cluster's DNS take their servers from: the machine's own, or what is behind it where
 * systemd-resolved answers, whose address means something else in a pod's network.
 *
 * Upstream: cmd/kubeadm/app/componentconfigs/kubelet.go.
 */
export function chooseResolvConf(read: (path: string) => string | undefined): string {
  const usual = nameservers(read(usualFile));
  if (!usual.some((server) => stubs.includes(server))) return usualFile;
  const isReachable = (server: string): boolean => {
    const ip = parseIp(server);
    return ip !== undefined && !isLoopback(ip);
  };
  return nameservers(read(resolvedFile)).some(isReachable) ? resolvedFile : usualFile;
}

const nameservers = (text = ""): string[] =>
  [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, server = ""]) => server);
