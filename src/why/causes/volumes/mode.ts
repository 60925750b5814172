import { type Container, type Pod, persistentVolumeClaims, pods } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { claimOf } from "../../facts/claims.ts";
import { hasEnded, isReady } from "../../facts/containers.ts";

/** A block device that is mounted as a file system, or the other way round. */
export const volumeMode = cause<Pod>({
  name: "volume-mode",
  layer: "volumes",
  of: [pods],
  find(pod, view) {
    if (isReady(pod) || hasEnded(pod)) return undefined;
    const { spec, metadata } = pod;
    const containers = [...(spec.initContainers ?? []), ...spec.containers];
    for (const volume of spec.volumes ?? []) {
      const name = claimOf(pod, volume);
      if (name === undefined) continue;
      const claim = view.get(persistentVolumeClaims, { namespace: metadata.namespace, name });
      if (!claim) continue;
      const isBlock = claim.spec?.volumeMode === "Block";
      const user = containers.find((one) => uses(one, volume.name, !isBlock));
      if (!user) continue;
      return {
        sentence: `its volume "${volume.name}" (claim ${name}) has volumeMode ${isBlock ? "Block" : "Filesystem"}, but container "${user.name}" has it in ${isBlock ? "volumeMounts" : "volumeDevices"}`,
        fix: [`# list it in ${isBlock ? "volumeDevices" : "volumeMounts"} of the container`],
      };
    }
    return undefined;
  },
});

const uses = ({ volumeDevices, volumeMounts }: Container, volume: string, asDevice: boolean) =>
  ((asDevice ? volumeDevices : volumeMounts) ?? []).some(({ name }) => name === volume);
