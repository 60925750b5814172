import { join } from "node:path";
import { accessFlags } from "./access-flags.ts";
import { type Flags, logFlagsOf, type Part, type PartContext } from "./part.ts";

export const controllerManager: Part = {
  name: "kube-controller-manager",
  summary: "the controllers",
  load: () => import("#/controllers/run.ts"),
  canBeDisabled: false,
  server: {
    flags,
    async run(args, signal, { connected }) {
      const connect = await connected(signal);
      const { start } = await import("#/controllers/run.ts");
      await start(args, signal, { connect });
    },
  },
};

function flags({ paths, settings }: PartContext): Flags {
  const pki = (file: string): string => join(paths.pki, file);
  return {
    ...accessFlags(paths, "controller-manager"),
    controllers: "*,bootstrap-signer-controller,token-cleaner-controller",
    "use-service-account-credentials": true,
    "service-account-private-key-file": pki("sa.key"),
    "root-ca-file": pki("ca.crt"),
    "cluster-signing-cert-file": pki("ca.crt"),
    "cluster-signing-key-file": pki("ca.key"),
    "client-ca-file": pki("ca.crt"),
    "requestheader-client-ca-file": pki("front-proxy-ca.crt"),
    "allocate-node-cidrs": true,
    "cluster-cidr": settings.podCidr,
    "service-cluster-ip-range": settings.serviceCidr,
    ...logFlagsOf(settings),
  };
}
