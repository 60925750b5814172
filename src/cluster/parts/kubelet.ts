import { join } from "node:path";
import { accessFile } from "../base/paths.ts";
import { nodeIps } from "../base/settings.ts";
import { kubeletRoot } from "../machine/kubelet-folder.ts";
import {
  kubeletConfig,
  kubeletConfigFile,
  kubeletDropIns,
  kubeletFileName,
  kubeletText,
} from "./kubelet-config.ts";
import { mergeObjects } from "./merge-objects.ts";
import { type Flags, logFlagsOf, type Part, type PartContext } from "./part.ts";

export const kubelet: Part = {
  name: "kubelet",
  summary: "a node's Pods",
  load: () => import("#/kubelet/run.ts"),
  canBeDisabled: false,
  manifest: "kubelet.yaml",
  agent: {
    flags,
    documents: [
      {
        apiGroup: "kubelet.config.k8s.io",
        kind: "KubeletConfiguration",
        file: kubeletFileName,
        complete: (document, { paths, settings, resolvConf }) =>
          mergeObjects(kubeletConfig(paths, settings, { resolvConf }), document),
      },
    ],
    files: ({ paths, settings, resolvConf }) => [
      { path: kubeletConfigFile(paths), text: kubeletText(paths, settings, { resolvConf }) },
    ],
    async run(args, signal) {
      const { start } = await import("#/kubelet/run.ts");
      await start(args, signal);
    },
    async cleanUp({ runtimeEndpoint, maxGraceSeconds, isFinal }, signal) {
      const { removeAllPods } = await import("#/kubelet/run.ts");
      await removeAllPods(runtimeEndpoint, { maxGraceSeconds, keepsEnded: !isFinal }, signal);
    },
  },
};

function flags({ paths, settings }: PartContext): Flags {
  return {
    config: kubeletConfigFile(paths),
    "config-dir": kubeletDropIns(paths),
    kubeconfig: accessFile(paths, "kubelet"),
    "bootstrap-kubeconfig": accessFile(paths, "bootstrap-kubelet"),
    "cert-dir": join(paths.kubelet, "pki"),
    "root-dir": kubeletRoot(paths, settings),
    "hostname-override": settings.nodeName,
    "node-ip": nodeIps(settings).join(","),
    ...logFlagsOf(settings),
  };
}
