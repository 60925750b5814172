import { startCause } from "../../facts/start-failure.ts";

export const mountOntoFile = startCause({
  name: "mount-into-container",
  layer: "volumes",
  texts:
    /error mounting "[^"]*" to rootfs at "([^"]*)"|mount a directory onto a file|mounting .* not a directory/i,
  explain: ({ container, text }, match) => {
    const why = /read-only file system/i.test(text)
      ? "its root file system is read-only, so that the mount point cannot be made"
      : /not a directory|onto a file/i.test(text)
        ? "a directory would be mounted onto a file, or the other way round"
        : "the mount fails";
    return {
      sentence: `${container.label} cannot start: a volume cannot be mounted at "${match[1] ?? "its path"}": ${why}`,
      fix: ["# mount single files with subPath, and directories onto directories"],
    };
  },
});
