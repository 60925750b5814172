import { accessFile } from "../base/paths.ts";
import { mergeObjects } from "./merge-objects.ts";
import { logFlagsOf, type Part } from "./part.ts";

export const proxy: Part = {
  name: "kube-proxy",
  summary: "the rules behind Services",
  load: () => import("#/proxy/run.ts"),
  canBeDisabled: true,
  manifest: "kube-proxy.yaml",
  agent: {
    documents: [
      {
        apiGroup: "kubeproxy.config.k8s.io",
        kind: "KubeProxyConfiguration",
        file: "kube-proxy.json",
        flag: "config",
        complete: (document, { paths, settings }) =>
          mergeObjects(
            {
              mode: settings.proxyMode,
              clusterCIDR: settings.podCidr,
              conntrack: {
                maxPerCore: 0,
                tcpEstablishedTimeout: "0s",
                tcpCloseWaitTimeout: "0s",
              },
            },
            mergeObjects(document, {
              clientConnection: { kubeconfig: accessFile(paths, "kubelet") },
            }),
          ),
      },
    ],
    flags: ({ paths, settings }) => ({
      kubeconfig: accessFile(paths, "kubelet"),
      "hostname-override": settings.nodeName,
      "proxy-mode": settings.proxyMode,
      "cluster-cidr": settings.podCidr,
      // The machine may have other uses: its connection tracking limits are not changed.
      "conntrack-max-per-core": 0,
      "conntrack-tcp-timeout-established": "0s",
      "conntrack-tcp-timeout-close-wait": "0s",
      ...logFlagsOf(settings),
    }),
    async run(args, signal) {
      const { start } = await import("#/proxy/run.ts");
      await start(args, signal, { awaitsKubeconfig: true });
    },
    async cleanUp(_context, signal) {
      const { start } = await import("#/proxy/run.ts");
      await start(["--cleanup"], signal);
    },
  },
};
