import { isLoopback, parseNetIp } from "#/std/net/ip.ts";

const usualFile = "/etc/resolv.conf";

/** The upstream servers of systemd-resolved. */
const resolvedFile = "/run/systemd/resolve/resolv.conf";

/** The stub address of systemd-resolved; in a pod it is the pod's own loopback. */
const stubs = ["127.0.0.53", "127.0.0.54"];

/**
 * The resolv.conf with the servers for pods and the cluster's DNS: the machine's own, or the upstream servers of
 * systemd-resolved, whose stub address is not reachable from a pod's network.
 *
 * Upstream: cmd/kubeadm/app/componentconfigs/kubelet.go.
 */
export function chooseResolvConf(read: (path: string) => string | undefined): string {
  const usual = nameservers(read(usualFile));
  if (!usual.some((server) => stubs.includes(server))) return usualFile;
  const isReachable = (server: string): boolean => {
    const ip = parseNetIp(server);
    return ip !== undefined && !isLoopback(ip);
  };
  return nameservers(read(resolvedFile)).some(isReachable) ? resolvedFile : usualFile;
}

const nameservers = (text = ""): string[] =>
  [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, server = ""]) => server);
