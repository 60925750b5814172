import type { Pod } from "#/api/core/v1.ts";
import { podQOSClass } from "#/machinery/pods/qos.ts";

/** The parts of a cgroup's name from the root down: `["kubepods", "burstable", "podUID"]`. */
export type CgroupName = readonly string[];

export type CgroupDriver = "cgroupfs" | "systemd";

/** A cgroup's name from its path. */
export function parseCgroupPath(path: string): CgroupName {
  return path.split("/").filter((part) => part !== "");
}

/** The cgroup of a pod below the node's. */
export function podCgroupName(node: CgroupName, pod: Pod): CgroupName {
  const qos = podQOSClass(pod);
  const parent = qos === "Guaranteed" ? node : [...node, qos.toLowerCase()];
  return [...parent, `pod${pod.metadata.uid}`];
}

/**
 * Path of a cgroup below the mount point, for each driver: `/kubepods/burstable/podUID` or
 * `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podUID.slice`.
 *
 * Upstream: pkg/kubelet/cm/cgroup_manager_linux.go.
 */
export function cgroupPath(name: CgroupName, driver: CgroupDriver): string {
  if (driver === "cgroupfs") return `/${name.join("/")}`;
  const parts = name.map(sliceName);
  return parts.map((_part, at) => `/${parts.slice(0, at + 1).join("-")}.slice`).join("");
}

/** The cgroup parent of a sandbox, in the runtime's form. */
export function cgroupParent(name: CgroupName, driver: CgroupDriver): string {
  const path = cgroupPath(name, driver);
  return driver === "cgroupfs" ? path : path.slice(path.lastIndexOf("/") + 1);
}

/** The UID of the pod that a cgroup's directory belongs to, if any. */
export function podUIDOf(path: string): string | undefined {
  const directory = path.slice(path.lastIndexOf("/") + 1);
  // A slice's name begins with those of all its parents, including the cgroup root's.
  const [, inSlice] = /^(?:[^-]+-)*kubepods-(?:[a-z]+-)?pod(\w+)\.slice$/.exec(directory) ?? [];
  if (inSlice !== undefined) return inSlice.replaceAll("_", "-");
  return /^pod([\w-]+)$/.exec(directory)?.[1];
}

/** In names of slices a dash separates parents and children. */
function sliceName(part: string): string {
  return part.replace(/\.slice$/, "").replaceAll("-", "_");
}
