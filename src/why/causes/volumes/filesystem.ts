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

/** File systems of other machines, whose programs are not on every node. */
const remote = /unknown filesystem type '(?:nfs|cifs|ceph|glusterfs|smb)/i;

function reason(text: string): string {
  if (remote.test(text))
    return "the node lacks the client of that file system (such as nfs-common): ";
  if (/helper program/i.test(text)) return "the node lacks the program that mounts it: ";
  return /wrong fs|superblock|filesystem type/i.test(text)
    ? "its file system is not the expected one: "
    : "";
}
