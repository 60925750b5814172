import { join } from "node:path";
import { namespaceFile, planNamespace } from "../machine/network-namespace.ts";
import { accessFlags, leaderFlags } from "./access-flags.ts";
import type { ListedObject } from "./feature.ts";
import { logFlagsOf, type Part } from "./part.ts";

const name = "cloud-controller-manager";

export const cloudControllerManager: Part = {
  name,
  summary: "load balancers of Services",
  load: () => import("#/cloud/run.ts"),
  canBeDisabled: true,
  feature: {
    name: "load balancer",
    resources: ["services"],
    provider: (objects, { disabled, lbPool }) => {
      if (disabled.includes(name)) return othersProvider(objects);
      return [lbPool, ...localhostPorts(objects)].join(", ");
    },
  },
  server: {
    flags: ({ paths, settings }) => ({
      ...accessFlags(paths, "cloud-controller-manager"),
      ...leaderFlags(settings),
      "client-ca-file": join(paths.pki, "ca.crt"),
      "cloud-provider": "local",
      "cluster-name": settings.name,
      "lb-pool": settings.lbPool,
      "lb-localhost": true,
      ...(settings.networkNamespace
        ? { "lb-localhost-netns": namespaceFile(planNamespace(settings.name).machine) }
        : {}),
      ...logFlagsOf(settings),
    }),
    async run(args, signal, { connected }) {
      const connect = await connected(signal);
      const { start } = await import("#/cloud/run.ts");
      await start(args, signal, { connect });
    },
  },
};

/** A controller that a user has added shows in the addresses that it assigns. */
function othersProvider(objects: readonly ListedObject[]): string | undefined {
  const isAssigned = objects.some(({ status }) => (status?.loadBalancer?.ingress?.length ?? 0) > 0);
  return isAssigned ? "addresses assigned" : undefined;
}

/** Limit of the ports that are shown: the report has 80 columns. */
const shownPorts = 2;

/** The ports of localhost that lead to Services, as their conditions say. */
function localhostPorts(objects: readonly ListedObject[]): string[] {
  const found = objects.flatMap(({ status }) =>
    (status?.conditions ?? [])
      .filter(({ type, status: isTrue }) => type === "k8ts.dev/Localhost" && isTrue === "True")
      .flatMap(({ message = "" }) => message.match(/localhost:\d+/g) ?? []),
  );
  return found.length > shownPorts ? [...found.slice(0, shownPorts), "…"] : found;
}
