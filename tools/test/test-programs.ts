import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Programs that the tests run, and the Debian package of each. */
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
  { path: "/usr/sbin/ipset", debianPackage: "ipset" },
  { path: "/usr/sbin/ipvsadm", debianPackage: "ipvsadm" },
  { path: "/usr/sbin/ip", debianPackage: "iproute2" },
  { path: "/usr/bin/chromium", debianPackage: "chromium" },
  { path: "/usr/bin/busybox", debianPackage: "busybox-static" },
  { path: "/usr/bin/ps", debianPackage: "procps" },
  { path: "/usr/bin/git", debianPackage: "git" },
  { path: "/usr/bin/systemd-analyze", debianPackage: "systemd" },
];

/** Installs the programs that tests need and this machine lacks, and prints them. Without root it only prints them. */
export async function ensureTestPrograms(): Promise<void> {
  const missing = programs
    .filter(({ path }) => !existsSync(path))
    .map((program) => program.debianPackage);
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0) {
    process.stderr.write(
      `k8ts test: tests that need them will fail or be skipped, as only root may install ${missing.join(", ")}\n`,
    );
    return;
  }
  process.stderr.write(`k8ts test: installing ${missing.join(", ")} with apt-get\n`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const options = {
    env,
    stdio: ["ignore", "ignore", "inherit"] as ["ignore", "ignore", "inherit"],
  };
  // Another program may be installing packages: wait for it.
  const apt = ["-qq", "-o", "DPkg::Lock::Timeout=600"];
  execFileSync("apt-get", [...apt, "update"], options);
  execFileSync(
    "apt-get",
    [...apt, "install", "-y", "--no-install-recommends", ...missing],
    options,
  );
}
