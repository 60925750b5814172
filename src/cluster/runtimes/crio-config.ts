import type { ClusterPaths } from "../base/paths.ts";
import { pauseImageName } from "./pause-image.ts";
import { runtimePlace } from "./runtime.ts";
import { tomlText } from "./toml.ts";

/** Settings of a cluster's own CRI-O. */
interface CrioOptions {
  readonly paths: ClusterPaths;
  readonly cniPlugins: string;
  /** True if systemd manages the containers' cgroups. */
  readonly systemdCgroup: boolean;
  readonly conmon: string;
  readonly pinns: string;
  /** The path of the OCI runtime. */
  readonly runc: string;
}

/** The paths of CRI-O's files. */
export const crioPlace = (paths: ClusterPaths) => {
  const { data, config, run } = runtimePlace(paths, "crio");
  return {
    run,
    /** The images and the file systems of containers. */
    root: `${data}/storage`,
    /** State that does not outlive the machine's run. */
    runRoot: `${run}/storage`,
    data,
    socket: `${run}/crio.sock`,
    configFile: `${config}/crio.conf`,
    /** Where CRI-O would look for more files: there are none, as the user's own CRI-O has its own. */
    configFolder: `${config}/crio.conf.d`,
    /** Settings of registries that are not the user's. */
    registriesFolder: `${config}/registries.conf.d`,
    policy: `${config}/policy.json`,
    runtime: `${config}/runc`,
  };
};

/** CRI-O's configuration file. Upstream: CRI-O's docs/crio.conf.5.md. */
export function crioConfig(options: CrioOptions): string {
  const { paths, cniPlugins, systemdCgroup, conmon, pinns, runc } = options;
  const place = crioPlace(paths);
  return tomlText({}, [
    [
      "crio",
      {
        root: place.root,
        runroot: place.runRoot,
        storage_driver: "overlay",
        log_dir: `${place.data}/log`,
        version_file: `${place.run}/version`,
        version_file_persist: `${place.data}/version`,
        clean_shutdown_file: `${place.data}/clean.shutdown`,
        internal_wipe: true,
      },
    ],
    ["crio.api", { listen: place.socket, stream_address: "127.0.0.1", stream_port: "0" }],
    [
      "crio.runtime",
      {
        default_runtime: "runc",
        cgroup_manager: systemdCgroup ? "systemd" : "cgroupfs",
        conmon_cgroup: "pod",
        pinns_path: pinns,
        namespaces_dir: `${place.run}/ns`,
        container_exits_dir: `${place.run}/exits`,
        container_attach_socket_dir: `${place.run}/attach`,
        hooks_dir: [],
        enable_pod_events: true,
      },
    ],
    [
      "crio.runtime.runtimes.runc",
      {
        runtime_path: runc,
        runtime_type: "oci",
        runtime_root: `${place.run}/runc`,
        monitor_path: conmon,
        monitor_cgroup: "pod",
      },
    ],
    [
      "crio.image",
      {
        pause_image: pauseImageName,
        pause_command: "/pause",
        pinned_images: [pauseImageName],
        signature_policy: place.policy,
        short_name_mode: "disabled",
      },
    ],
    ["crio.network", { network_dir: paths.cni, plugin_dirs: [cniPlugins] }],
    ["crio.metrics", { enable_metrics: false }],
    ["crio.nri", { enable_nri: false }],
  ]);
}
