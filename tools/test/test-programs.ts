import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Programs the tests run for real, and the Debian package each comes from. */
const programs = [
  { path: "/usr/bin/etcd", debianPackage: "etcd-server" },
  { path: "/usr/bin/openssl", debianPackage: "openssl" },
  { path: "/usr/bin/strace", debianPackage: "strace" },
  { path: "/usr/bin/containerd", debianPackage: "containerd" },
  { path: "/usr/sbin/runc", debianPackage: "runc" },
  { path: "/usr/lib/cni/bridge", debianPackage: "containernetworking-plugins" },
  { path: "/usr/sbin/nft", debianPackage: "nftables" },
  { path: "/usr/sbin/iptables", debianPackage: "iptables" },
  { path: "/usr/sbin/conntrack", debianPackage: "conntrack" },
  { path: "/usr/sbin/ip", debianPackage: "iproute2" },
  { path: "/usr/bin/busybox", debianPackage: "busybox-static" },
];

/** Installs the programs that tests need and this machine lacks; says so aloud. Needs root and apt. */
export async function ensureTestPrograms(): Promise<void> {
  const missing = programs
    .filter(({ path }) => !existsSync(path))
    .map((program) => program.debianPackage);
  if (missing.length === 0) return;
  process.stderr.write(`k8ts test: installing ${missing.join(", ")} with apt-get\n`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const options = {
    env,
    stdio: ["ignore", "ignore", "inherit"] as ["ignore", "ignore", "inherit"],
  };
  execFileSync("apt-get", ["update", "-qq"], options);
  execFileSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...missing], options);
}
