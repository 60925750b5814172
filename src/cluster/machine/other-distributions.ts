import { findProgram } from "./find-program.ts";

/** How a distribution without apt installs packages, and where its names differ from Debian's. */
interface PackageManager {
  readonly program: string;
  readonly install: string;
  readonly names: Readonly<Record<string, string>>;
}

const managers: readonly PackageManager[] = [
  {
    program: "dnf",
    install: "dnf install",
    names: {
      conntrack: "conntrack-tools",
      iproute2: "iproute",
      mount: "util-linux",
      libatomic1: "libatomic",
      "docker.io": "moby-engine",
    },
  },
  {
    program: "zypper",
    install: "zypper install",
    names: {
      "containernetworking-plugins": "cni-plugins",
      conntrack: "conntrack-tools",
      mount: "util-linux",
      "docker.io": "docker",
    },
  },
  {
    program: "pacman",
    install: "pacman -S",
    names: {
      "containernetworking-plugins": "cni-plugins",
      conntrack: "conntrack-tools",
      mount: "util-linux",
      libatomic1: "gcc-libs",
      "docker.io": "docker",
    },
  },
  {
    program: "apk",
    install: "apk add",
    names: {
      "containernetworking-plugins": "cni-plugins",
      containerd: "containerd containerd-ctr",
      conntrack: "conntrack-tools",
      libatomic1: "libatomic",
      "docker.io": "docker",
    },
  },
];

/**
 * How to install what these Debian packages have, on a distribution without apt-get. k8ts finds programs in $PATH, and CNI
 * plugins in the usual folders, wherever they come from.
 */
export function installAdvice(
  packages: readonly string[],
  has = (program: string): boolean => findProgram(program) !== undefined,
): string {
  const manager = managers.find(({ program }) => has(program));
  if (!manager) return `install what Debian has in these packages: ${packages.join(" ")}`;
  const names = packages.map((name) => manager.names[name] ?? name);
  return `${manager.install} ${names.join(" ")}`;
}
