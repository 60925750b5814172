import { join } from "node:path";
import { kubeletAuthorities } from "../access/pki.ts";
import { accessFile } from "../base/paths.ts";
import { named } from "./feature.ts";
import { logFlagsOf, type Part } from "./part.ts";

/** Beside those of Kubernetes' own components. */
const metricsPort = 10261;

const partName = "metrics-server";

/** The metrics API, behind the API server's aggregator. */
export const metricsServer: Part = {
  name: partName,
  summary: "usage of nodes and Pods, for top and autoscaling",
  load: () => import("#/metrics/run.ts"),
  canBeDisabled: true,
  manifest: "metrics-server.yaml",
  feature: {
    name: "metrics",
    resources: ["apiservices"],
    provider: (objects, { disabled }) => {
      const [found] = named(objects, "APIService", "v1beta1.metrics.k8s.io");
      const { namespace, name } = found?.spec?.service ?? {};
      if (name) return `${namespace}/${name}`;
      return disabled.includes(partName) ? undefined : partName;
    },
  },
  server: {
    onLeader: true,
    flags: ({ paths, settings }) => {
      const pki = (file: string): string => join(paths.pki, file);
      const file = accessFile(paths, "metrics-server");
      return {
        kubeconfig: file,
        "authentication-kubeconfig": file,
        "authorization-kubeconfig": file,
        "bind-address": settings.nodeIp,
        "secure-port": metricsPort,
        "tls-cert-file": pki("metrics-server-serving.crt"),
        "tls-private-key-file": pki("metrics-server-serving.key"),
        "kubelet-certificate-authority": pki(kubeletAuthorities),
        "kubelet-preferred-address-types": "InternalIP,ExternalIP,Hostname",
        "kubelet-use-node-status-port": true,
        "metric-resolution": "15s",
        "publish-address": settings.nodeIp,
        "publish-ca-file": pki("ca.crt"),
        ...logFlagsOf(settings),
      };
    },
    async run(args, signal, { connected }) {
      const connect = await connected(signal);
      const { start } = await import("#/metrics/run.ts");
      await start(args, signal, { connect });
    },
    async cleanUp(_context, signal, { connected }) {
      const connect = await connected(signal);
      const { start } = await import("#/metrics/run.ts");
      await start(["--cleanup"], signal, { connect });
    },
  },
};
