import { join } from "node:path";
import { accessFlags, leaderFlags } from "./access-flags.ts";
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
    ...leaderFlags(settings),
    controllers: "*,bootstrap-signer-controller,token-cleaner-controller",
    "use-service-account-credentials": true,
    "service-account-private-key-file": pki("sa.key"),
    "root-ca-file": pki("ca.crt"),
    ...signers(pki),
    "client-ca-file": pki("ca.crt"),
    "requestheader-client-ca-file": pki("front-proxy-ca.crt"),
    "allocate-node-cidrs": true,
    "cluster-cidr": settings.podCidr,
    "service-cluster-ip-range": settings.serviceCidr,
    profiling: false,
    ...logFlagsOf(settings),
  };
}

const clientSigners = ["kubelet-client", "kube-apiserver-client", "legacy-unknown"];

/** Serving certificates of kubelets have an authority of their own; a signer with its own excludes one for all. */
function signers(pki: (file: string) => string): Flags {
  const pairs = [...clientSigners.map((name) => [name, "ca"]), ["kubelet-serving", "kubelet-ca"]];
  return Object.fromEntries(
    pairs.flatMap(([signer, authority]) => [
      [`cluster-signing-${signer}-cert-file`, pki(`${authority}.crt`)],
      [`cluster-signing-${signer}-key-file`, pki(`${authority}.key`)],
    ]),
  );
}
