import type { ClusterPaths } from "../base/paths.ts";
import { pauseImageName } from "./pause-image.ts";
import { registriesFolder } from "./runtime.ts";
import { tomlText } from "./toml.ts";

/** Settings of a cluster's own containerd, in the format of its major version. */
interface ContainerdOptions {
  readonly major: number;
  readonly paths: ClusterPaths;
  readonly cniPlugins: string;
  /** Whether processes may be protected from the kernel's out-of-memory killer: needs CAP_SYS_RESOURCE. */
  readonly mayProtect: boolean;
  /** True if systemd manages the containers' cgroups. */
  readonly systemdCgroup: boolean;
}

const images = "io.containerd.cri.v1.images";
const runtime = "io.containerd.cri.v1.runtime";
const cri = "io.containerd.grpc.v1.cri";
const nri = "io.containerd.nri.v1.nri";

type Sections = readonly (readonly [string, Readonly<Record<string, unknown>>])[];

/** The configuration of a containerd that serves CRI. Upstream: containerd's docs/cri/config.md. */
export function containerdConfig(options: ContainerdOptions): string {
  const { major, paths, cniPlugins, mayProtect, systemdCgroup } = options;
  const isOld = major < 2;
  const registry = { config_path: registriesFolder(paths) };
  const sections: Sections = isOld
    ? [
        [
          `plugins."${cri}"`,
          { sandbox_image: pauseImageName, restrict_oom_score_adj: !mayProtect },
        ],
        [`plugins."${cri}".cni`, { bin_dir: cniPlugins, conf_dir: paths.cni }],
        [`plugins."${cri}".registry`, registry],
      ]
    : [
        [`plugins."${images}".pinned_images`, { sandbox: pauseImageName }],
        [`plugins."${images}".registry`, registry],
        [`plugins."${runtime}"`, { restrict_oom_score_adj: !mayProtect }],
        [`plugins."${runtime}".cni`, { bin_dirs: [cniPlugins], conf_dir: paths.cni }],
      ];
  const runc = runcSections(isOld ? cri : runtime, systemdCgroup);
  return configText(major, paths, isOld ? [] : [nri], [...sections, ...runc]);
}

/** The configuration of a containerd that runs containers for another program, and serves no CRI itself. */
export function plainContainerdConfig(major: number, paths: ClusterPaths): string {
  return configText(major, paths, major < 2 ? [cri] : [nri, images, runtime, cri], []);
}

function configText(
  major: number,
  paths: ClusterPaths,
  disabled: readonly string[],
  sections: Sections,
): string {
  const head = {
    version: major < 2 ? 2 : 3,
    root: paths.containerd,
    state: `${paths.run}/containerd`,
    disabled_plugins: disabled,
  };
  return tomlText(head, [
    ["grpc", { address: paths.containerdSocket }],
    ["ttrpc", { address: `${paths.containerdSocket}.ttrpc` }],
    ...sections,
  ]);
}

/** Options of runc that differ from the defaults. */
function runcSections(plugin: string, SystemdCgroup: boolean): Sections {
  if (!SystemdCgroup) return [];
  const runc = `plugins."${plugin}".containerd.runtimes.runc`;
  return [
    [runc, { runtime_type: "io.containerd.runc.v2" }],
    [`${runc}.options`, { SystemdCgroup }],
  ];
}
