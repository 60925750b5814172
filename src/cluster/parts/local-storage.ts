import { join } from "node:path";
import { localStorageRole } from "../access/server-roles.ts";
import { accessFile } from "../base/paths.ts";
import { kubeletRoot } from "../machine/kubelet-folder.ts";
import type { ListedObject } from "./feature.ts";
import { logFlagsOf, type Part } from "./part.ts";

const name = "local-storage";
const defaultClass = "storageclass.kubernetes.io/is-default-class";

/** The agents have the volumes; the controllers of the server have the claims (docs/decisions/0026-local-storage.md). */
export const localStorage: Part = {
  name,
  summary: "volumes on the disks of nodes (no upstream flags)",
  load: () => import("#/local-storage/run.ts"),
  canBeDisabled: true,
  manifest: "local-storage.yaml",
  feature: {
    name: "storage",
    resources: ["storageclasses"],
    provider: (objects) => defaultProvisioner(objects),
  },
  agent: {
    flags: ({ paths, settings }) => ({
      kubeconfig: accessFile(paths, "kubelet"),
      "node-name": settings.nodeName,
      "root-dir": join(paths.folder, name),
      "kubelet-dir": kubeletRoot(paths, settings),
      ...logFlagsOf(settings),
    }),
    async run(args, signal) {
      const { start } = await import("#/local-storage/run.ts");
      await start(args, signal, { awaitsKubeconfig: true });
    },
    async cleanUp({ paths }, signal) {
      const { start } = await import("#/local-storage/run.ts");
      await start([`--root-dir=${join(paths.folder, name)}`, "--cleanup"], signal);
    },
  },
  server: {
    onLeader: true,
    flags: ({ settings }) => ({ mode: "controllers", ...logFlagsOf(settings) }),
    async run(args, signal, { connected }) {
      const connect = await connected(signal);
      const { start } = await import("#/local-storage/run.ts");
      await start(args, signal, { connect: () => connect(localStorageRole) });
    },
  },
};

/** The driver of the default class, which may be another one's. */
const defaultProvisioner = (objects: readonly ListedObject[]): string | undefined =>
  objects.find(
    ({ kind, metadata }) =>
      kind === "StorageClass" && metadata.annotations?.[defaultClass] === "true",
  )?.provisioner;
