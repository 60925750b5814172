/** Upstream: github.com/opencontainers/cgroups. */

interface CgroupMounts {
  /** Mount points of version 1 by controller. */
  readonly controllers: ReadonlyMap<string, string>;
  readonly unified: string | undefined;
}

/** Finds mounts of cgroups in a mountinfo file. */
export function parseCgroupMounts(mountinfo: string): CgroupMounts {
  const controllers = new Map<string, string>();
  let unified: string | undefined;
  for (const line of mountinfo.split("\n")) {
    const [before = "", after = ""] = line.split(" - ");
    const mountPoint = before.split(" ")[4] ?? "";
    const [type, , options = ""] = after.split(" ");
    if (type === "cgroup2") unified ??= mountPoint;
    if (type !== "cgroup") continue;
    for (const option of options.split(",")) {
      const name = option.replace(/^name=/, "");
      if (!["rw", "ro", "relatime", "xattr", "clone_children"].includes(option)) {
        if (!controllers.has(name)) controllers.set(name, mountPoint);
      }
    }
  }
  return { controllers, unified };
}
