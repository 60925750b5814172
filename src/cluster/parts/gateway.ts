import { accessFile, defaultClusterName } from "../base/paths.ts";
import type { ListedObject } from "./feature.ts";
import { logFlagsOf, type Part } from "./part.ts";

const name = "gateway";
const controller = "k8ts.dev/gateway";

/** The Ingress controller, in a thread of its own in the server's process once there is an Ingress. */
export const gateway: Part = {
  name,
  summary: "the routes of Ingresses",
  load: () => import("#/gateway/run.ts"),
  canBeDisabled: true,
  manifest: "gateway.yaml",
  feature: {
    name: "ingress",
    resources: ["ingressclasses"],
    provider: (objects, { disabled }) => {
      const classes = objects.filter(({ kind }) => kind === "IngressClass");
      const others = classes.find(({ spec }) => spec?.controller !== controller);
      if (!disabled.includes(name)) return shownName(classes) ?? name;
      return others?.spec?.controller;
    },
  },
  server: {
    flags: ({ paths, settings }) => ({
      kubeconfig: accessFile(paths, name),
      "bind-address": settings.nodeIp,
      "publish-address": settings.nodeIp,
      "node-name": settings.nodeName,
      "local-domain":
        settings.name === defaultClusterName ? "k8s.localhost" : `${settings.name}.k8s.localhost`,
      ...logFlagsOf(settings),
    }),
    async run(args, signal, { connected }) {
      const connect = await connected(signal);
      const { startThread } = await import("#/gateway/run.ts");
      await startThread(args, signal, { connect });
    },
    async cleanUp({ paths }, signal, { connected }) {
      await connected(signal);
      const { startThread } = await import("#/gateway/run.ts");
      await startThread([`--kubeconfig=${accessFile(paths, name)}`, "--cleanup"], signal);
    },
  },
};

/** The class that selects the gateway. */
const shownName = (classes: readonly ListedObject[]): string | undefined =>
  classes.find(({ spec }) => spec?.controller === controller)?.metadata.name;
