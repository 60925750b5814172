import { CommandFailure } from "../base/command-failure.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { runtimePlace } from "./runtime.ts";

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

/** The settings of registries in a user's file; throws if it has others. */
export function registryOptions(text: string, file: string): Readonly<Record<string, unknown>> {
  const allowed = ["registry-mirrors", "insecure-registries"];
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new CommandFailure(`${file} is no JSON: ${(error as Error).message}`);
  }
  const other = Object.keys(Object(given)).find((name) => !allowed.includes(name));
  if (other !== undefined) {
    throw new CommandFailure(`${file} may set ${allowed.join(" and ")} only, not ${other}`);
  }
  return Object(given);
}
