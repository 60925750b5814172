import type { Transport } from "./transport/transport.ts";

/** Who a component is to the API server. */
export interface Identity {
  readonly name: string;
  readonly groups: readonly string[];
}

/** Opens the way to an API server in the same process, as somebody: the server checks them like anyone. */
export type Connect = (as: Identity) => Transport;

/** What a process that holds several components hands to each of them. */
export interface Surroundings {
  /** Instead of the server that the kubeconfig names, with the identity that the kubeconfig would give. */
  readonly connect?: Connect | undefined;
}
