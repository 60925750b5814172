import type { Transport } from "./transport/transport.ts";

/** The identity of a component towards the API server. */
interface Identity {
  readonly name: string;
  readonly groups: readonly string[];
}

/**
 * Opens a transport to an API server in the same process, with this identity. The server authorizes
 * it like any other user.
 */
export type Connect = (as: Identity) => Transport;

/** Access to in-process servers, given to each component of a process that runs several. */
export interface InProcessAccess {
  /** Replaces the server of the kubeconfig; the identity stays that of the kubeconfig. */
  readonly connect?: Connect | undefined;
  /** Whether another component of the process writes the kubeconfig: then it is waited for, else it must be there. */
  readonly awaitsKubeconfig?: boolean;
}
