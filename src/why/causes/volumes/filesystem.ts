import { mountCause, mountText, volumeText } from "../../facts/mount-failure.ts";

export const volumeFileSystem = mountCause({
  name: "volume-file-system",
  texts:
    /wrong fs type|bad superblock|mount failed: exit status|unknown filesystem type|fsck|mkfs|failed to mount/i,
  explain: (_match, failure) => ({
    sentence: `the node cannot mount its volume${volumeText(failure)}: ${reason(failure.text)}${mountText(failure)}`,
    fix: ["k8ts logs kubelet"],
  }),
});

function reason(text: string): string {
  if (/helper program/i.test(text)) return "the node lacks the program that mounts it: ";
  return /wrong fs|superblock|filesystem type/i.test(text)
    ? "its file system is not the expected one: "
    : "";
}
