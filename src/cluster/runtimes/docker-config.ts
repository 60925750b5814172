import { CommandFailure } from "../base/command-failure.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { Mirror } from "./registry-mirrors.ts";
import { runtimePlace } from "./runtime.ts";

const mirrorsKey = "registry-mirrors";

/** The paths of Docker's files. */
export const dockerPlace = (paths: ClusterPaths) => {
  const { data, config, run } = runtimePlace(paths, "docker");
  return {
    data,
    run,
    socket: `${run}/docker.sock`,
    configFile: `${config}/daemon.json`,
    runtime: `${config}/runc`,
  };
};

/** Settings of a cluster's own Docker Engine. */
interface DockerOptions {
  readonly paths: ClusterPaths;
  readonly systemdCgroup: boolean;
  /** True if containers need a runc that adapts to the machine. */
  readonly isRestricted: boolean;
  readonly registries: Readonly<Record<string, unknown>>;
}

/**
 * Docker's daemon.json. Networks, firewall rules and forwarding are left to CNI and the cluster's own parts. Docker rotates the
 * logs of containers itself, within the kubelet's default limits: it can't be asked to reopen them.
 */
export function dockerConfig(options: DockerOptions): string {
  const { paths, systemdCgroup, isRestricted, registries } = options;
  const { data, run, socket, runtime } = dockerPlace(paths);
  const settings = {
    ...registries,
    "data-root": data,
    "exec-root": `${run}/exec`,
    pidfile: `${run}/docker.pid`,
    hosts: [`unix://${socket}`],
    group: "root",
    containerd: paths.containerdSocket,
    bridge: "none",
    iptables: false,
    ip6tables: false,
    "ip-forward": false,
    "ip-masq": false,
    "live-restore": true,
    "storage-driver": "overlay2",
    "exec-opts": [`native.cgroupdriver=${systemdCgroup ? "systemd" : "cgroupfs"}`],
    "log-driver": "json-file",
    "log-opts": { "max-size": "10m", "max-file": "5" },
    ...(isRestricted && {
      "oom-score-adjust": 0,
      runtimes: { restricted: { path: runtime } },
      "default-runtime": "restricted",
    }),
  };
  return `${JSON.stringify(settings, undefined, 2)}\n`;
}

/** The settings of registries in a user's file, after mirrors of Docker's registry; throws if it has others. */
export function registryOptions(
  text: string,
  file: string,
  mirrors: readonly Mirror[],
): Readonly<Record<string, readonly string[]>> {
  const allowed = [mirrorsKey, "insecure-registries"];
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new CommandFailure(`${file} is no JSON: ${(error as Error).message}`);
  }
  for (const [name, value] of Object.entries(Object(given))) {
    if (!allowed.includes(name)) {
      throw new CommandFailure(`${file} may set ${allowed.join(" and ")} only, not ${name}`);
    }
    if (!Array.isArray(value) || value.some((one) => typeof one !== "string")) {
      throw new CommandFailure(`${name} in ${file} is no list of texts`);
    }
  }
  const options = Object(given) as Readonly<Record<string, readonly string[]>>;
  const origins = mirrors.map(({ origin }) => origin);
  if (origins.length === 0) return options;
  return { ...options, [mirrorsKey]: [...new Set([...origins, ...(options[mirrorsKey] ?? [])])] };
}
