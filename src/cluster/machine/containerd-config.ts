import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ClusterPaths } from "../base/paths.ts";
import { pauseImageName } from "./pause-image.ts";

export const run = promisify(execFile);

/** Settings of a cluster's own containerd, in the format of its major version. */
export interface ContainerdOptions {
  readonly major: number;
  readonly paths: ClusterPaths;
  readonly cniPlugins: string;
  /** Whether processes may be protected from the kernel's out-of-memory killer: needs CAP_SYS_RESOURCE. */
  readonly mayProtect: boolean;
  /** True if systemd manages the containers' cgroups. */
  readonly systemdCgroup: boolean;
}

/** containerd's configuration file. Upstream: containerd's docs/cri/config.md. */
export function containerdConfig({
  major,
  paths,
  cniPlugins,
  mayProtect,
  systemdCgroup,
}: ContainerdOptions) {
  const images = "io.containerd.cri.v1.images";
  const runtime = "io.containerd.cri.v1.runtime";
  const cri = "io.containerd.grpc.v1.cri";
  const isOld = major < 2;
  const sections: [string, Readonly<Record<string, unknown>>][] = [
    ["grpc", { address: paths.containerdSocket }],
    ["ttrpc", { address: `${paths.containerdSocket}.ttrpc` }],
    ...((isOld
      ? [
          [
            `plugins."${cri}"`,
            { sandbox_image: pauseImageName, restrict_oom_score_adj: !mayProtect },
          ],
          [`plugins."${cri}".cni`, { bin_dir: cniPlugins, conf_dir: paths.cni }],
          [`plugins."${cri}".registry`, { config_path: join(paths.config, "registries") }],
        ]
      : [
          [`plugins."${images}".pinned_images`, { sandbox: pauseImageName }],
          [`plugins."${images}".registry`, { config_path: join(paths.config, "registries") }],
          [`plugins."${runtime}"`, { restrict_oom_score_adj: !mayProtect }],
          [`plugins."${runtime}".cni`, { bin_dirs: [cniPlugins], conf_dir: paths.cni }],
        ]) as [string, Record<string, unknown>][]),
    ...runcSections(isOld ? cri : runtime, systemdCgroup),
  ];
  const head = {
    version: isOld ? 2 : 3,
    root: paths.containerd,
    state: join(paths.run, "containerd"),
    disabled_plugins: isOld ? [] : ["io.containerd.nri.v1.nri"],
  };
  return [lines(head), ...sections.map(([name, values]) => `[${name}]\n${lines(values)}`)].join(
    "\n",
  );
}

/** Options of runc that differ from the defaults. */
function runcSections(plugin: string, SystemdCgroup: boolean): [string, Record<string, unknown>][] {
  if (!SystemdCgroup) return [];
  const runc = `plugins."${plugin}".containerd.runtimes.runc`;
  return [
    [runc, { runtime_type: "io.containerd.runc.v2" }],
    [`${runc}.options`, { SystemdCgroup }],
  ];
}

const lines = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`)
    .join("");

const sysResource = 24n;

/** Whether a process with this status has CAP_SYS_RESOURCE. */
export function mayProtect(status: string): boolean {
  const effective = BigInt(`0x${/^CapEff:\s([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
  return ((effective >> sysResource) & 1n) === 1n;
}
